"""Means per configuration with their uncertainty, how firm the ranking is, and the failure rate's interval."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

import numpy as np

from assay.stats.resample import FEWEST, LEVEL, SAMPLES, draws, quantiles, too_few
from assay.stats.values import Estimate, Number, as_integers, fractions, mean, settled

Bounds = tuple[Number, Number]
NO_SPREAD = "every entry has the same value, so resampling shows no uncertainty"


@dataclass(frozen=True)
class ConfigurationMean:
    """One configuration: its exact mean with interval, its rank (1 = best; equal means share a rank) or None without
    scores, and the share of bootstrap samples in which it has that rank."""

    configuration: str
    mean: Estimate
    rank: int | None
    rank_share: Fraction | None


@dataclass(frozen=True)
class Neighbours:
    """Two configurations that follow each other in the ranking, and the share of bootstrap samples in which the upper
    one's mean is strictly higher."""

    upper: str
    lower: str
    share: Fraction


@dataclass(frozen=True)
class Means:
    """`configurations` best first (without scores last, equal means by name); `ranking_share` = share of bootstrap
    samples in which every configuration has its rank, None with fewer than two ranked configurations."""

    configurations: tuple[ConfigurationMean, ...]
    ranking_share: Fraction | None
    neighbours: tuple[Neighbours, ...]
    samples: int


@dataclass(frozen=True)
class Grid:
    """Entries x columns as integers: value = values / scale where present; holes are 0 in both. `means` are exact."""

    entries: tuple[str, ...]
    values: np.ndarray
    present: np.ndarray
    scale: int
    means: tuple[Fraction | None, ...]


def grid(columns: Mapping[str, Mapping[str, Number]]) -> Grid:
    """Return the columns, each entry -> value, as one table. Entries are sorted, so that no row order matters."""
    entries = tuple(sorted(set().union(*columns.values()))) if columns else ()
    place = {entry: row for row, entry in enumerate(entries)}
    cells = [(place[entry], at, value) for at, name in enumerate(columns) for entry, value in columns[name].items()]
    integers, scale = as_integers(value for _, _, value in cells)
    values, present = np.zeros((len(entries), len(columns))), np.zeros((len(entries), len(columns)))
    rows, at = np.array([row for row, _, _ in cells], dtype=int), np.array([at for _, at, _ in cells], dtype=int)
    values[rows, at], present[rows, at] = integers, 1.0
    return Grid(entries, values, present, scale, tuple(mean(column.values()) for column in columns.values()))


def studentised(table: Grid, weights: np.ndarray, bounds: Bounds | None) -> list[Estimate]:
    """Return each column's exact mean with its studentised bootstrap (bootstrap-t) 95 % interval.

    For each resample t = (m* - m) / (s* / sqrt(n*)); the interval is m - t(97.5 %) s / sqrt(n) to
    m - t(2.5 %) s / sqrt(n), cut at `bounds`, outside which no mean can lie (Efron and Tibshirani 1993, section 12.5).
    Resamples in which all values are equal have no t and are left out.
    """
    return [_column(table, column, weights, bounds) for column in range(table.values.shape[1])]


def _column(table: Grid, column: int, weights: np.ndarray, bounds: Bounds | None) -> Estimate:
    present = table.present[:, column] > 0
    values = table.values[present, column]
    n, exact = len(values), table.means[column]
    if exact is None:
        return Estimate(None, None, None, 0, "no scores")
    if n < FEWEST or values.min() == values.max():
        return Estimate(exact, None, None, n, too_few(n) if n < FEWEST else NO_SPREAD)
    # about a whole number near the mean: sums of squares stay small, and exact
    t, error = _studentised(values - np.round(values.mean()), weights[:, present])
    first, last = quantiles(t, (1 - LEVEL) / 2, (1 + LEVEL) / 2)
    low, high = (settled(float(exact) - edge * error / table.scale) for edge in (last, first))
    if bounds is not None:
        least, most = fractions(bounds)
        low, high = max(low, least), min(high, most)
    return Estimate(exact, low, high, n)


