"""Scoring: exact, independent of order, strict at the threshold, and rounded once, for the public."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.protocol import read_protocol
from assay.scoring.aggregate import COUNTS, summarise, summary_columns
from assay.scoring.average import answered, average, averaged_columns, unjudged
from assay.scoring.cap import cap, weighted_sum
from assay.scoring.classify import classify, ledger_columns
from assay.scoring.numbers import exact, mean, public, round_half_up, text

PROTOCOL = read_protocol("performance")
CRITERIA = [criterion["id"] for criterion in PROTOCOL["criteria"]]
ROUNDING = PROTOCOL["rounding"]
JUDGES = ["big1", "big2"]
SCORES = st.decimals(min_value=0, max_value=10, places=3)
FIVE = st.lists(SCORES, min_size=5, max_size=5)


def verdict(scores, **changes):
    return {
        "format": "assay-verdict-1",
        "scores": dict(zip(CRITERIA, scores, strict=True)),
        "notes": {c: f"note on {c}" for c in CRITERIA},
        "impression": "fine",
        "exchange": "e" * 64,
        "packet_sha256": "p" * 64,
        **changes,
    }


CAPTURE = {
    "entry": "mode:a",
    "family": "mode",
    "id": "a",
    "configuration": "big",
    "cost_usd": "0.1",
    "minutes": "",
    "answer_characters": "12",
    "flags": "addresses-judge chat-template",
}


def scored(first, second, weights=None, capping="fidelity"):
    row = average(CAPTURE, {"big1": verdict(first), "big2": verdict(second)}, JUDGES, CRITERIA)
    return cap(row, weights or PROTOCOL["criteria"], capping)


@given(FIVE, FIVE)
def test_averages_are_the_exact_means_and_do_not_depend_on_which_judge_is_which(first, second):
    row = scored(first, second)
    for criterion, a, b in zip(CRITERIA, first, second, strict=True):
        assert Decimal(row[criterion]) == (a + b) / 2
    other = scored(second, first)
    assert [other[c] for c in (*CRITERIA, "weighted", "overall", "capped")] == [
        row[c] for c in (*CRITERIA, "weighted", "overall", "capped")
    ]


@given(FIVE, FIVE)
def test_overall_is_the_exact_weighted_sum_capped_at_fidelity(first, second):
    row = scored(first, second)
    means = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    weights = [Decimal(text) for text in ("0.35", "0.25", "0.18", "0.12", "0.10")]
    weighted = sum(w * m for w, m in zip(weights, means, strict=True))
    assert Decimal(row["weighted"]) == weighted
    assert Decimal(row["overall"]) == min(weighted, means[0])
    assert row["capped"] == ("yes" if means[0] < weighted else "no")


@given(FIVE)
def test_overall_is_never_above_fidelity_and_stays_on_the_scale(scores):
    row = scored(scores, scores)
    assert 0 <= Decimal(row["overall"]) <= Decimal(row["fidelity"]) <= 10


def test_without_a_cap_overall_is_the_weighted_score():
    row = scored([0, 10, 10, 10, 10], [0, 10, 10, 10, 10], capping=None)
    assert (row["weighted"], row["overall"], row["capped"]) == ("6.5", "6.5", "no")


@given(st.lists(st.fractions(), max_size=8), st.randoms())
def test_a_mean_does_not_depend_on_order(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    assert mean(shuffled) == mean(values)


def test_weights_are_applied_to_the_criterion_they_name():
    scores = {"a": Fraction(1), "b": Fraction(2)}
    assert weighted_sum(scores, {"b": Fraction(1, 4), "a": Fraction(3, 4)}) == Fraction(5, 4)


@pytest.mark.parametrize(
    ("overall", "threshold", "failure"),
    [
        ("4", "4.0", "no"),
        ("4.0", "4", "no"),
        ("3.999999999999", "4.0", "yes"),
        ("4.000000000001", "4.0", "no"),
        ("0", "0", "no"),
        ("10", "10", "no"),
        ("4.45", "4.5", "yes"),
    ],
)
def test_a_failure_is_strictly_under_the_threshold(overall, threshold, failure):
    assert classify({"overall": overall}, threshold)["failure"] == failure


def test_no_column_of_the_ledger_stands_twice():
    columns = ledger_columns([*averaged_columns(JUDGES, CRITERIA), "weighted", "overall", "capped"], CRITERIA)
    assert len(columns) == len(set(columns))
    start = columns.index("calibration")
    assert columns[start : start + 6] == ["calibration", "weighted", "overall", "capped", "failure", "flags"]
    assert set(scored([1] * 5, [2] * 5)) | {"failure"} == set(columns)


def test_both_judges_words_and_flags_are_kept():
    notes = {c: f"second on {c}" for c in CRITERIA}
    second = verdict([1] * 5, notes=notes, impression="poor")
    row = average(CAPTURE, {"big1": verdict([2] * 5), "big2": second}, JUDGES, CRITERIA)
    assert row["big1_note_fidelity"] == "note on fidelity" and row["big2_note_fidelity"] == "second on fidelity"
    assert (row["big1_impression"], row["big2_impression"]) == ("fine", "poor")
    assert row["flags"] == "addresses-judge chat-template"
    assert (row["cost_usd"], row["minutes"]) == ("0.1", "")


def test_a_missing_verdict_is_listed_with_its_reason():
    none = {"format": "assay-no-verdict-1", "state": "invalid", "reason": "asked 3 times"}
    assert unjudged(CAPTURE, {"big1": verdict([1] * 5), "big2": none}) == [
        {"entry": "mode:a", "configuration": "big", "judge": "big2", "state": "invalid", "reason": "asked 3 times"}
    ]


def test_answering_models_are_counted_by_the_name_they_gave():
    common = {"judge": "big1", "route": "openai-chat", "judge_model": "m", "provider": "p", "fingerprint": ""}
    common |= {"repairs": [], "asks": 1}
    given_ = [
        {**common, "model_answered": "m-1", "judged_on": "2026-01-02", "cost_usd": Decimal("0.10")},
        {**common, "model_answered": "m-1", "judged_on": "2026-01-01", "cost_usd": None, "asks": 2},
        {**common, "model_answered": "m-2", "judged_on": "2026-01-03", "cost_usd": 1, "repairs": ["code fence"]},
    ]
    first, second = answered(given_)
    assert (first["verdicts"], first["first_day"], first["last_day"]) == ("2", "2026-01-01", "2026-01-02")
    assert (first["cost_usd"], first["unknown_cost"], first["asked_again"], first["repaired"]) == ("0.1", "1", "1", "0")
    assert (second["model_answered"], second["cost_usd"], second["repaired"]) == ("m-2", "1", "1")


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        ("0.05", 1, "0.1"),
        ("0.049999", 1, "0.0"),
        ("0.15", 1, "0.2"),
        ("0.25", 1, "0.3"),
        ("3.95", 1, "4.0"),
        ("3.949999999999", 1, "3.9"),
        ("9.95", 1, "10.0"),
        ("1.005", 2, "1.01"),
        ("2.675", 2, "2.68"),
        ("0.5", 0, "1"),
        ("1.5", 0, "2"),
        ("2.5", 0, "3"),
        ("12.5", 0, "13"),
        ("12.49", 0, "12"),
        ("0", 0, "0"),
        ("0", 1, "0.0"),
        ("-0.04", 1, "0.0"),
        ("-0.05", 1, "-0.1"),
        ("1000000000.05", 1, "1000000000.1"),
    ],
)
def test_halves_are_rounded_up_from_the_exact_value(value, decimals, shown):
    assert round_half_up(exact(value), decimals) == shown


@given(st.fractions(min_value=-100, max_value=100), st.integers(0, 4))
def test_rounding_is_never_off_by_more_than_half_a_unit(value, decimals):
    shown = round_half_up(value, decimals)
    assert abs(Fraction(Decimal(shown)) - value) <= Fraction(1, 2 * 10**decimals)
    assert len(shown.partition(".")[2]) == decimals
    assert not shown.startswith("-0") or Decimal(shown) != 0


@given(st.decimals(min_value=-(10**9), max_value=10**9, places=12))
def test_a_number_whose_decimals_end_is_written_exactly(number):
    assert exact(text(exact(str(number)))) == exact(str(number))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(1, 3), "0.333333333333"),
        (Fraction(2, 3), "0.666666666667"),
        (Fraction(1, 7) * 7, "1"),
        (Fraction(1, 2**10), "0.0009765625"),
        (Fraction(0), "0"),
        (Fraction(100), "100"),
        (None, ""),
    ],
)
def test_other_numbers_are_written_with_twelve_decimals(value, shown):
    assert text(value) == shown


def test_what_is_unknown_says_so():
    assert public(None, 1) == "unknown"


def rows(*overalls, cost="1", minutes="1"):
    amounts = {"cost_usd": cost, "minutes": minutes}
    found = [{**dict.fromkeys(CRITERIA, overall), "overall": overall, **amounts} for overall in overalls]
    return [classify(row, "4.0") for row in found]


@given(st.lists(st.decimals(min_value=0, max_value=10, places=2).map(str), min_size=1, max_size=8), st.randoms())
def test_a_summary_does_not_depend_on_the_order_of_rows(overalls, random):
    first = rows(*overalls)
    second = list(first)
    random.shuffle(second)
    assert summarise(first, {}, CRITERIA, ROUNDING) == summarise(second, {}, CRITERIA, ROUNDING)


@pytest.mark.parametrize(
    ("overalls", "column", "shown"),
    [
        (["3.9", "4.0"], "public_mean_overall", "4.0"),
        (["3.9", "4.0"], "mean_overall", "3.95"),
        (["0.1", "0"], "public_mean_overall", "0.1"),
        (["1", "5", "5", "5", "5", "5", "5", "5"], "public_failure_rate", "13"),
        (["1", "5", "5", "5", "5", "5", "5", "5"], "failure_rate", "0.125"),
        (["4", "4"], "public_failure_rate", "0"),
        (["1", "2", "5"], "failure_rate", "0.666666666667"),
        (["1", "2", "5"], "public_failure_rate", "67"),
    ],
)
def test_public_numbers_are_rounded_from_exact_ones(overalls, column, shown):
    assert summarise(rows(*overalls), {}, CRITERIA, ROUNDING)[column] == shown


@pytest.mark.parametrize(
    ("cost", "minutes", "dollars", "time"),
    [
        ("0.105", "0.05", "11", "0.1"),
        ("0.104999", "1.049", "10", "1.0"),
        ("0.005", "2.25", "1", "2.3"),
        ("0", "0", "0", "0.0"),
    ],
)
def test_cost_is_in_whole_dollars_per_100_and_minutes_have_one_decimal(cost, minutes, dollars, time):
    found = summarise(rows("5", "6", cost=cost, minutes=minutes), {}, CRITERIA, ROUNDING)
    assert (found["public_cost_per_100_usd"], found["public_mean_minutes"]) == (dollars, time)


def test_one_unknown_amount_makes_the_mean_unknown_and_is_counted():
    found = summarise([*rows("5"), *rows("6", cost="")], {}, CRITERIA, ROUNDING)
    assert (found["public_cost_per_100_usd"], found["cost_per_100_usd"], found["unknown_cost"]) == ("unknown", "", "1")
    assert (found["public_mean_minutes"], found["unknown_minutes"]) == ("1.0", "0")


def test_a_configuration_without_judged_captures_has_no_numbers_and_no_rate():
    found = summarise([], {"unscorable": 2}, CRITERIA, ROUNDING)
    assert (found["judged"], found["unscorable"], found["failures"]) == ("0", "2", "0")
    assert found["public_failure_rate"] == found["public_mean_overall"] == "unknown"


def test_every_statistic_of_phase_6_has_a_column():
    columns = summary_columns(CRITERIA)
    assert len(columns) == len(set(columns))
    for name in ("overall", *CRITERIA):
        assert {f"mean_{name}", f"public_mean_{name}"} <= set(columns)
    assert {"failure_rate", "cost_per_100_usd", "mean_minutes", *COUNTS} <= set(columns)
    assert set(summarise(rows("5"), {}, CRITERIA, ROUNDING)) | {"configuration", "title"} == set(columns)
