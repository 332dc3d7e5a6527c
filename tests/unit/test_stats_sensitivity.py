"""Sensitivity of the ranking to the way of scoring."""

from decimal import Decimal
from fractions import Fraction

import pytest

from assay.report.conclusions import robustness
from assay.stats.sensitivity import kendall_tau, rank_groups, sensitivity, shifted

WEIGHTS = {
    "fidelity": Decimal("0.35"),
    "soundness": Decimal("0.25"),
    "completeness": Decimal("0.18"),
    "relevance": Decimal("0.12"),
    "calibration": Decimal("0.10"),
}
TITLES = {"x": "Lane X", "y": "Lane Y", "method": "The method", "a": "Lane A"}
EXACT = {name: Fraction(weight) for name, weight in WEIGHTS.items()}


def criteria(*scores: str) -> dict[str, Decimal]:
    return dict(zip(WEIGHTS, map(Decimal, scores), strict=True))


def grid(**lanes: dict[str, Decimal]) -> dict[tuple[str, str], dict[str, Decimal]]:
    return {("mode:a", lane): scores for lane, scores in lanes.items()}


def test_overall_is_exact_and_capped_at_fidelity() -> None:
    rows = grid(x=criteria("6.05", "9", "9", "9", "9"))
    assert dict(sensitivity(rows, {}, WEIGHTS, "fidelity").base.means) == {"x": Fraction(Decimal("6.05"))}
    assert dict(sensitivity(rows, {}, WEIGHTS, None).base.means) == {"x": Fraction(Decimal("7.9675"))}


def test_a_shifted_weight_leaves_the_sum_and_the_proportions_of_the_others() -> None:
    moved = shifted(EXACT, "fidelity", Fraction(1, 10))
    assert moved["fidelity"] == Fraction(45, 100)
    assert sum(moved.values()) == 1
    assert moved["soundness"] / moved["relevance"] == EXACT["soundness"] / EXACT["relevance"]
    assert moved["soundness"] == Fraction(25, 100) * Fraction(55, 65)


def test_a_weight_never_falls_below_nothing_and_points_count_of_the_sum() -> None:
    assert shifted(EXACT, "calibration", Fraction(-1, 5))["calibration"] == 0
    hundred = {"objective": Fraction(50), "process": Fraction(50)}
    assert shifted(hundred, "objective", Fraction(1, 10)) == {"objective": 60, "process": 40}
    with pytest.raises(ValueError, match="fidelity has all the weight"):
        shifted({"fidelity": Fraction(1)}, "fidelity", Fraction(1, 10))


def test_every_way_is_there_with_weights_that_sum_to_one() -> None:
    rows = grid(x=criteria("8", "8", "8", "8", "8"), y=criteria("5", "5", "5", "5", "5"))
    found = sensitivity(rows, {"big1": rows, "big2": rows}, WEIGHTS, "fidelity")
    assert [scenario.id for scenario in found.scenarios] == [
        "judge-big1", "judge-big2", "no-cap", "equal-weights",
        "fidelity-minus", "fidelity-plus", "soundness-minus", "soundness-plus", "completeness-minus",
        "completeness-plus", "relevance-minus", "relevance-plus", "calibration-minus", "calibration-plus",
    ]  # fmt: skip
    assert all(sum(weight for _, weight in scenario.weights) == 1 for scenario in found.scenarios)
    assert all(scenario.tau == 1 and scenario.winner_holds and scenario.order_holds for scenario in found.scenarios)
    assert robustness(found, TITLES) == (
        "The conclusion holds: Lane X is first and the whole order is the same in all 14 other ways of scoring."
    )
    assert found.scenarios[4].title == "weight of fidelity minus 10 points"


