"""The eight derived metrics on sessions written by hand, with answers worked out by hand."""

import pytest
from fivejudge_cases import PROTOCOL, D, event, result, session

from assay.fivejudge.metrics import metrics


def measured(name, *rows):
    made = metrics(session(*rows), PROTOCOL)[name]
    return made.value, made.in_range, made.reason


def act(when, *targets, **fields):
    return event("action", when, f"a{when}", targets=list(targets), **fields)


def fix(when, *targets, **fields):
    return event("patch", when, f"p{when}", targets=list(targets) or ["f"], **fields)


def call(when, purpose="run", **fields):
    return event("tool_call", when, f"c{when}", purpose=purpose, **fields)


def bug(when, name="E", **fields):
    return event("error", when, f"e{when}", error=name, **fields)


def look(when, **fields):
    return call(when, "read", **fields)


CASES = {
    "pivot_latency": [
        ([bug(0), fix(30, "a")], "30", True),
        ([bug(0), fix(10, "a"), bug(20), fix(30, "a"), fix(140, "b")], "65", True),  # 10, and 120 from 20 to 140
        ([bug(0, "E"), bug(5, "F"), fix(125, "a")], "122.5", False),  # 125 and 120
        ([bug(0), fix(120, "a")], "120", False),  # exactly 120 is not under 120
        ([fix(0, "a"), bug(10), call(20, targets=["b"]), act(40, "a")], "30", True),  # a tool call touches nothing
        ([bug(0), act(10, "a"), bug(20), act(30, "a", "b")], "10", True),  # one new target is enough
    ],
    "dwell_time": [
        ([look(0), fix(10), call(100)], "10", True),
        ([look(0, seconds=3), call(5, "search", seconds=1), fix(20), call(100)], "4", False),
        ([look(0, seconds=15), fix(20), look(30), call(100)], "15", True),  # reading after the patch is no dwell
        ([look(0, seconds=10), look(5, seconds=10), fix(50), call(100)], "15", True),  # overlap counts once
        ([look(0, seconds=50), fix(10), call(100)], "10", True),  # and nothing beyond the patch
        ([call(0, "run"), fix(10), call(100)], "0", False),
        ([look(0), event("context", 3), call(5, "run"), fix(50), call(100)], "5", True),
    ],
    "time_to_first_correct_fix": [
        ([call(0), fix(10, test_result_after=result(1, 4)), call(100)], "10", True),
        (
            [
                call(0, "test", test_result_after=result(5, 5)),
                fix(10, test_result_after=result(5, 5)),
                fix(30, test_result_after=result(3, 7)),
                fix(39, test_result_after=result(6, 4)),
                call(100),
            ],
            "39",
            True,
        ),
        ([call(0), fix(40), call(50, "test", test_result_after=result(1, 0)), call(100)], "40", False),
        (
            [
                fix(0, test_result_after=result(0, 9)),
                call(5, "test", test_result_after=result(5, 4)),
                fix(10, test_result_after=result(3, 6)),
                fix(20, test_result_after=result(4, 5)),  # better than just before, not than ever before
                fix(30, test_result_after=result(6, 3)),
                call(100),
            ],
            "30",
            True,
        ),
    ],
    "verification_density": [
        ([fix(0), call(1, "test"), fix(2), call(3, "test")], "1", True),
        ([fix(0), fix(1), call(2, "test")], "0.5", False),
        ([fix(0), fix(1), fix(2), call(3, "test"), act(4, "f", purpose="test")], "0.666667", True),
        ([fix(0, test_result_after=result(1, 0)), call(1, "read")], "0", False),
    ],
    "recovery_speed": [
        ([bug(0), fix(50, resolves=["E"], recovery_successful=True)], "50", True),
        ([bug(0, test="t"), call(179, "test", test_result_after=result(3, 0, "s", "t"))], "179", True),
        (
            [
                bug(0, test="t"),
                call(50, "test", test_result_after=result(2, 1, "t")),  # not green
                call(60, "test", test_result_after=result(3, 0, "s")),  # does not name it
                call(70, "test", test_result_after=result(0, 0, "t")),  # nothing passed
                call(180, "test", test_result_after=result(3, 0), resolves=["E"]),
            ],
            "180",
            False,
        ),
        ([bug(0), bug(10, "F"), bug(20), fix(100, resolves=["E", "F"], recovery_successful=True)], "90", True),
        (
            [
                bug(0),
                fix(5, resolves=["E"], recovery_successful=False),
                fix(9, resolves=["E"], recovery_successful=True),
            ],
            "9",
            True,
        ),
    ],
    "thrash_rate": [
        ([fix(0), fix(30, revert=True), call(120)], "0.5", False),
        ([fix(0), fix(30, revert=True, test_result_after=result(1, 0)), call(60)], "0", True),
        (
            [
                fix(0, content_before={"f": "0"}, content_after={"f": "1"}),
                fix(10, content_after={"f": "0"}),
                fix(20, content_after={"f": "1"}),
                fix(30, content_after={"f": "2"}),
                fix(35, content_after={"f": "2"}),  # nothing changed: no way back
                call(240),
            ],
            "0.5",
            False,
        ),
        (
            [
                fix(0, test_result_after=result(9, 0)),
                fix(10, test_result_after=result(4, 5)),
                fix(20, reverts=["p10"], test_result_after=result(9, 0)),  # gains five: no thrash
                fix(30, test_result_after=result(9, 0)),
                fix(40, reverts=["p30"], test_result_after=result(9, 0)),  # gains none
                call(180),
            ],
            "0.333333",
            True,
        ),
    ],
    "reversion_ratio": [
        ([fix(n) for n in range(9)] + [fix(9, reverts=["p8"])], "0.1", True),
        ([fix(0), fix(1), fix(2), fix(3, reverts=["p0", "p1"]), fix(4, reverts=["p0"])], "0.4", False),
        ([fix(0), fix(1)], "0", False),
        ([fix(n) for n in range(4)] + [fix(4, revert=True)], "0.2", True),
    ],
    "scope_after_error": [
        ([fix(0, "a", "b"), bug(1), fix(2, "a", "c"), fix(3, "d")], "1", True),
        ([fix(0, "a", "b"), bug(1), fix(2, "c", "d", "e")], "1.5", False),
        ([act(0, "a"), act(1, "b"), act(2, "c"), bug(3), bug(4, "F"), fix(5, "d")], "0.333333", True),
        ([fix(0, "a"), bug(1), look(2, targets=["z"]), fix(3, "a")], "0", True),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "rows", "value", "good"),
    [(name, *case) for name, cases in CASES.items() for case in cases],
    ids=[f"{name}-{n}" for name, cases in CASES.items() for n, _ in enumerate(cases, 1)],
)
def test_metric_has_the_value_worked_out_by_hand(name, rows, value, good):
    assert measured(name, *rows) == (D(value), good, "")


