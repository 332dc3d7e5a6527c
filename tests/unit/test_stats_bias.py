"""Self-preference, family favour, length and halo: planted effects are found, absent ones are not."""

import random
from decimal import Decimal
from fractions import Fraction

import pytest

from assay.stats.association import halo, length_effect
from assay.stats.bias import against_others, family_favour, self_preference
from assay.stats.values import Capture

LANES = ["own-a", "own-b", "both", "free-1", "free-2"]
CONTAINS = {"own-a": ["A"], "own-b": ["B"], "both": ["A", "B"], "free-1": [], "free-2": []}


def half(value: float) -> Decimal:
    return Decimal(round(min(10, max(0, value)) * 2)) / 2


def made(favour: dict[tuple[str, str], float], entries: int = 60, seed: int = 1) -> dict[str, dict[Capture, Decimal]]:
    """Two judges' scores; `favour` adds points to (judge, configuration or family)."""
    source = random.Random(seed)
    table: dict[str, dict[Capture, Decimal]] = {"A": {}, "B": {}}
    for number in range(entries):
        family = ["mode", "visual", "lens"][number % 3]
        for lane in LANES:
            quality = source.gauss(6, 1)
            for judge in table:
                extra = favour.get((judge, lane), 0) + favour.get((judge, family), 0)
                table[judge][f"{family}:{number:02}", lane] = half(quality + source.gauss(0, 0.5) + extra)
    return table


def families(scores: dict[str, dict[Capture, Decimal]]) -> dict[str, str]:
    return {entry: entry.partition(":")[0] for entry, _ in scores["A"]}


def test_a_planted_self_preference_is_measured() -> None:
    a, _ = self_preference(made({("A", "own-a"): 1.0}), CONTAINS, seed=1, samples=2000)
    assert (a.own, a.others, a.left_out) == (("own-a",), ("free-1", "free-2"), ("both", "own-b"))
    assert a.effect.low < 1 < a.effect.high
    assert a.p < Fraction(1, 100)


def test_without_a_self_preference_about_one_in_twenty_is_found_by_chance() -> None:
    found = [
        row
        for seed in range(60)
        for row in self_preference(made({}, entries=25, seed=seed), CONTAINS, seed=1, samples=400)
    ]
    by_p = sum(row.p < Fraction(5, 100) for row in found)
    by_interval = sum(not row.effect.low < 0 < row.effect.high for row in found)
    assert 1 <= by_p <= 14  # 6 of 120 expected
    assert 1 <= by_interval <= 16


def test_a_judge_that_is_generous_everywhere_does_not_favour_itself() -> None:
    everywhere = {("A", lane): 1.0 for lane in LANES}
    a, _ = self_preference(made(everywhere), CONTAINS, seed=1, samples=2000)
    assert a.effect.low < 0 < a.effect.high


def test_the_effect_is_an_exact_difference_in_differences() -> None:
    scores = {
        "A": {("m:1", "own-a"): Decimal(9), ("m:1", "free-1"): Decimal(5), ("m:1", "free-2"): Decimal(6)},
        "B": {("m:1", "own-a"): Decimal(7), ("m:1", "free-1"): Decimal(5), ("m:1", "free-2"): Decimal(5)},
    }
    a, _ = self_preference(scores, CONTAINS, seed=1, samples=10)
    assert a.effect.value == Fraction(2) - Fraction(1, 2)


def test_configurations_with_both_models_cannot_show_a_self_preference() -> None:
    a, _ = self_preference(made({}), {"both": ["A", "B"], "free-1": [], "free-2": []}, seed=1, samples=50)
    assert (a.effect.value, a.p) == (None, None)
    assert a.effect.reason == "there is no configuration with this judge's model alone to compare"
    a, _ = self_preference(made({}), {"own-a": ["A"], "own-b": ["B"]}, seed=1, samples=50)
    assert a.effect.reason == "there is no configuration without any judge's model to compare"


def test_gaps_are_against_the_mean_of_the_other_judges() -> None:
    scores = {"A": {("m:1", "x"): 9, ("m:2", "x"): 1}, "B": {("m:1", "x"): 6}, "C": {("m:1", "x"): 7}}
    assert against_others("A", scores) == {("m:1", "x"): Fraction(5, 2)}
    assert against_others("A", {"A": {("m:1", "x"): 9}}) == {}


