"""Agreement of judges: values, cluster intervals, degenerate cases."""

import random
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from assay.stats import coefficients
from assay.stats.judges import agreement, category, largest_disagreements
from assay.stats.resample import draws
from assay.stats.values import Capture, Estimate

MEASURES = ["bias", "ratio", "pearson", "spearman", "kappa"]
PANEL = ["icc_single", "icc_average", "alpha"]


def made(entries: int, lanes: int = 3, seed: int = 1, judges: str = "AB") -> dict[str, dict[Capture, Decimal]]:
    source = random.Random(seed)
    quality = {(f"mode:{e:03}", f"c{k}"): source.gauss(7, 1.5) for e in range(entries) for k in range(lanes)}
    half = lambda value: Decimal(round(min(10, max(0, value)) * 2)) / 2  # noqa: E731
    return {judge: {c: half(q + source.gauss(0, 0.8)) for c, q in quality.items()} for judge in judges}


def estimates(found: object, names: list[str]) -> list[Estimate]:
    return [getattr(found, name) for name in names]


def test_a_constant_offset_is_bias_alone() -> None:
    scores = made(20)
    scores["B"] = {capture: score - Decimal("0.5") for capture, score in scores["A"].items()}
    (pair,) = agreement(scores, seed=1, samples=500).pairs
    assert [e.value for e in estimates(pair, MEASURES[:4])] == [Fraction(1, 2), 1, 1, 1]
    assert (pair.bias.low, pair.bias.high) == (Fraction(1, 2), Fraction(1, 2))
    assert pair.kappa.value < 1
    assert pair.captures == 60


def test_identical_judges_agree_fully() -> None:
    scores = made(20)
    scores["B"] = scores["A"]
    found = agreement(scores, seed=1, samples=500)
    assert [e.value for e in estimates(found.pairs[0], MEASURES)] == [0, 1, 1, 1, 1]
    assert [e.value for e in estimates(found.panel, PANEL)] == [1, 1, 1]


def test_intervals_contain_the_value_and_shrink_with_entries() -> None:
    few, many = (agreement(made(n), seed=1, samples=2000) for n in (12, 120))
    for name in MEASURES:
        narrow, wide = getattr(many.pairs[0], name), getattr(few.pairs[0], name)
        assert narrow.low < narrow.value < narrow.high
        assert narrow.high - narrow.low < wide.high - wide.low


def test_captures_of_an_entry_are_drawn_together() -> None:
    """Entries whose captures are copies of each other carry one entry's information, not three."""
    scores = made(30, lanes=1)
    copied = {
        judge: {(entry, lane): score for (entry, _), score in column.items() for lane in ("c0", "c1", "c2")}
        for judge, column in scores.items()
    }
    once, thrice = (agreement(table, seed=1, samples=1000).pairs[0].pearson for table in (scores, copied))
    assert (once.low, once.high) == (thrice.low, thrice.high)


def test_the_order_of_captures_changes_nothing() -> None:
    scores = made(15)
    turned = {judge: dict(reversed(column.items())) for judge, column in scores.items()}
    assert agreement(scores, seed=3, samples=300) == agreement(turned, seed=3, samples=300)


def test_every_statistic_of_a_resample_is_that_of_the_resampled_rows() -> None:
    scores = made(10)
    captures = sorted(scores["A"])
    x, y = (np.array([float(scores[judge][c]) for c in captures]) for judge in "AB")
    cluster = np.repeat(np.arange(10), 3)
    table = np.column_stack([x, y])
    pairs = [coefficients.mean_difference, coefficients.deviation_ratio, coefficients.pearson, coefficients.spearman]
    pairs += [coefficients.quadratic_kappa, coefficients.slope]
    for weights in draws(10, 5, 20):
        rows = np.concatenate([np.tile(np.flatnonzero(cluster == c), int(w)) for c, w in enumerate(weights)])
        rows = rows.astype(int)
        ones = np.ones((1, len(rows)))
        for function in pairs:
            assert function(x, y, cluster)(weights[None])[0] == pytest.approx(function(x[rows], y[rows])(ones)[0])
        for average in (False, True):
            ours = coefficients.icc(table, average, cluster)(weights[None])[0]
            assert ours == pytest.approx(coefficients.icc(table[rows], average)(ones)[0])
        for level in ("nominal", "ordinal", "interval", "ratio"):
            ours = coefficients.alpha(table, level, cluster)(weights[None])[0]
            assert ours == pytest.approx(coefficients.alpha(table[rows], level)(ones)[0])


