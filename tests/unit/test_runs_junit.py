"""JUnit XML as real reporters write it."""

from pathlib import Path

import pytest
from fivejudge_cases import shared

from assay.runs.faults import Faults
from assay.runs.junit import read_junit


def read(tmp_path: Path, text: str | bytes):
    path = tmp_path / "suite.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    faults = Faults("suite.xml")
    return read_junit(path, faults), faults.problems()


def results(tmp_path: Path, text: str) -> dict[str, str]:
    tests, problems = read(tmp_path, text)
    assert problems == []
    return {test.id: test.result for test in tests}


CORPUS = {  # passed, failed, skipped as counted by hand; None = the file is a problem
    "bazel/suite-logs.xml": (0, 1, 0),
    "empty-system-out-err.xml": (1, 0, 0),
    "junit.multiresult.xml": (1, 2, 1),
    "minimal-attributes.xml": (1, 2, 1),
    "no-attributes.xml": None,
    "no-cases-but-tests.xml": None,
    "non-junit.xml": None,
    "pytest/corrupt-xml.xml": None,
    "pytest/junit.gloo.elastic.spark.tf.xml": (20, 0, 2),
    "pytest/junit.mpi.static.xml": (24, 0, 0),
    "scalatest/TEST-uk.co.gresearch.spark.diff.DiffOptionsSuite.xml": (5, 0, 0),
    "testsuite-root.xml": (5, 0, 0),
    "tst/disabled.xml": (6, 20, 5),
    "with-xml-entities.xml": (0, 2, 2),
    "xunit/xunit.xml": (2, 0, 0),
}


@pytest.mark.parametrize("name", CORPUS)
def test_real_report(name):
    path = shared("agents/junit/junit-xml") / name
    faults = Faults(name)
    tests = read_junit(path, faults)
    if CORPUS[name] is None:
        assert tests is None and len(faults.problems()) >= 1
        assert all(problem.text and problem.todo for problem in faults.problems())
    else:
        assert faults.problems() == []
        counted = [test.result for test in tests]
        assert tuple(counted.count(word) for word in ("passed", "failed", "skipped")) == CORPUS[name]


def test_every_other_real_report_is_read_or_refused_with_words():
    for path in sorted(shared("agents/junit/junit-xml").rglob("*.xml")):
        faults = Faults(path.name)
        assert (read_junit(path, faults) is None) == bool(faults.problems()), path


def test_corrupt_report_names_the_line(tmp_path):
    tests, problems = read(tmp_path, '<testsuite>\n<testcase name="a"/>\n<testcase name="b">')
    assert tests is None
    assert problems[0].row == 3 and "broken XML" in problems[0].text


def test_nested_suites_and_missing_counts(tmp_path):
    text = """<testsuite name="outer"><testsuite name="inner"><testcase name="a"/></testsuite>
    <testcase name="a"><failure/></testcase></testsuite>"""
    assert results(tmp_path, text) == {"inner::a": "passed", "outer::a": "failed"}


def test_copies_of_one_name_fail_when_one_fails(tmp_path):
    text = '<testsuite><testcase name="a"/><testcase name="a"><error message="teardown"/></testcase></testsuite>'
    tests, _ = read(tmp_path, text)
    assert (tests[0].result, tests[0].copies, tests[0].mixed, tests[0].message) == ("failed", 2, True, "teardown")


def test_maven_flaky_passes_and_rerun_failure_fails(tmp_path):
    text = """<testsuite name="S">
    <testcase name="flaky" classname="S"><flakyFailure message="first try">
    <stackTrace>x</stackTrace></flakyFailure></testcase>
    <testcase name="broken" classname="S"><failure message="m">t</failure><rerunFailure message="again"/></testcase>
    </testsuite>"""
    tests, _ = read(tmp_path, text)
    assert {(test.name, test.result, test.flaky) for test in tests} == {
        ("flaky", "passed", True),
        ("broken", "failed", True),
    }


def test_jest_failure_without_message_takes_the_first_line_of_its_text(tmp_path):
    text = """<testsuites name="jest tests"><testsuite name="add"><testcase classname="add adds" name="add adds">
    <failure>Error: expect(received).toBe(expected)\n    at Object.secret_test_code (a.test.js:3:1)</failure>
    </testcase></testsuite></testsuites>"""
    tests, _ = read(tmp_path, text)
    assert tests[0].message == "Error: expect(received).toBe(expected)"


def test_go_report_with_properties_and_output(tmp_path):
    text = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite tests="3" failures="1" name="example.org/pkg"><properties><property name="go.version" value="1"/>
</properties><testcase classname="pkg" name="TestA"/><testcase classname="pkg" name="TestB">
<failure message="Failed" type=""><![CDATA[=== RUN <b> ]]></failure></testcase>
<testcase classname="pkg" name="TestC"><skipped message="later"/></testcase><system-out>
<![CDATA[<testcase name="no"/>]]></system-out></testsuite></testsuites>"""
    assert results(tmp_path, text) == {"pkg::TestA": "passed", "pkg::TestB": "failed", "pkg::TestC": "skipped"}


def test_failure_outside_a_testcase_is_not_lost(tmp_path):
    text = '<testsuite name="S" errors="1"><error message="setup broke"/><testcase name="a"/></testsuite>'
    assert results(tmp_path, text) == {"S::(suite)": "failed", "S::a": "passed"}


def test_status_without_an_element_counts(tmp_path):
    text = '<testsuite><testcase name="a" status="notrun"/><testcase name="b" status="failed"/></testsuite>'
    assert results(tmp_path, text) == {"a": "skipped", "b": "failed"}


def test_failure_inside_output_is_no_failure(tmp_path):
    text = '<testsuite><testcase name="a"><system-out><failure/></system-out></testcase></testsuite>'
    assert results(tmp_path, text) == {"a": "passed"}


def test_external_entity_is_refused_and_not_read(tmp_path):
    (tmp_path / "secret").write_text("hidden answer")
    text = f'<!DOCTYPE t [<!ENTITY x SYSTEM "{tmp_path}/secret">]><testsuite><testcase name="&x;"/></testsuite>'
    tests, problems = read(tmp_path, text)
    assert tests is None and "document type" in problems[0].text
    assert "hidden answer" not in str(problems)


def test_entities_that_grow_are_refused(tmp_path):
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE t [<!ENTITY e0 "boom">{entities}]><testsuite><testcase name="&e11;"/></testsuite>'
    tests, problems = read(tmp_path, text)
    assert tests is None and len(problems) == 1


def test_deep_nesting_is_refused(tmp_path):
    tests, problems = read(tmp_path, "<testsuite>" * 100 + "</testsuite>" * 100)
    assert tests is None and "nested" in problems[0].text


def test_other_encodings_and_byte_order_marks_are_read(tmp_path):
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><testsuite><testcase name="é"/></testsuite>'
    tests, _ = read(tmp_path, text.encode("latin-1"))
    assert tests[0].name == "é"
    tests, _ = read(tmp_path, '<testsuite><testcase name="é"/></testsuite>'.encode("utf-16"))
    assert tests[0].name == "é"


def test_order_of_testcases_does_not_matter(tmp_path):
    one, _ = read(tmp_path, '<testsuite><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>')
    two, _ = read(tmp_path, '<testsuite><testcase name="b"><failure/></testcase><testcase name="a"/></testsuite>')
    assert one == two


def test_testcase_without_a_name_names_its_line(tmp_path):
    tests, problems = read(tmp_path, "<testsuite>\n<testcase/>\n</testsuite>")
    assert tests is None and problems[0].row == 2