def test_a_planted_family_favour_is_measured() -> None:
    scores = made({("B", "visual"): 0.8})
    found = {(row.judge, row.family): row for row in family_favour(scores, families(scores), seed=1, samples=2000)}
    assert len(found) == 6
    visual = found["B", "visual"]
    assert visual.effect.low < Fraction(8, 10) < visual.effect.high
    assert visual.p_holm < Fraction(5, 100)
    # with two judges the one's favour is the other's disfavour
    assert found["A", "visual"].effect.value == -visual.effect.value
    assert found["A", "visual"].gap == -visual.gap


def test_no_family_favour_without_one() -> None:
    scores = made({})
    rows = family_favour(scores, families(scores), seed=1, samples=2000)
    assert all(row.p_holm > Fraction(5, 100) and row.effect.low < 0 < row.effect.high for row in rows)


def test_a_family_of_one_entry_has_a_value_and_a_reason_instead_of_an_interval() -> None:
    scores = made({}, entries=9)
    labels = dict.fromkeys(families(scores), "mode") | {"lens:02": "lens"}
    lens = next(row for row in family_favour(scores, labels, seed=1, samples=200) if row.family == "lens")
    assert lens.effect.value is not None
    assert lens.effect.reason == "too few entries for an interval (1, at least 5)"


def test_a_single_family_cannot_be_favoured() -> None:
    scores = made({}, entries=6)
    rows = family_favour(scores, dict.fromkeys(families(scores), "mode"), seed=1, samples=50)
    assert {(row.effect.value, row.p, row.p_holm) for row in rows} == {(None, None, None)}
    assert rows[0].effect.reason == "there are no entries of this family, or of any other, to compare"


def test_a_planted_taste_for_length_is_measured_within_configurations() -> None:
    source = random.Random(3)
    scores: dict[str, dict[Capture, Decimal]] = {"A": {}, "B": {}}
    lengths: dict[Capture, int] = {}
    for number in range(80):
        for lane, usual in (("short", 9), ("long", 13)):
            doublings = source.gauss(0, 1)
            lengths[f"m:{number}", lane] = round(2 ** (usual + doublings))
            base = 6.0 if lane == "long" else 7.0  # between configurations, the longer one is worse
            scores["A"][f"m:{number}", lane] = half(base + 0.6 * doublings + source.gauss(0, 0.4))
            scores["B"][f"m:{number}", lane] = half(base + source.gauss(0, 0.8))
    a, b = length_effect(scores, lengths, seed=1, samples=1000)
    assert a.slope.low < Fraction(6, 10) < a.slope.high
    assert a.spearman.low > Fraction(5, 10)
    assert b.slope.low < 0 < b.slope.high
    assert [(row.configuration, row.captures) for row in a.by_configuration] == [("long", 80), ("short", 80)]


def test_empty_answers_and_equal_lengths_are_no_crash() -> None:
    scores = {"A": {(f"m:{i}", "x"): Decimal(i) for i in range(8)}}
    (found,) = length_effect(scores, {(f"m:{i}", "x"): 0 for i in range(8)}, seed=1, samples=50)
    assert (found.spearman.value, found.by_configuration) == (None, ())
    (found,) = length_effect(scores, {(f"m:{i}", "x"): 500 for i in range(8)}, seed=1, samples=50)
    assert found.slope.reason == "no configuration in which lengths differ"
    assert found.by_configuration[0].spearman is None


def test_halo_is_high_for_one_verdict_in_five_and_low_for_five_verdicts() -> None:
    source = random.Random(2)
    captures = [(f"m:{i}", lane) for i in range(40) for lane in "xy"]
    names = ["fidelity", "soundness", "relevance"]
    verdict = {c: source.gauss(6, 1.5) for c in captures}
    single = {name: {c: half(verdict[c] + source.gauss(0, 0.3)) for c in captures} for name in names}
    several = {name: {c: half(source.gauss(6, 1.5)) for c in captures} for name in names}
    high, low = (halo("A", table, seed=1, samples=500) for table in (single, several))
    assert high.mean.low > Fraction(9, 10)
    assert low.mean.low < 0 < low.mean.high
    assert [pair[:2] for pair in high.correlations] == [
        ("fidelity", "soundness"),
        ("fidelity", "relevance"),
        ("soundness", "relevance"),
    ]
    assert float(high.mean.value) == pytest.approx(float(sum(r for _, _, r in high.correlations)) / 3, abs=1e-8)


def test_halo_without_variance_has_a_reason() -> None:
    found = halo("A", {name: {(f"m:{i}", "x"): 7 for i in range(6)} for name in ("f", "s")}, seed=1, samples=50)
    assert found.correlations == (("f", "s", None),)
    assert found.mean.reason == "no two criteria whose scores both differ between captures"
    assert halo("A", {}, seed=1, samples=50).mean.value is None
