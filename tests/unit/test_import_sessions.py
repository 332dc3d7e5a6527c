"""Recorded sessions become run folders: real SWE-agent recordings, and logs of inspect_ai made with its mock model."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from fivejudge_cases import CHALLENGE, DIFF, PROTOCOL, junit, shared

import import_sessions
from assay.fivejudge.scoring import assess
from assay.importing.inspect_log import read_log
from assay.importing.sessions import error_in, purpose_of, result_of
from assay.importing.swe_agent import read_traj
from assay.problems import UserError

LOG = Path(__file__).parent / "data/inspect-mock.json"
MARSHMALLOW = (
    "agents/swe-agent/demo/replay__marshmallow-code__marshmallow-1867__function_calling__install-1/"
    "marshmallow-code__marshmallow-1867.traj"
)
RECORDINGS = [
    MARSHMALLOW,
    "agents/swe-agent/test/gpt4__swe-agent__test-repo__default_from_url__t-0.00__p-0.95__c-3.00__install-1/"
    "swe-agent__test-repo-i1.traj",
    "agents/swe-agent/demo/human_thought__swe-bench-HumanEvalFix-python__lcb__t-0.00__p-0.95__c-4.00__install-0/"
    "humanevalfix-python-0.traj",
]


def rows(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "telemetry.jsonl").read_text("utf-8").splitlines()]


def assessed(folder: Path):
    made, problems = assess(folder, "run", PROTOCOL)
    assert problems == []
    return made


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_real_recording_becomes_a_sound_run_folder_without_a_clock(tmp_path, name):
    import_sessions.main([str(shared(name)), str(tmp_path / "run"), "--build", "ok"])
    made = assessed(tmp_path / "run")
    assert {row["time"] for row in rows(tmp_path / "run")} == {None}
    assert made.scored.run.patch.files and made.scored.run.challenge.briefing
    timed = [metric for metric in made.scored.metrics.values() if metric.id == "dwell_time"]
    assert [(metric.value, metric.reason) for metric in timed] == [(None, "the recording holds no clock times")]


def test_the_steps_of_a_real_recording_are_told_apart(tmp_path):
    import_sessions.main([str(shared(MARSHMALLOW)), str(tmp_path / "run"), "--build", "ok"])
    steps = [(row["kind"], row.get("tool", ""), row.get("targets", [])) for row in rows(tmp_path / "run")]
    fields = ["src/marshmallow/fields.py"]
    assert steps == [
        ("patch", "", ["reproduce.py"]),
        ("patch", "", ["reproduce.py"]),
        ("tool_call", "python", []),
        ("tool_call", "ls", []),
        ("tool_call", "find_file", []),
        ("tool_call", "open", fields),
        ("tool_call", "edit", fields),  # refused: wrong indentation
        ("error", "", []),
        ("patch", "", fields),
        ("tool_call", "python", []),
        ("tool_call", "rm", []),
        ("tool_call", "submit", []),
    ]
    assert rows(tmp_path / "run")[2]["seconds"] > 0


def test_a_recording_with_its_test_reports_is_scored(tmp_path):
    suite = shared("agents/junit-marshmallow-1867") / "after_agent_patch.xml"
    import_sessions.main([str(shared(MARSHMALLOW)), str(tmp_path / "run"), "--build", "ok", "--hidden", str(suite)])
    # 275 tests of one weight, one fails
    assert str(assessed(tmp_path / "run").scored.objective.score) == "99.636364"


def test_a_recording_without_a_diff_needs_one(tmp_path):
    name = shared("agents/swe-agent/demo/ctf/crypto/BabyEncryption.traj")
    with pytest.raises(UserError, match="holds no diff"):
        import_sessions.main([str(name), str(tmp_path / "run"), "--build", "ok"])
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty.diff").write_text("")
    import_sessions.main([str(name), str(tmp_path / "run"), "--build", "ok", "--changes", str(tmp_path / "empty.diff")])
    errors = [row["message"] for row in rows(tmp_path / "run") if row["kind"] == "error"]
    assert "TypeError: integer argument expected, got float" in errors
    assert "ValueError: chr() arg not in range(0x110000)" in errors


def test_a_demonstration_of_messages_alone_is_refused():
    with pytest.raises(UserError, match="no list `trajectory`"):
        read_traj(shared("agents/swe-agent/demo/function_calling_simple.traj"))


def check_mock_log(folder: Path) -> None:
    kinds = [row["kind"] for row in rows(folder)]
    assert kinds == ["tool_call", "tool_call", "tool_call", "error", "patch", "tool_call", "context"]
    made = rows(folder)
    assert made[1]["test_result_after"] == {"passed": 3, "failed": 1} and made[1]["purpose"] == "test"
    assert made[3]["message"] == "command not found: boom" and made[4]["targets"] == ["a.py"]
    assert all(row["time"] for row in made)
    scored = assessed(folder).scored
    assert scored.run.challenge.briefing == "Make the value two."
    assert scored.run.deliverables["deliverables/last-words.md"] == "The value is two now. All tests pass.\n"
    assert str(scored.metrics["verification_density"].value) == "2"


def test_a_log_of_inspect_becomes_a_run_folder_with_its_times(tmp_path):
    (tmp_path / "a.diff").write_text(DIFF)
    import_sessions.main([str(LOG), str(tmp_path / "run"), "--build", "ok", "--changes", str(tmp_path / "a.diff")])
    check_mock_log(tmp_path / "run")


def test_an_eval_archive_is_read_as_the_json_is(tmp_path):
    sample = json.loads(LOG.read_text("utf-8"))["samples"][0]
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/value-two_epoch_1.json", json.dumps(sample))
        archive.writestr("samples/other_epoch_1.json", json.dumps({**sample, "id": "other"}))
    with pytest.raises(UserError, match=r"--sample .* other \(epoch 1\), value-two \(epoch 1\)"):
        read_log(tmp_path / "log.eval")
    assert read_log(tmp_path / "log.eval", "value-two").rows == read_log(LOG).rows


def test_a_zstd_archive_is_read_or_says_what_it_needs():
    log = LOG.with_suffix(".eval")
    try:
        import zstandard  # noqa: F401
    except ImportError:
        with pytest.raises(UserError, match="inspect log convert --to json"):
            read_log(log)
    else:
        assert len(read_log(log).rows) == len(read_log(LOG).rows)


def test_a_fresh_log_of_the_installed_package_is_read(tmp_path):
    reason = "inspect_ai IS NOT INSTALLED (320 MB with what it needs): only the logs under data/ were read"
    inspect = pytest.importorskip("inspect_ai", reason=reason)
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    output = ModelOutput.from_content("mockllm/model", "Done.")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    task = inspect.Task(dataset=[Sample(id="one", input="Say done.")])
    model = get_model("mockllm/model", custom_outputs=[output])
    made = inspect.eval(task, model=model, log_format="json", log_dir=str(tmp_path), display="none")
    session = read_log(Path(made[0].location.removeprefix("file://")))
    assert session.task == "Say done." and session.last_words == "Done." and len(session.rows) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"eval": 1}', "not json", '{"eval": {}, "samples": []}'])
def test_a_file_that_is_no_log_is_refused_in_words(tmp_path, text):
    (tmp_path / "log.json").write_text(text)
    with pytest.raises(UserError, match=r"log\.json"):
        read_log(tmp_path / "log.json")


def test_an_existing_folder_is_never_touched_and_a_given_challenge_is_taken(tmp_path):
    (tmp_path / "a.diff").write_text(DIFF)
    (tmp_path / "challenge.yaml").write_text(json.dumps(CHALLENGE))
    (tmp_path / "hidden.xml").write_text(junit({"one": "passed"}))
    given = ["--build", "failed", "--changes", str(tmp_path / "a.diff"), "--hidden", str(tmp_path / "hidden.xml")]
    run = tmp_path / "run"
    import_sessions.main([str(LOG), str(run), *given, "--challenge", str(tmp_path / "challenge.yaml")])
    assert assessed(run).scored.objective.score == 0
    assert assessed(run).scored.run.challenge.family == "bugfix"
    with pytest.raises(UserError, match="exists already"):
        import_sessions.main([str(LOG), str(run), *given])
    shutil.rmtree(run)
    (tmp_path / "hidden.xml").write_text("<broken")
    with pytest.raises(UserError, match=r"tests/hidden\.xml"):
        import_sessions.main([str(LOG), str(run), *given])
    assert not run.exists()


@pytest.mark.parametrize(
    ("command", "purpose"),
    [
        ("python -m pytest tests", "test"),
        ("go test ./...", "test"),
        ("cat a.py", "read"),
        ("grep -rn value .", "search"),
        ("python a.py", "run"),
        ("sed -i s/1/2/ a.py", "other"),
        ("", "other"),
    ],
)
def test_what_a_command_is_for(command, purpose):
    assert purpose_of(command) == purpose


@pytest.mark.parametrize(
    ("output", "result"),
    [
        ("3 passed in 0.1s", {"passed": 3, "failed": 0}),
        ("2 failed, 3 passed, 1 error in 0.1s", {"passed": 3, "failed": 3}),
        ("collected 4 items\n4 passed", {"passed": 4, "failed": 0}),
        ("all is well", None),
    ],
)
def test_the_numbers_of_a_test_run_are_its_own(output, result):
    assert result_of(output) == result


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("Traceback (most recent call last):\nValueError: no", "ValueError: no"),
        ("bash: foo: command not found", "bash: foo: command not found"),
        ("no error here", ""),
        ("the Error: of our ways", ""),
    ],
)
def test_errors_that_an_output_shows(output, message):
    assert error_in(output) == message
