"""Means per configuration: exact values, intervals, ranking."""

import random
import subprocess
import sys
import time
import tracemalloc
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from assay.stats import DEFINITIONS
from assay.stats.means import bootstrap_means, failure_rate
from assay.stats.resample import draws, expanded_tail
from assay.stats.values import as_integers, settled

SCRIPTS = Path(__file__).parents[2] / "scripts"
SIX = ["a", "b", "c", "d", "e", "f"]


def made_scores(entries: int, names: list[str], seed: int = 1) -> dict[str, dict[str, Decimal]]:
    source = random.Random(seed)
    base = {f"mode:{i:03}": source.gauss(7.5, 1) for i in range(entries)}
    return {
        name: {e: Decimal(round(min(10, max(0, base[e] + source.gauss(0.3 * k, 1))) * 10000)) / 10000 for e in base}
        for k, name in enumerate(names)
    }


def test_means_are_exact_and_ranked_best_first() -> None:
    found = bootstrap_means({"x": {"m:a": Decimal("7.1"), "m:b": Decimal("7.2"), "m:c": 7}, "y": {"m:a": 9}}, seed=1)
    assert [(row.configuration, row.mean.value, row.rank) for row in found.configurations] == [
        ("y", Fraction(9), 1),
        ("x", Fraction(71, 10), 2),
    ]


def test_equal_means_share_a_rank_and_stand_by_name() -> None:
    column = {f"m:{i}": Decimal(i) for i in range(6)}
    found = bootstrap_means({"b": column, "a": column, "low": dict.fromkeys(column, 0)}, seed=1, samples=500)
    assert [(row.configuration, row.rank) for row in found.configurations] == [("a", 1), ("b", 1), ("low", 3)]
    # the two columns are equal in every resample: exact sums never break a tie
    assert found.neighbours[0].share == 0
    assert found.configurations[0].rank_share == 1


def test_equal_sums_of_different_decimals_are_ties_in_every_resample() -> None:
    one = {f"m:{i}": Decimal("0.1") * (i + 1) for i in range(7)}
    other = {entry: value * 3 / 3 for entry, value in one.items()}
    found = bootstrap_means({"one": one, "other": {e: Fraction(v) for e, v in other.items()}}, seed=3, samples=2000)
    assert [row.rank_share for row in found.configurations] == [1, 1]


def test_same_bytes_whatever_the_order_of_rows_and_configurations() -> None:
    scores = made_scores(30, SIX)
    turned = {name: dict(reversed(scores[name].items())) for name in reversed(SIX)}
    assert bootstrap_means(scores, seed=5) == bootstrap_means(turned, seed=5)


def test_another_seed_gives_another_but_close_interval() -> None:
    one, other = (bootstrap_means(made_scores(50, ["a"]), seed).configurations[0].mean for seed in (1, 2))
    assert one.value == other.value
    assert one.low != other.low
    assert abs(one.low - other.low) < Fraction(5, 100)


def test_draws_are_fixed_numbers_for_a_seed() -> None:
    """Raw generator numbers are stable across numpy versions and machines; a change here changes published reports."""
    assert draws(6, 20260101, 3).astype(int).tolist() == [[0, 1, 2, 0, 2, 1], [1, 3, 0, 1, 1, 0], [2, 1, 2, 0, 0, 1]]


def test_draws_take_every_unit_equally_often() -> None:
    counts = draws(12, 7, 10_000)
    assert (counts.sum(axis=1) == 12).all()
    assert np.abs(counts.mean(axis=0) - 1).max() < 0.05
    assert counts.var() == pytest.approx(11 / 12, abs=0.02)


def test_interval_is_that_of_students_t_for_normal_scores() -> None:
    source = random.Random(4)
    scores = {"x": {f"m:{i}": Decimal(round(source.gauss(5, 1) * 1000)) / 1000 for i in range(150)}}
    mean = bootstrap_means(scores, seed=1).configurations[0].mean
    values = np.array([float(v) for v in scores["x"].values()])
    half = 1.976 * values.std(ddof=1) / np.sqrt(150)
    assert float(mean.low) == pytest.approx(values.mean() - half, abs=0.02)
    assert float(mean.high) == pytest.approx(values.mean() + half, abs=0.02)


def test_interval_never_leaves_the_scale() -> None:
    scores = {"x": {f"m:{i}": Decimal(10) if i else Decimal("9.5") for i in range(12)}}
    mean = bootstrap_means(scores, seed=1).configurations[0].mean
    assert 0 <= mean.low < mean.value < mean.high <= 10


def test_the_mean_stays_exact_where_resampling_has_to_round() -> None:
    column = {f"m:{i}": i + Fraction(1, p) for i, p in enumerate((999983, 999979, 999961, 999959, 999953))}
    mean = bootstrap_means({"x": column}, seed=1, samples=500).configurations[0].mean
    assert mean.value == sum(column.values()) / 5
    assert mean.low <= mean.value <= mean.high


