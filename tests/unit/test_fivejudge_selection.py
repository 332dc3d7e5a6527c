"""Packets under their limit, and the picture of a session."""

import xml.etree.ElementTree as ET

import pytest
from fivejudge_cases import PROTOCOL, event, junit, session, write_run
from hypothesis import given
from hypothesis import strategies as st

from assay.canonical import canonical
from assay.fivejudge.evidence import references
from assay.fivejudge.material import judge_view
from assay.fivejudge.scoring import assess
from assay.fivejudge.selection import OVERHEAD, ClassFold, byte_limit, choose
from assay.fivejudge.timeline import timeline
from assay.problems import UserError
from assay.runs.telemetry import feed


def test_everything_is_shown_when_it_fits():
    made = choose([0, 1, 2, 3], [10, 10, 10, 10], 40)
    assert made.places == (0, 1, 2, 3) and made.notice() == "All events of the session are shown."


def test_errors_are_always_shown_and_the_rest_is_thinned_aloud():
    made = choose([3, 0] * 50, [10] * 100, 750)
    assert {place for place in range(100) if place % 2} <= set(made.places)
    assert made.left_out["other events"] == 25
    assert made.notice().startswith("Left out to keep the packet short: 25 of 50 other events. All errors are shown")


def test_errors_that_do_not_fit_are_an_error():
    with pytest.raises(UserError, match="packet_tokens"):
        choose([0] * 11, [10] * 11, 100)


def test_more_important_classes_come_first():
    made = choose([3, 2, 1, 0], [10] * 4, 30)
    assert made.places == (1, 2, 3)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 50)), max_size=60), st.integers(0, 1500))
def test_choice_is_under_the_limit_keeps_class_0_and_is_the_same_each_time(rows, limit):
    classes, sizes = [row[0] for row in rows], [row[1] for row in rows]
    errors = sum(size for kind, size in rows if kind == 0)
    if errors > limit:
        with pytest.raises(UserError):
            choose(classes, sizes, limit)
        return
    made = choose(classes, sizes, limit)
    assert sum(sizes[place] for place in made.places) <= limit
    assert {n for n, kind in enumerate(classes) if kind == 0} <= set(made.places)
    assert made == choose(classes, sizes, limit)


def test_classes_of_events():
    fold = ClassFold()
    feed(
        session(
            event("action", 0),
            event("error", 1),
            event("context", 2),
            event("action", 3),
            event("action", 4),
            event("patch", 5),
            event("checkpoint", 6),
            event("tool_call", 7, purpose="test"),
        ),
        fold,
    )
    assert list(fold.classes) == [3, 0, 3, 2, 3, 1, 2, 1]


def test_packet_of_a_long_run_stays_under_its_limit_and_shows_every_error(tmp_path):
    rows = [event("tool_call", n / 10, f"é{n}", text="x" * (n % 90) + "\u2028é") for n in range(6000)]
    for n in range(0, 6000, 100):
        rows[n] = event("error", n / 10, f"err{n}", message="broke " * 5)
    tests = {f"test_{n}": "failed" if n % 500 == 0 else "passed" for n in range(3000)}
    log = [{"kind": "network", "host": f"h{n}", "allowed": n % 1000 != 0} for n in range(5000)]
    folder = write_run(
        tmp_path / "r",
        **{"telemetry.jsonl": rows, "tests/hidden.xml": junit(tests), "sandbox.jsonl": log, "plan.md": "p\n" * 10},
    )
    protocol = {**PROTOCOL, "telemetry": {"packet_tokens": 60000, "bytes_per_token": 3}}
    assessed, problems = assess(folder, "r", protocol)
    assert problems == []
    for judge in ("process", "strategy", "recovery", "integrity"):
        shown = judge_view(assessed.scored, judge, protocol)
        size = len(canonical(shown).encode())
        assert size <= byte_limit(protocol)
        assert len([row for row in shown["test_results"] if row["result"] == "failed"]) == 6
        assert any("other tests" in line for line in shown["left_out"])
        if judge != "strategy":
            assert [row["ref"] for row in shown["errors"]] == [f"event:err{n}" for n in range(0, 6000, 100)]
            assert any("other events" in line for line in shown["left_out"])
            assert size > byte_limit(protocol) * 6 // 10
        if judge == "integrity":
            assert sum(not row["allowed"] for row in shown["sandbox"]) == 5
        assert judge_view(assessed.scored, judge, protocol) == shown


