"""A whole run folder in one pass."""

import pytest
from fivejudge_cases import event, junit, write_run

from assay.runs.run import read_run


def test_sound_folder_is_read_and_says_what_it_lacks(tmp_path):
    run, problems = read_run(write_run(tmp_path / "r"), "runs/a")
    assert problems == []
    assert [hunk.id for hunk in run.patch.hunks()] == ["src/a.py#1"]
    assert any("hidden suite was not run again" in note for note in run.notes)
    assert any("no security scan" in note for note in run.notes)


def test_everything_wrong_is_said_in_one_pass(tmp_path):
    folder = write_run(
        tmp_path / "r",
        **{
            "challenge.yaml": "briefing: x\n",
            "build.json": '{"ok": true, "exit_code": 3}',
            "changes.diff": "nothing here\n",
            "telemetry.jsonl": [event("action", 5, "a"), event("action", 1, "b"), event("action", 6, "a")],
            "tests/static.xml": "<testsuite>",
            "tests/hidden.xml": None,
            "tests/rerun.xml": junit({"a": "passed"}),
            "tests/severity.tsv": "test\tlevel\nx\turgent\n",
            "security.sarif": '{"version": "2.0.0"}',
            "benchmarks.json": '{"bonus": 9, "measurements": [{"name": "t", "value": 1}]}',
            "runtime.json": "[]",
            "sandbox.jsonl": "{}\n",
            "test/hidden.xml": junit({"a": "passed"}),
        },
    )
    run, problems = read_run(folder, "runs/a")
    assert run is None
    assert {problem.file.removeprefix("runs/a/") for problem in problems} == {
        "challenge.yaml", "build.json", "changes.diff", "telemetry.jsonl", "tests/static.xml", "tests/rerun.xml",
        "tests/severity.tsv", "security.sarif", "benchmarks.json", "runtime.json", "sandbox.jsonl", "test/hidden.xml",
    }  # fmt: skip
    assert all(problem.text and problem.todo for problem in problems)


@pytest.mark.parametrize("name", ["challenge.yaml", "build.json", "changes.diff", "telemetry.jsonl"])
def test_required_file_missing(tmp_path, name):
    run, problems = read_run(write_run(tmp_path / "r", **{name: None}), "runs/a")
    assert run is None and [problem.file for problem in problems] == [f"runs/a/{name}"]


def test_missing_folder_and_empty_telemetry(tmp_path):
    assert "missing" in read_run(tmp_path / "absent", "runs/a")[1][0].text
    _, problems = read_run(write_run(tmp_path / "r", **{"telemetry.jsonl": ""}), "runs/a")
    assert "no event" in problems[0].text


def test_link_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "secret.md").write_text("x")
    folder = write_run(tmp_path / "r")
    (folder / "deliverables").mkdir()
    (folder / "deliverables/report.md").symlink_to(tmp_path / "secret.md")
    run, problems = read_run(folder, "runs/a")
    assert run is None and any("leads out" in problem.text for problem in problems)


def test_level_of_an_unknown_test_is_said(tmp_path):
    run, _ = read_run(write_run(tmp_path / "r", **{"tests/severity.tsv": "test\tlevel\ntypo\tcritical\n"}), "runs/a")
    assert any("'typo'" in note for note in run.notes)