def _studentised(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Return t of each resample that has one, and the standard error of the mean of the values."""
    counts, sums, squares = weights.sum(axis=1), weights @ values, weights @ (values * values)
    spreads = counts * squares - sums * sums
    usable = (counts > 1) & (spreads > 1e-12 * counts * squares)
    counts, sums, spreads = counts[usable], sums[usable], spreads[usable]
    errors = np.sqrt(spreads / (counts * (counts - 1)) / counts)
    return (sums / counts - values.mean()) / errors, sqrt(values.var(ddof=1) / len(values))


def bootstrap_means(
    scores: Mapping[str, Mapping[str, Number]], seed: int, samples: int = SAMPLES, bounds: Bounds | None = (0, 10)
) -> Means:
    """Return means, intervals, ranking and its firmness by a bootstrap over entries.

    `scores`: configuration -> entry -> score, holes simply absent. The entries are the sampling unit: each of the
    `samples` resamples draws as many entries as there are, with replacement, and takes the same drawn entries for every
    configuration. A rank or order is counted only in resamples in which every ranked configuration has an entry.
    Deterministic for a seed and independent of the order of rows and configurations.
    """
    names = sorted(scores)
    table = grid({name: scores[name] for name in names})
    weights = draws(len(table.entries), seed, samples) if table.entries else np.zeros((samples, 0))
    estimates = dict(zip(names, studentised(table, weights, bounds), strict=True))
    exact = {name: estimate.value for name, estimate in estimates.items() if estimate.value is not None}
    order = sorted(exact, key=lambda name: (-exact[name], name))
    ranks = {name: 1 + sum(other > exact[name] for other in exact.values()) for name in order}
    counts, sums = weights @ table.present, weights @ table.values
    chosen = [names.index(name) for name in order]
    held = (counts[:, chosen] > 0).all(axis=1)
    # exact integers divided: equal means are equal floats, so ties are ties
    means = sums[held][:, chosen] / counts[held][:, chosen]
    same = 1 + (means[:, None, :] > means[:, :, None]).sum(axis=2) == np.array([ranks[name] for name in order])
    return Means(
        tuple(
            [
                ConfigurationMean(name, estimates[name], ranks[name], _share(same[:, at]))
                for at, name in enumerate(order)
            ]
            + [ConfigurationMean(name, estimates[name], None, None) for name in names if name not in exact]
        ),
        _share(same.all(axis=1)) if len(order) > 1 else None,
        tuple(
            Neighbours(order[at], order[at + 1], _share(means[:, at] > means[:, at + 1]))
            for at in range(len(order) - 1)
        ),
        samples,
    )


def _share(hits: np.ndarray) -> Fraction:
    return Fraction(int(hits.sum()), len(hits)) if len(hits) else Fraction(0)


def failure_rate(failures: int, scored: int) -> Estimate:
    """Return failures / scored with its Wilson score 95 % interval (Wilson 1927; Newcombe 1998, method 3).

    (p + z**2/2n -+ z sqrt(p(1-p)/n + z**2/4n**2)) / (1 + z**2/n), z = 1.959964. Raises ValueError unless
    0 <= failures <= scored.
    """
    if not 0 <= failures <= scored:
        raise ValueError(f"{failures} failures of {scored} scored captures")
    if scored == 0:
        return Estimate(None, None, None, 0, "no scored captures")
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    rate = failures / scored
    middle, half = rate + z * z / (2 * scored), z * sqrt(rate * (1 - rate) / scored + z * z / (4 * scored**2))
    low, high = (middle - half) / (1 + z * z / scored), (middle + half) / (1 + z * z / scored)
    return Estimate(Fraction(failures, scored), settled(max(0.0, low)), settled(min(1.0, high)), scored)