def test_flood_of_errors_is_joined_by_name_and_every_one_is_still_there(tmp_path):
    rows = [event("error", n / 10, f"err{n}", message="broke " * 100, error=f"E{n % 7}") for n in range(3000)]
    rows += [event("patch", 400 + n, f"p{n}") for n in range(10)]
    assessed, _ = assess(write_run(tmp_path / "r", **{"telemetry.jsonl": rows}), "r", PROTOCOL)
    shown = judge_view(assessed.scored, "recovery", PROTOCOL)
    assert len(canonical(shown).encode()) <= byte_limit(PROTOCOL)
    assert {f"event:err{n}" for n in range(3000)} <= references(shown)
    assert len(shown["errors"]) == 7 and len(shown["action_timeline"]) == 10
    assert "messages of errors beyond 300 characters" in shown["left_out"][0]


def test_flood_of_different_errors_that_cannot_fit_is_an_error(tmp_path):
    rows = [event("error", n / 10, f"err{n}", message="broke " * 60) for n in range(3000)]
    assessed, _ = assess(write_run(tmp_path / "r", **{"telemetry.jsonl": rows}), "r", PROTOCOL)
    with pytest.raises(UserError, match="3000 errors"):
        judge_view(assessed.scored, "process", PROTOCOL)


def test_packet_whose_deliverables_do_not_fit_is_an_error(tmp_path):
    folder = write_run(tmp_path / "r", **{"deliverables/a.md": "long line\n" * 30000})
    assessed, _ = assess(folder, "r", PROTOCOL)
    judge_view(assessed.scored, "process", PROTOCOL)
    with pytest.raises(UserError, match="packet_tokens"):
        judge_view(assessed.scored, "strategy", PROTOCOL)


def test_overhead_covers_what_a_packet_adds_to_an_event(tmp_path):
    name = "x" * 200
    rows = [event("claim", 0.001, name, text="t", about="nothing", confidence=0.1, expects="failed")]
    rows.append(event("action", 1, seconds=1e7, targets=["src/a.py"]))
    assessed, problems = assess(write_run(tmp_path / "r", **{"telemetry.jsonl": rows}), "r", PROTOCOL)
    assert problems == []
    shown = judge_view(assessed.scored, "integrity", PROTOCOL)
    for row, size in zip((*shown["claims"], *shown["action_timeline"]), assessed.scored.run.trace.sizes, strict=True):
        assert len(canonical(row).encode()) <= size + OVERHEAD


def test_timeline_is_a_sound_picture_drawn_the_same_each_time(tmp_path):
    rows = [event("action", 0), event("error", 30), event("patch", 3725), event("patch", 3725, "p2")]
    assessed, _ = assess(write_run(tmp_path / "r", **{"telemetry.jsonl": rows}), "r", PROTOCOL)
    picture = timeline(assessed.scored.run.trace)
    root = ET.fromstring(picture)
    description = root.find("{http://www.w3.org/2000/svg}desc").text
    assert description == "Events by kind: 1 action, 1 error, 2 patch. 0 to 1 h 2 min."
    assert picture == timeline(assessed.scored.run.trace)


def test_timeline_without_a_clock_runs_by_order(tmp_path):
    rows = [event("action", None, "a"), event("error", None, "b")]
    assessed, _ = assess(write_run(tmp_path / "r", **{"telemetry.jsonl": rows}), "r", PROTOCOL)
    assert "2 events in order, without a clock" in timeline(assessed.scored.run.trace)
