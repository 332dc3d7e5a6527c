"""severity.tsv, SARIF, unified diffs and the small JSON and YAML records."""

import json
from decimal import Decimal

import pytest
from fivejudge_cases import DIFF, shared

from assay.runs.challenge import read_benchmarks, read_build, read_challenge, read_runtime
from assay.runs.faults import Faults
from assay.runs.junit import TestCase
from assay.runs.patch import parse_patch, read_patch
from assay.runs.sarif import read_sarif
from assay.runs.severity import level_of, read_severity, unmatched


def reading(reader, tmp_path, text, name="file"):
    path = tmp_path / name
    path.write_text(text if isinstance(text, str) else json.dumps(text), "utf-8")
    faults = Faults(name)
    return reader(path, faults), faults.problems()


def test_levels_are_read_and_found_by_id_class_or_name(tmp_path):
    levels, problems = reading(read_severity, tmp_path, "test\tlevel\nC::a\tcritical\nC.b\thigh\nc\tmedium\n")
    assert problems == []
    assert level_of(TestCase("C::a", "a", "C", "passed"), levels) == "critical"
    assert level_of(TestCase("C::b", "b", "C", "passed"), levels) == "high"
    assert level_of(TestCase("D::x", "x", "D", "passed"), levels) == "medium"
    assert unmatched(levels, [TestCase("C::a", "a", "C", "passed")]) == ["C.b", "c"]


def test_every_fault_of_the_levels_is_said_with_its_row(tmp_path):
    _, problems = reading(read_severity, tmp_path, "test\tlevel\na\turgent\nb\nc\thigh\nc\tmedium\n")
    assert [problem.row for problem in problems] == [2, 3, 5]
    _, problems = reading(read_severity, tmp_path, "name\tlevel\n")
    assert problems[0].row == 1


def sarif(level="error", severity="9.0", rule_severity=None, **result):
    rule = {"id": "R", "properties": {"security-severity": rule_severity} if rule_severity else {}}
    row = {"ruleId": "R", "message": {"text": "m"}, **({"level": level} if level else {}), **result}
    if severity:
        row["properties"] = {"security-severity": severity}
    return {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T", "rules": [rule]}}, "results": [row]}]}


@pytest.mark.parametrize(
    ("value", "critical"),
    [
        (sarif(), True),
        (sarif(severity="8.9"), False),
        (sarif(level="warning", severity="10"), False),
        (sarif(level=None), False),
        (sarif(severity=None, rule_severity="9.8"), True),
        (sarif(severity="1.0", rule_severity="9.8"), False),
        (sarif(severity=None), False),
        (sarif(kind="pass"), False),
    ],
)
def test_critical_is_level_error_and_severity_nine(tmp_path, value, critical):
    findings, problems = reading(read_sarif, tmp_path, value)
    assert problems == [] and [finding.critical for finding in findings] == [critical]


def test_level_comes_from_the_rule_where_the_result_has_none(tmp_path):
    value = sarif(level=None)
    value["runs"][0]["tool"]["driver"]["rules"][0]["defaultConfiguration"] = {"level": "error"}
    assert reading(read_sarif, tmp_path, value)[0][0].critical


def test_rule_is_found_in_an_extension(tmp_path):
    value = sarif(severity=None, ruleIndex=0, rule={"toolComponent": {"index": 0}})
    rule = {"id": "R", "properties": {"security-severity": "9.5"}}
    value["runs"][0]["tool"]["extensions"] = [{"name": "E", "rules": [rule]}]
    assert reading(read_sarif, tmp_path, value)[0][0].critical


@pytest.mark.parametrize(
    "value", [{"version": "2.0.0", "runs": []}, {"runs": []}, [], "{", {"version": "2.1.0"}, sarif(severity="high")]
)
def test_other_sarif_is_a_problem(tmp_path, value):
    findings, problems = reading(read_sarif, tmp_path, value)
    assert findings is None and len(problems) == 1


def test_real_scanner_reports(tmp_path):
    folder = shared("agents/security")
    for name, count in (("sarif/flawfinder.sarif", None), ("sarif/njsscan.sarif", 2)):
        faults = Faults(name)
        findings = read_sarif(folder / name, faults)
        assert faults.problems() == [] and findings
        assert count is None or len(findings) == count
        assert not any(finding.critical for finding in findings)
    faults = Faults("bandit")
    assert read_sarif(folder / "bandit/one_vuln.json", faults) is None and faults.total == 1


def patch(text):
    faults = Faults("changes.diff")
    return parse_patch(text, faults), faults.problems()


def test_diff_becomes_files_and_hunks_with_ids():
    made, problems = patch(DIFF)
    assert problems == []
    assert [(change.path, [hunk.id for hunk in change.hunks]) for change in made.files] == [
        ("src/a.py", ["src/a.py#1"])
    ]
    assert made.hunks()[0].only("+") == ["value = 2"] and made.hunks()[0].only("-") == ["value = 1"]


def test_real_agent_patch():
    faults = Faults("agent.patch")
    made = read_patch(shared("agents/junit-marshmallow-1867") / "agent.patch", faults)
    assert faults.problems() == [] and [hunk.id for hunk in made.hunks()] == ["src/marshmallow/fields.py#1"]


def test_empty_patch_changes_nothing():
    assert patch("")[0].files == () and patch("\n")[1] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I changed the value.\n", "names no file"),
        ("@@ -1 +1 @@\n-a\n+b\n", "before any file name"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n", "does not hold the lines"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n[...]\n", "does not hold the lines"),
    ],
)
def test_broken_patch_is_a_problem(text, words):
    made, problems = patch(text)
    assert made is None and words in problems[0].text