def test_holes_keep_a_configuration_in_the_ranking() -> None:
    scores = made_scores(40, ["a", "b"])
    scores["b"] = dict(list(scores["b"].items())[:25])
    found = {row.configuration: row.mean for row in bootstrap_means(scores, seed=1).configurations}
    assert (found["a"].n, found["b"].n) == (40, 25)
    assert found["b"].value == sum(map(Fraction, scores["b"].values())) / 25
    assert found["b"].low < found["b"].value < found["b"].high


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ({}, "no scores"),
        ({"m:1": 5}, "too few entries for an interval (1, at least 5)"),
        ({f"m:{i}": 10 for i in range(8)}, "every entry has the same value, so resampling shows no uncertainty"),
    ],
)
def test_what_has_no_interval_says_why(column: dict[str, int], reason: str) -> None:
    found = bootstrap_means({"x": column}, seed=1, samples=100)
    (row,) = found.configurations
    assert (row.mean.low, row.mean.high, row.mean.reason) == (None, None, reason)
    assert (row.rank is None) == (not column)
    assert found.ranking_share is None


def test_nothing_at_all_gives_an_empty_table() -> None:
    assert bootstrap_means({}, seed=1, samples=10).configurations == ()


def test_ranking_share_falls_when_configurations_are_close() -> None:
    clear = bootstrap_means({"a": {f"m:{i}": 8 + i % 2 for i in range(40)}, "b": {f"m:{i}": 3 for i in range(40)}}, 1)
    assert clear.ranking_share == 1
    close = bootstrap_means(made_scores(20, ["a", "b"], seed=9) | {"c": made_scores(20, ["a"], seed=9)["a"]}, 1)
    assert close.ranking_share < 1


def test_shares_are_counts_of_samples() -> None:
    found = bootstrap_means(made_scores(15, SIX), seed=2, samples=1000)
    assert all((row.rank_share * 1000).denominator == 1 for row in found.configurations)
    assert found.ranking_share <= min(row.rank_share for row in found.configurations)


def test_the_full_grid_takes_under_two_seconds_and_200_megabytes() -> None:
    scores = made_scores(196, SIX)
    start = time.process_time()
    bootstrap_means(scores, seed=1)
    assert time.process_time() - start < 2
    tracemalloc.start()
    bootstrap_means(scores, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6


def test_binary_floats_and_non_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="exact decimals"):
        bootstrap_means({"x": {"m:a": 7.5}}, seed=1)
    with pytest.raises(ValueError, match="not a finite score"):
        bootstrap_means({"x": {"m:a": Decimal("NaN")}}, seed=1)


def test_scaled_integers_are_exact_and_bounded() -> None:
    integers, scale = as_integers([Decimal("7.25"), Fraction(1, 3), 2])
    assert [Fraction(int(i), scale) for i in integers] == [Fraction(29, 4), Fraction(1, 3), Fraction(2)]
    primes = [Fraction(1, p) for p in (999983, 999979, 999961, 999959)]
    integers, scale = as_integers(primes)
    assert int(np.abs(integers).sum()) < 2**53
    assert all(
        abs(Fraction(int(i), scale) - p) <= Fraction(1, 2 * scale) for i, p in zip(integers, primes, strict=True)
    )


def test_settled_numbers_have_nine_decimals() -> None:
    assert settled(0.1 + 0.2) == Fraction(3, 10)
    with pytest.raises(ValueError, match="not a finite number"):
        settled(float("nan"))


@pytest.mark.parametrize(("failures", "scored"), [(-1, 5), (6, 5)])
def test_impossible_failure_counts_are_refused(failures: int, scored: int) -> None:
    with pytest.raises(ValueError, match=f"{failures} failures of {scored}"):
        failure_rate(failures, scored)


def test_failure_rate_of_nothing_has_no_value() -> None:
    assert failure_rate(0, 0).reason == "no scored captures"


def test_failure_rate_keeps_to_zero_and_one() -> None:
    assert failure_rate(0, 12).low == 0
    assert failure_rate(12, 12).high == 1


def test_expanded_tail_is_narrower_for_few_units_and_two_and_a_half_percent_for_many() -> None:
    assert expanded_tail(5) < expanded_tail(12) < expanded_tail(50) < 0.025
    assert expanded_tail(100_000) == pytest.approx(0.025, abs=1e-5)


def test_every_definition_names_its_source() -> None:
    assert all(text.endswith(".") for text in DEFINITIONS.values())
    unsourced = [key for key, text in DEFINITIONS.items() if not any(str(y) in text for y in range(1890, 2027))]
    assert unsourced == ["deviation_ratio"]


def test_definitions_are_read_without_numpy() -> None:
    code = f"import sys; sys.path.insert(0, {str(SCRIPTS)!r}); import assay.stats; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