MISSING = [
    ("pivot_latency", [fix(0)], "no error"),
    ("pivot_latency", [bug(0), look(9)], "no action or patch"),
    ("pivot_latency", [bug(None), fix(None)], "no clock times"),
    ("dwell_time", [look(0), look(9)], "no patch"),
    ("dwell_time", [fix(0), fix(9)], "reads or searches"),
    ("dwell_time", [look(None), fix(None)], "no clock times"),
    ("dwell_time", [look(5), fix(5)], "same time"),
    ("time_to_first_correct_fix", [look(0)], "no patch"),
    ("time_to_first_correct_fix", [fix(0), fix(9)], "no patch has a test result"),
    ("time_to_first_correct_fix", [fix(0, test_result_after=result(0, 3))], "no patch passes more"),
    ("time_to_first_correct_fix", [fix(None, test_result_after=result(1, 3))], "no clock times"),
    ("verification_density", [call(0, "test")], "no patch"),
    ("verification_density", [fix(0)], "test run"),
    ("recovery_speed", [fix(0)], "no error"),
    ("recovery_speed", [bug(0), fix(9)], "shows an error fixed"),
    ("recovery_speed", [bug(None), fix(None)], "no clock times"),
    ("thrash_rate", [look(0)], "no patch"),
    ("thrash_rate", [fix(0), fix(9)], "what it reverts"),
    ("thrash_rate", [fix(None, revert=True), look(None)], "no clock times"),
    ("reversion_ratio", [look(0)], "no patch"),
    ("scope_after_error", [fix(0)], "no error"),
    ("scope_after_error", [bug(0), fix(1)], "before the first error"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "rows", "words"), MISSING)
def test_missing_events_give_no_value_but_a_reason(name, rows, words):
    value, good, reason = measured(name, *rows)
    assert value is None and good is None and words in reason


def test_metrics_that_need_no_clock_are_there_without_one():
    rows = [fix(None, "a"), event("error", None, "e"), fix(None, "b", revert=True), call(None, "test")]
    rows = [{**row, "id": f"x{n}"} for n, row in enumerate(rows)]
    made = metrics(session(*rows), PROTOCOL)
    assert {name: metric.value for name, metric in made.items() if metric.value is not None} == {
        "verification_density": D("0.5"),
        "reversion_ratio": D("0.5"),
        "scope_after_error": D(1),
    }


def test_many_waiting_errors_are_quick():
    rows = [bug(n / 1000, f"E{n}") for n in range(20000)] + [fix(30, "a")]
    assert measured("pivot_latency", *rows)[0] == D("20.0005")  # the middle of 10.001 to 30.000