def test_missing_scores_leave_pairs_iccs_and_alpha_their_own_captures() -> None:
    scores = made(20, judges="ABC")
    captures = sorted(scores["A"])
    for capture in captures[:6]:
        del scores["C"][capture]
    for capture in captures[:2]:
        del scores["B"][capture]
    found = agreement(scores, seed=1, samples=200)
    assert [(p.first, p.second, p.captures) for p in found.pairs] == [("A", "B", 58), ("A", "C", 54), ("B", "C", 54)]
    assert (found.panel.complete, found.panel.compared) == (54, 58)


@pytest.mark.parametrize(("score", "bin_number"), [("7.25", 15), ("7.24", 14), ("7.75", 16), ("0", 0), ("10", 20)])
def test_kappa_sorts_into_half_points_half_up(score: str, bin_number: int) -> None:
    assert category(Decimal(score)) == bin_number


def test_whole_point_categories_round_half_up() -> None:
    assert [category(Decimal(s), 1) for s in ("6.5", "7.5", "7.4")] == [7, 8, 7]


DEGENERATE = {
    "one judge never varies": {"A": [5, 6, 7, 8, 9, 9], "B": [7] * 6},
    "neither varies": {"A": [7] * 6, "B": [7] * 6},
    "neither varies, apart": {"A": [7] * 6, "B": [3] * 6},
    "one row": {"A": [5], "B": [6]},
    "two rows": {"A": [5, 6], "B": [6, 5]},
    "no rows": {"A": [], "B": []},
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_scores_give_a_reason_and_never_nan(name: str) -> None:
    scores = {j: {(f"m:{i}", "c"): v for i, v in enumerate(column)} for j, column in DEGENERATE[name].items()}
    found = agreement(scores, seed=1, samples=200)
    for part, names in ((found.pairs[0], MEASURES), (found.panel, PANEL)):
        for estimate in estimates(part, names):
            assert all(isinstance(getattr(estimate, f.name), Fraction | None) for f in fields(estimate)[:3])
            assert bool(estimate.reason) == (estimate.low is None)


def test_reasons_say_what_is_missing() -> None:
    flat = {j: {(f"m:{i}", "c"): v for i, v in enumerate(column)} for j, column in DEGENERATE["neither varies"].items()}
    found = agreement(flat, seed=1, samples=50)
    assert found.pairs[0].pearson.reason == "one of the judges gives every capture the same score"
    assert found.panel.alpha.reason == "no capture with two scores, or every score is the same"
    apart = {"A": {("m:1", "c"): 5}, "B": {("m:2", "c"): 5}}
    assert agreement(apart, seed=1, samples=50).pairs[0].bias.reason == "no capture was scored by both judges"


def test_one_judge_cannot_agree() -> None:
    with pytest.raises(ValueError, match="at least two judges"):
        agreement({"A": {}}, seed=1)


def test_the_largest_disagreements_come_first_in_a_fixed_order() -> None:
    scores = {
        "fidelity": {"A": {("m:1", "x"): 9, ("m:2", "x"): 5}, "B": {("m:1", "x"): 4, ("m:2", "x"): 8}},
        "soundness": {"A": {("m:1", "x"): 2, ("m:2", "x"): 5}, "B": {("m:1", "x"): 5, ("m:3", "x"): 8}},
    }
    found = largest_disagreements(scores, 3)
    assert [(d.criterion, d.entry, d.difference) for d in found] == [
        ("fidelity", "m:1", 5),
        ("soundness", "m:1", -3),
        ("fidelity", "m:2", -3),
    ]
    assert len(largest_disagreements(scores, 2)) == 2


def test_ordinal_alpha_of_the_middle_ranks_by_brute_force() -> None:
    ratings = np.array([[1.0, 2.0], [2.0, 2.0], [4.0, 1.0], [4.0, 4.0]])
    values = ratings.ravel()
    count = {v: int((values == v).sum()) for v in np.unique(values)}

    def distance(v: float, w: float) -> float:
        low, high = sorted((v, w))
        return (sum(n for g, n in count.items() if low <= g <= high) - (count[v] + count[w]) / 2) ** 2

    observed = np.mean([distance(v, w) for v, w in ratings])
    pairs = [(i, j) for i, j in product(range(8), repeat=2) if i != j]
    expected = np.mean([distance(values[i], values[j]) for i, j in pairs])
    found = coefficients.alpha(ratings, "ordinal")(np.ones((1, 4)))[0]
    assert found == pytest.approx(1 - observed / expected, abs=1e-14)
