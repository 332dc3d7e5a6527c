"""Telemetry and sandbox logs as streams."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fivejudge_cases import event
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assay.runs.checker import compiled
from assay.runs.faults import Faults
from assay.runs.lines import micros
from assay.runs.sandbox import sandbox_events
from assay.runs.telemetry import KINDS, checks, events, pick, scan
from assay.runs.texts import schema_of


def read(tmp_path: Path, rows: list | str):
    path = tmp_path / "telemetry.jsonl"
    text = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text, "utf-8")
    faults = Faults("telemetry.jsonl")
    return list(events(path, faults)), faults.problems()


def test_every_kind_is_read(tmp_path):
    made, problems = read(tmp_path, [event(kind, place) for place, kind in enumerate(KINDS)])
    assert problems == [] and [one.kind for one in made] == list(KINDS)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"id": "x", "kind": "action"}, "lacks the field `time`"),
        ({"id": "x", "kind": "thought", "time": None}, "kind 'thought' is unknown"),
        (event("action", 1, tool="bash"), "unknown field `tool`"),
        (event("action", 1, time="2026-05-01T09:00:00"), "has no zone"),
        (event("action", 1, time="yesterday"), "is not an ISO 8601 time"),
        (event("action", 1, time="2026-05-01"), "has no zone"),
        (event("action", 1, seconds=-1), "is not in the range"),
        (event("claim", 1, confidence=1.5), "field `confidence`"),
        (event("claim", 1, confidence="sure"), "field `confidence`"),
        (event("patch", 1, targets=[]), "has not 1 to 1000 items"),
        (event("patch", 1, reverts=["nobody"]), "no earlier patch"),
        (event("action", 1, resolves=["nobody"]), "no earlier error"),
        (event("action", 1, recovery_successful=True), "without `resolves`"),
        (event("action", 1, test_result_after={"passed": "all", "failed": 0}), "field `passed` is not a whole number"),
        ([1], "not a JSON object"),
    ],
)
def test_fault_names_its_line(tmp_path, row, words):
    made, problems = read(tmp_path, [event("context", 0), row, event("context", 9)])
    assert [problem.row for problem in problems] == [2] and words in problems[0].text
    assert len(made) == 2


def test_duplicate_ids_and_events_out_of_order_name_their_lines(tmp_path):
    _, problems = read(tmp_path, [event("action", 9, "a"), event("action", 5, "b"), event("action", 9, "a")])
    assert [(problem.row, problem.text.split()[1]) for problem in problems] == [(2, "time"), (3, "id")]


def test_events_without_a_clock_are_read_but_not_mixed(tmp_path):
    made, problems = read(tmp_path, [event("action", None, "a"), event("action", None, "b")])
    assert problems == [] and made[0].micros is None
    _, problems = read(tmp_path, [event("action", None, "a"), event("action", 1, "b")])
    assert [problem.row for problem in problems] == [2]


def test_listing_is_capped_and_says_so(tmp_path):
    _, problems = read(tmp_path, "nonsense\n" * 1000)
    assert len(problems) == 21 and problems[-1].text.startswith("980 more problems")


def test_broken_lines_are_problems(tmp_path):
    _, problems = read(tmp_path, '{"id": "x"\n{"a": 1, "a": 2}\n\n' + json.dumps(event("action", 1)) + "\n")
    assert [problem.row for problem in problems] == [1, 2]


def test_endless_line_is_a_problem_and_the_next_is_read(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "' + "x" * 5_000_000 + '"}\n' + json.dumps(event("action", 1)) + "\n")
    faults = Faults("t.jsonl")
    assert len(list(events(path, faults))) == 1 and [problem.row for problem in faults.problems()] == [1]


def test_half_characters_become_replacement_signs(tmp_path):
    made, problems = read(tmp_path, '{"id":"a","kind":"action","time":null,"text":"cut \\ud83d"}\n')
    assert problems == [] and made[0].data["text"] == "cut \ufffd"


def test_time_is_exact_microseconds_whatever_its_zone():
    assert micros("2026-05-01T09:00:00.000001Z") - micros("2026-05-01T11:00:00+02:00") == 1


def test_missing_file_is_a_problem(tmp_path):
    faults = Faults("t")
    scan(tmp_path / "absent.jsonl", faults)
    assert faults.total == 1


def test_pick_returns_the_wanted_lines(tmp_path):
    read(tmp_path, [event("action", n, f"e{n}") for n in range(5)])
    assert [(n, data["id"]) for n, data in pick(tmp_path / "telemetry.jsonl", [2, 5])] == [(2, "e1"), (5, "e4")]


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**10), st.sampled_from(["", "high", "read", "passed", "x" * 300]),
    st.lists(st.sampled_from(["a", "", 1]), max_size=3),
    st.dictionaries(
        st.sampled_from(["passed", "failed", "names", "other"]), st.one_of(st.integers(-1, 2), st.just(["n"]))
    ),
)  # fmt: skip
FIELDS = sorted({name for kind in KINDS for name in schema_of("telemetry-event")["$defs"][kind]["properties"]})


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from([*FIELDS, "strange"]), VALUES, max_size=6))
def test_quick_check_agrees_with_the_general_validator(kind, fields):
    row = {**event(kind, 1), **fields, "kind": kind}
    schema = schema_of("telemetry-event")
    general = Draft202012Validator({**schema["$defs"][kind], "$defs": schema["$defs"]})
    assert (checks()[kind](row) is None) == general.is_valid(row)


def test_quick_check_refuses_a_schema_it_does_not_know():
    with pytest.raises(ValueError, match="does not know"):
        compiled({"type": "string", "pattern": "x"})
    with pytest.raises(ValueError, match="beside"):
        compiled({"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {}}})


def test_sandbox_log(tmp_path):
    path = tmp_path / "sandbox.jsonl"
    rows = [
        {"kind": "network", "host": "example.org", "allowed": False},
        {"kind": "network", "allowed": False},
        {"kind": "file_access", "path": "/x", "allowed": "no"},
        {"kind": "process", "command": "ls", "allowed": True, "time": "2026-05-01T09:00:00"},
        {"kind": "dream", "allowed": True},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    faults = Faults("sandbox.jsonl")
    assert [one.ref for one in sandbox_events(path, faults)] == ["sandbox:1"]
    assert [problem.row for problem in faults.problems()] == [2, 3, 4, 5]


SUMMARY = """
import re, resource, sys
from pathlib import Path
from assay.fivejudge import protocol
from assay.fivejudge.claims import ClaimsFold
from assay.fivejudge.detectors import RepeatsFold
from assay.fivejudge.efficiency import EfficiencyFold
from assay.fivejudge.metrics import Metrics
from assay.fivejudge.selection import OVERHEAD, ClassFold, byte_limit, choose
from assay.fivejudge.timeline import timeline
from assay.runs.faults import Faults
from assay.runs.telemetry import scan
p, faults = protocol.default(), Faults("t")
metrics, classes = Metrics(), ClassFold()
trace = scan(Path(sys.argv[1]), faults, [metrics, ClaimsFold(), RepeatsFold(p), EfficiencyFold(), classes])
chosen = choose(classes.classes, [size + OVERHEAD for size in trace.sizes], byte_limit(p))
picture = timeline(trace)
used = resource.getrusage(resource.RUSAGE_SELF)
# Not ru_maxrss: that of a forked process begins with its parent's.
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024
print(faults.total, len(trace.kinds), len(picture), used.ru_utime + used.ru_stime, peak)
"""


def test_long_session_is_summarised_quickly_in_little_memory(tmp_path):
    """100,000 events in proportion to what 1,000,000 may take (60 s, 300 MB); ASSAY_LARGE=1 runs the million."""
    count = 1_000_000 if os.environ.get("ASSAY_LARGE") else 100_000
    start = datetime(2026, 5, 1, tzinfo=UTC)
    path = tmp_path / "telemetry.jsonl"
    kinds = ("tool_call", "tool_call", "patch", "action", "context")
    with open(path, "w") as out:
        for n in range(count):
            row = event(kinds[n % 5], 0, f"event-{n}", time=(start + timedelta(milliseconds=50 * n)).isoformat())
            if n % (count // 100) == 7:
                row = event("error", 0, f"event-{n}", time=row["time"], error=f"E{n % 9}")
            elif row["kind"] in ("patch", "action"):
                row["targets"] = [f"src/module_{n % 997}.py"]
            out.write(json.dumps(row) + "\n")
    scripts = Path(__file__).parents[2] / "scripts"
    done = subprocess.run(
        [sys.executable, "-c", SUMMARY, path], env={"PYTHONPATH": str(scripts)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    faults, seen, picture, seconds, megabytes = (float(part) for part in done.stdout.split())
    assert (faults, seen) == (0, count) and picture < 200_000
    assert seconds < 60 * count / 1_000_000 + 1 and megabytes < 300
