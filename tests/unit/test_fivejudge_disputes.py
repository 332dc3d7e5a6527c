"""Disputes and adjudication."""

import pytest
from fivejudge_cases import PROTOCOL, D

from assay.fivejudge.disputes import disputes, settled
from assay.fivejudge.panel import panel

AGREED = panel({"x": D(70), "y": D(70), "z": D(70)}, PROTOCOL)
SPLIT = panel({"x": D(20), "y": D(50), "z": D(90)}, PROTOCOL)


def rules(objective=50, process=70, strategy=70, recovery=70, integrity=0, three=AGREED):
    scores = {"process": D(process), "strategy": D(strategy), "recovery": D(recovery)}
    return [(one.rule, one.judges) for one in disputes(D(objective), scores, D(integrity), three, PROTOCOL)]


def test_nothing_is_flagged_without_a_reason():
    assert rules() == []


def test_two_judges_more_than_15_apart():
    assert rules(process=85) == []
    assert rules(process=D("85.01")) == [
        ("judges_apart", ("process", "strategy")),
        ("judges_apart", ("process", "recovery")),
    ]
    assert rules(recovery=54) == [("judges_apart", ("process", "recovery")), ("judges_apart", ("strategy", "recovery"))]


def test_objective_is_not_among_the_judges_that_may_differ():
    assert rules(objective=100) == []


def test_integrity_of_minus_15_or_worse():
    assert rules(integrity=D("-14.9")) == []
    assert rules(integrity=-15) == [("integrity", ("integrity",))]


def test_strategy_over_80_while_objective_is_under_30():
    assert rules(process=80, strategy=80, recovery=80, objective=29) == []
    assert rules(process=80, strategy=81, recovery=80, objective=30) == []
    assert rules(process=80, strategy=81, recovery=80, objective=29) == [("strategy_over_objective", ("strategy",))]


def test_split_panel():
    assert rules(three=SPLIT) == [("panel_split", ("strategy",))]


@pytest.mark.parametrize(
    ("first", "fresh", "score", "outcome"),
    [
        (70, 80, 70, "stands"),
        (70, 60, 70, "stands"),
        (70, D("80.01"), D("80.01"), "replaced"),
        (70, 59, 59, "replaced"),
    ],
)
def test_fresh_verdict_within_10_leaves_the_first(first, fresh, score, outcome):
    made = settled("process", D(first), D(fresh), PROTOCOL)
    assert (made.score, made.outcome) == (score, outcome)


def test_panel_split_again_goes_to_a_person():
    assert settled("strategy", SPLIT.score, SPLIT.score, PROTOCOL, SPLIT).outcome == "human_review"
    assert settled("strategy", SPLIT.score, D(70), PROTOCOL, AGREED).outcome == "replaced"