def test_lines_that_look_like_file_heads_stay_in_their_hunk():
    made, problems = patch("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a comment\n+++ a comment\n y\n")
    assert problems == [] and len(made.files) == 1 and made.hunks()[0].only("-") == ["-- a comment"]


def test_renames_new_removed_and_binary_files_are_named():
    made, problems = patch(
        "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n"
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
        "\\ No newline at end of file\n"
        "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n"
        'diff --git "a/\\303\\251.py" "b/\\303\\251.py"\n'
        '--- "a/\\303\\251.py"\n+++ "b/\\303\\251.py"\n@@ -1 +1 @@\n-a\n+b\n'
    )
    assert problems == []
    assert [change.path for change in made.files] == ["gone", "n", "new.py", "p.png", "é.py"]
    assert made.files[3].binary and made.files[2].old == "old.py"


def test_author_in_the_head_of_a_mailed_patch_is_left_out():
    made, problems = patch("From: Secret Agent <agent@example.org>\nSubject: fix\n---\n a | 2 +-\n" + DIFF)
    assert problems == [] and "Secret" not in repr(made)


def test_order_of_files_in_a_diff_does_not_matter():
    other = DIFF.replace("src/a.py", "src/b.py")
    assert patch(DIFF + other)[0] == patch(other + DIFF)[0]


def test_challenge_is_read_whole(tmp_path):
    text = """briefing: Do it.
rubric: Look.
family: bugfix
restricted_paths: [tests/hidden]
no_change_expected: true
dynamic_tests: [{name: n, published: p, others: [q, r]}]
"""
    made, problems = reading(read_challenge, tmp_path, text)
    assert problems == [] and made.no_change_expected and made.dynamic_tests[0].others == ("q", "r")


@pytest.mark.parametrize(
    "text",
    ["briefing: x\n", "a: [\n", "briefing: &a x\nrubric: *a\nfamily: f\n", "briefing: x\nbriefing: y\n", "- 1\n"],
)
def test_broken_challenge_is_a_problem(tmp_path, text):
    made, problems = reading(read_challenge, tmp_path, text)
    assert made is None and problems


def test_records(tmp_path):
    assert reading(read_build, tmp_path, {"ok": True, "exit_code": 0})[0].ok
    assert reading(read_build, tmp_path, {"ok": True, "exit_code": 1})[1]
    crashes = {"crashes": [{"kind": "panic", "message": "m"}]}
    assert reading(read_runtime, tmp_path, crashes)[0][0].kind == "panic"
    good = '{"bonus": 2.5, "measurements": [{"name": "t", "value": 1.25}]}'
    assert reading(read_benchmarks, tmp_path, good)[0].bonus == Decimal("2.5")
    for bad in (
        {"bonus": 6, "measurements": [{"name": "t", "value": 1}]},
        {"bonus": 1, "measurements": []},
        {"bonus": 1},
    ):
        made, problems = reading(read_benchmarks, tmp_path, bad)
        assert made is None and problems
    huge = '{"bonus": 1, "measurements": [{"name": "t", "value": 1E999999999}]}'
    assert reading(read_benchmarks, tmp_path, huge)[0] is None


def test_text_that_is_not_utf8_names_its_line(tmp_path):
    path = tmp_path / "severity.tsv"
    path.write_bytes(b"test\tlevel\n\xff\thigh\n")
    faults = Faults("severity.tsv")
    read_severity(path, faults)
    assert faults.problems()[0].row == 2