def test_a_winner_made_by_the_cap_is_named() -> None:
    rows = grid(essay=criteria("5", "10", "10", "10", "10"), method=criteria("7", "7", "7", "7", "7"))
    found = sensitivity(rows, {"big1": rows, "big2": rows}, WEIGHTS, "fidelity")
    cap = next(scenario for scenario in found.scenarios if scenario.id == "no-cap")
    assert (cap.ranking, cap.tau, cap.winner_holds) == ((("essay",), ("method",)), -1, False)
    assert found.base.ranking == (("method",), ("essay",))
    assert robustness(found, TITLES) == (
        "The conclusion does not hold everywhere: The method is first in 13 of 14 other ways of scoring, but not in "
        "these: without the cap at fidelity. The order changes in 1: without the cap at fidelity."
    )


def test_an_order_that_changes_behind_the_winner_is_said() -> None:
    panel = grid(
        a=criteria("9", "9", "9", "9", "9"), b=criteria("7", "7", "7", "7", "7"), c=criteria("6", "6", "6", "6", "6")
    )
    other = panel | grid(c=criteria("8", "8", "8", "8", "8"))
    found = sensitivity(panel, {"big1": panel, "big2": other}, WEIGHTS, "fidelity")
    changed = found.scenarios[1]
    assert (changed.winner_holds, changed.order_holds, changed.tau) == (True, False, Fraction("0.333333333"))
    assert robustness(found, TITLES) == (
        "The winner holds: Lane A is first in all 14 other ways of scoring. "
        "The order behind it changes in 1 of them: big2 alone."
    )


def test_each_judge_alone_is_capped_at_its_own_fidelity() -> None:
    averaged = grid(x=criteria("6", "8", "8", "8", "8"), y=criteria("6", "6", "6", "6", "6"))
    alone = grid(x=criteria("4", "8", "8", "8", "8"), y=criteria("5", "5", "5", "5", "5"))
    found = sensitivity(averaged, {"big1": alone}, WEIGHTS, "fidelity")
    assert dict(found.scenarios[0].means) == {"x": 4, "y": 5}


def test_equal_means_share_a_place() -> None:
    assert rank_groups({"b": Fraction(1), "a": Fraction(1), "c": Fraction(2)}) == (("c",), ("a", "b"))
    rows = grid(x=criteria("8", "8", "8", "8", "8"), y=criteria("8", "8", "8", "8", "8"))
    found = sensitivity(rows, {"big1": rows}, WEIGHTS, "fidelity")
    assert robustness(found, TITLES).startswith("The conclusion holds: Lane X and Lane Y are first")
    assert found.base.tau is None


def test_means_are_over_the_captures_a_configuration_has() -> None:
    rows = grid(x=criteria("8", "8", "8", "8", "8")) | {
        ("mode:b", "x"): criteria("6", "6", "6", "6", "6"),
        ("mode:b", "y"): criteria("9", "9", "9", "9", "9"),
    }
    assert dict(sensitivity(rows, {"big1": rows}, WEIGHTS, "fidelity").base.means) == {"x": 7, "y": 9}


def test_without_a_cap_there_is_no_such_way() -> None:
    rows = grid(x=criteria("8", "8", "8", "8", "8"), y=criteria("5", "5", "5", "5", "5"))
    assert "no-cap" not in {scenario.id for scenario in sensitivity(rows, {}, WEIGHTS, None).scenarios}


def test_one_configuration_has_no_ranking() -> None:
    rows = grid(x=criteria("8", "8", "8", "8", "8"))
    assert sensitivity({}, {}, WEIGHTS, "fidelity").base.ranking == ()
    assert robustness(sensitivity(rows, {"big1": rows}, WEIGHTS, "fidelity"), TITLES) == (
        "Fewer than two configurations have scores, so there is no ranking to test."
    )


def test_kendall_counts_ties() -> None:
    one = {"a": Fraction(3), "b": Fraction(2), "c": Fraction(1)}
    assert kendall_tau(one, one) == 1
    assert kendall_tau(one, {"a": Fraction(1), "b": Fraction(2), "c": Fraction(3)}) == -1
    assert kendall_tau(one, {"a": Fraction(2), "b": Fraction(2), "c": Fraction(1)}) == Fraction("0.816496581")
    assert kendall_tau(one, dict.fromkeys(one, Fraction(1))) is None
