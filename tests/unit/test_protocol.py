"""The protocol: the specification's own numbers, and what a run may change by name."""

from decimal import Decimal

import pytest

from assay.protocol import formula, override, read_protocol, rubric

PROTOCOL = read_protocol("performance")
WEIGHTS = {"fidelity": "0.35", "soundness": "0.25", "completeness": "0.18", "relevance": "0.12", "calibration": "0.10"}
OTHER = {"fidelity": 0.4, "soundness": 0.2, "completeness": 0.2, "relevance": 0.1, "calibration": 0.1}


def test_the_specified_numbers():
    assert {c["id"]: c["weight"] for c in PROTOCOL["criteria"]} == WEIGHTS
    assert sum(Decimal(weight) for weight in WEIGHTS.values()) == 1
    assert (PROTOCOL["cap"], PROTOCOL["failure_threshold"]) == ("fidelity", "4.0")
    assert PROTOCOL["scale"] == {"min": "0", "max": "10"}
    assert [anchor["range"] for anchor in PROTOCOL["anchors"]] == ["9-10", "7-8", "5-6", "3-4", "0-2"]
    assert PROTOCOL["rounding"] == {"rating": 1, "failure_percent": 0, "cost_per_100": 0, "minutes": 1}
    assert PROTOCOL["panel"] == ["big1", "big2"]


def test_the_formula_is_stated_in_one_line():
    assert formula(PROTOCOL) == (
        "weighted = 0.35*fidelity + 0.25*soundness + 0.18*completeness + 0.12*relevance + 0.10*calibration; "
        "overall = min(weighted, fidelity); failure when overall < 4.0"
    )
    assert "overall = weighted (no cap)" in formula({**PROTOCOL, "cap": None})


def test_a_run_without_overrides_deviates_in_nothing():
    assert override(PROTOCOL, {}, "c") == (PROTOCOL, [], [])


@pytest.mark.parametrize(
    ("name", "value", "used"),
    [
        ("failure_threshold", 4.5, "4.5"),
        ("failure_threshold", "4.50", "4.5"),
        ("failure_threshold", Decimal("4.0001"), "4.0001"),
        ("failure_threshold", 0, "0"),
        ("cap", None, "none"),
        ("cap", "soundness", "soundness"),
        ("weights", OTHER, "fidelity 0.4, soundness 0.2, completeness 0.2, relevance 0.1, calibration 0.1"),
    ],
)
def test_a_change_is_used_and_recorded(name, value, used):
    protocol, [deviation], problems = override(PROTOCOL, {name: value}, "c")
    assert problems == []
    assert (deviation.name, deviation.used) == (name, used)
    assert used.split(",")[0].split(" ")[-1].replace("none", "no cap") in formula(protocol)


@pytest.mark.parametrize(("name", "value"), [("failure_threshold", 4), ("cap", "fidelity"), ("weights", WEIGHTS)])
def test_the_specified_value_is_no_deviation(name, value):
    protocol, deviations, problems = override(PROTOCOL, {name: value}, "c")
    assert (deviations, problems) == ([], [])
    assert {c["id"]: Decimal(c["weight"]) for c in protocol["criteria"]} == {k: Decimal(v) for k, v in WEIGHTS.items()}


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("failure_threshold", "four", "not a number from 0 to 10"),
        ("failure_threshold", True, "not a number from 0 to 10"),
        ("failure_threshold", -1, "not a number from 0 to 10"),
        ("failure_threshold", 10.5, "not a number from 0 to 10"),
        ("failure_threshold", "NaN", "not a number from 0 to 10"),
        ("failure_threshold", None, "not a number from 0 to 10"),
        ("failure_threshold", [4], "not a number from 0 to 10"),
        ("weights", {**OTHER, "fidelity": 0.5}, "add up to 1.1, not to 1"),
        ("weights", {**OTHER, "fidelity": 0.3999999}, "add up to 0.9999999, not to 1"),
        ("weights", {"fidelity": 1}, "give a weight for each of"),
        ("weights", {**OTHER, "style": 0}, "give a weight for each of"),
        ("weights", {**OTHER, "fidelity": -0.4}, "0 or more"),
        ("weights", {**OTHER, "fidelity": "much"}, "0 or more"),
        ("weights", 1, "give a weight for each of"),
        ("cap", "style", "none of fidelity"),
        ("cap", ["fidelity"], "none of fidelity"),
        ("scale", {"max": 100}, "not a value that a run can change"),
        ("rounding", {"rating": 2}, "not a value that a run can change"),
    ],
)
def test_a_bad_change_is_a_problem_and_changes_nothing(name, value, fault):
    protocol, deviations, [problem] = override(PROTOCOL, {name: value}, "config/config.yaml")
    assert (protocol, deviations) == (PROTOCOL, [])
    assert problem.text.startswith(f"overrides.{name}: ") and fault in problem.text
    assert "failure_threshold, weights, cap" in problem.todo


def test_judges_are_told_the_criteria_and_anchors_but_not_the_weights():
    told = rubric(PROTOCOL)
    assert [c["id"] for c in told["criteria"]] == list(WEIGHTS)
    assert all(set(c) == {"id", "text"} for c in told["criteria"])
    assert told["anchors"] == PROTOCOL["anchors"]
