"""The Strategy panel: four cases, and both sides of exactly 15."""

import itertools

import pytest
from fivejudge_cases import PROTOCOL, D
from hypothesis import given
from hypothesis import strategies as st

from assay.fivejudge.panel import check_families, panel
from assay.problems import UserError

CASES = [
    # three scores, case, score
    (("70", "80", "85"), 1, "80"),
    (("70", "75", "85"), 1, "75"),  # exactly 15 is within
    (("70", "70", "70"), 1, "70"),
    (("70", "75", "85.01"), 4, "75"),  # 70 and 75, 75 and 85.01 are within 15 of each other
    (("50", "70", "80"), 2, "75"),  # 50 is more than 15 from both
    (("50", "65", "80"), 4, "65"),  # exactly 15 each way
    (("50", "65.01", "80"), 2, "72.505"),
    (("50", "64.99", "80"), 2, "57.495"),  # now 80 is the outlier
    (("60", "70", "90"), 2, "65"),
    (("40", "60", "80"), 3, "50"),  # mean 60 less 10
    (("40", "55", "80"), 2, "47.5"),  # 40 and 55 are exactly 15 apart
    (("40", "55.01", "80"), 3, "48.336667"),  # mean 58.336667
    (("0", "16", "32"), 3, "6"),
    (("0", "15.5", "31"), 3, "5.5"),
    (("0", "0", "16"), 2, "0"),
]


@pytest.mark.parametrize(("scores", "case", "score"), CASES)
def test_panel_case(scores, case, score):
    for order in itertools.permutations(scores):
        made = panel(dict(zip("xyz", map(D, order), strict=True)), PROTOCOL)
        assert (made.case, made.score) == (case, D(score))


def test_row_all_three_within_15_use_the_median():
    assert panel({"x": D(60), "y": D(75), "z": D(61)}, PROTOCOL).score == 61


def test_row_one_outlier_is_discarded_and_named():
    made = panel({"x": D(20), "y": D(75), "z": D(61)}, PROTOCOL)
    assert (made.score, made.dropped, made.flags) == (68, "x", ())


def test_row_all_three_disagree_is_flagged_and_loses_10():
    made = panel({"x": D(20), "y": D(90), "z": D(55)}, PROTOCOL)
    assert (made.score, made.flags) == (45, ("adjudicate",))


def test_what_is_left_is_flagged_spread():
    assert panel({"x": D(50), "y": D(60), "z": D(70)}, PROTOCOL).flags == ("spread",)


def test_disagreement_never_goes_under_0():
    low = {"panel": {"size": 3, "within": 1, "disagreement_deduction": 10}}
    assert panel({"x": D(0), "y": D(3), "z": D(6)}, low).score == 0


def test_missing_member_leaves_the_run_incomplete():
    made = panel({"x": D(50), "y": None, "z": D(70)}, PROTOCOL)
    assert made.score is None and "y" in made.text


def test_panel_of_two_is_an_error():
    with pytest.raises(ValueError, match="3 members"):
        panel({"x": D(50), "y": D(60)}, PROTOCOL)


def test_three_families_are_needed():
    check_families({"a": "one", "b": "two", "c": "three"}, PROTOCOL)
    for families in ({"a": "one", "b": "two", "c": "two"}, {"a": "one", "b": "two"}):
        with pytest.raises(UserError, match="3 different families"):
            check_families(families, PROTOCOL)


@given(st.lists(st.decimals(0, 100, places=2), min_size=3, max_size=3))
def test_score_lies_within_the_scores_except_for_the_deduction(scores):
    made = panel(dict(zip("abc", scores, strict=True)), PROTOCOL)
    assert made.case in (1, 2, 3, 4)
    assert max(D(0), min(scores) - 10) <= made.score <= max(scores)
