"""What a judge's scores go along with: the length of the answer, and one another (halo)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from assay.stats import coefficients
from assay.stats.judges import clusters, weights_for
from assay.stats.resample import AGREEMENT_SAMPLES, Statistic, estimate, point
from assay.stats.values import Capture, Estimate, Number, settled


@dataclass(frozen=True)
class LengthInConfiguration:
    """Rank correlation and slope (points per doubling of the length) within one configuration, None if undefined."""

    configuration: str
    captures: int
    spearman: Fraction | None
    slope: Fraction | None


@dataclass(frozen=True)
class LengthEffect:
    """One judge: mean rank correlation over configurations, and pooled slope in points per doubling of the length."""

    judge: str
    spearman: Estimate
    slope: Estimate
    by_configuration: tuple[LengthInConfiguration, ...]


@dataclass(frozen=True)
class Halo:
    """One judge: the correlation of every two criteria as (criterion, criterion, r or None if a criterion never
    varies), and their mean, over the `captures` scored on every criterion."""

    judge: str
    captures: int
    correlations: tuple[tuple[str, str, Fraction | None], ...]
    mean: Estimate


def length_effect(
    scores: Mapping[str, Mapping[Capture, Number]],
    lengths: Mapping[Capture, int],
    seed: int,
    samples: int = AGREEMENT_SAMPLES,
) -> tuple[LengthEffect, ...]:
    """Return for each judge how its score goes with the length of the answer, within configurations.

    `scores`: judge -> (entry, configuration) -> score; `lengths`: capture -> characters of the answer; empty answers
    are left out. x is log2 of the length, so that the slope is points per doubling. Spearman is computed in each
    configuration and averaged over configurations; the slope is the least-squares slope with an intercept for each
    configuration. Expanded percentile intervals over entries. An association is not yet a bias, as longer answers may
    be better; where the judges of one panel differ, the difference is theirs.
    """
    return tuple(_length(judge, column, lengths, seed, samples) for judge, column in scores.items())


def _length(
    judge: str, column: Mapping[Capture, Number], lengths: Mapping[Capture, int], seed: int, samples: int
) -> LengthEffect:
    captures = sorted(capture for capture in column if lengths.get(capture, 0) > 0)
    cluster, units = clusters(captures)
    x = np.log2(np.array([lengths[capture] for capture in captures], dtype=float))
    y = np.array([float(column[capture]) for capture in captures])
    lanes = sorted({configuration for _, configuration in captures})
    lane = np.array([lanes.index(configuration) for _, configuration in captures], dtype=int)
    inside = [lane == at for at in range(len(lanes))]
    ranks = [coefficients.spearman(x[at], y[at], cluster[at]) for at in inside]
    slopes = [coefficients.slope(x[at], y[at], cluster[at]) for at in inside]
    weights = weights_for(units, seed, samples)
    return LengthEffect(
        judge,
        estimate(average(ranks), weights, "no configuration in which both lengths and scores differ"),
        estimate(coefficients.slope(x, y, cluster, lane), weights, "no configuration in which lengths differ"),
        tuple(
            LengthInConfiguration(name, int(at.sum()), plain(rank, units), plain(line, units))
            for name, at, rank, line in zip(lanes, inside, ranks, slopes, strict=True)
        ),
    )


def halo(
    judge: str, scores: Mapping[str, Mapping[Capture, Number]], seed: int, samples: int = AGREEMENT_SAMPLES
) -> Halo:
    """Return how far one judge's criteria run together (halo: Thorndike 1920).

    `scores`: criterion -> (entry, configuration) -> score. Pearson's correlation of every two criteria over captures
    and the mean of these, with an expanded percentile interval over entries. High values mean that the judge gives one
    verdict rather than several; they do not by themselves say that it is wrong to.
    """
    captures = sorted(set.intersection(*(set(column) for column in scores.values()))) if scores else []
    cluster, units = clusters(captures)
    columns = {name: np.array([float(scores[name][capture]) for capture in captures]) for name in scores}
    pairs = list(combinations(scores, 2))
    statistics = [coefficients.pearson(columns[one], columns[other], cluster) for one, other in pairs]
    found = [plain(statistic, units) for statistic in statistics]
    weights = weights_for(units, seed, samples)
    return Halo(
        judge,
        len(captures),
        tuple((one, other, r) for (one, other), r in zip(pairs, found, strict=True)),
        estimate(average(statistics), weights, "no two criteria whose scores both differ between captures"),
    )


def plain(statistic: Statistic, units: int) -> Fraction | None:
    """Return the statistic of the data as they are, None where it is not defined."""
    value = point(statistic, units)
    return None if value is None else settled(value)


def average(statistics: list[Statistic]) -> Statistic:
    """Return the mean of those statistics that are defined, NaN where none is."""

    def statistic(weights: np.ndarray) -> np.ndarray:
        values = np.array([single(weights) for single in statistics]).reshape(len(statistics), len(weights))
        defined = np.isfinite(values)
        count = defined.sum(axis=0)
        total = np.where(defined, values, 0.0).sum(axis=0)
        return np.divide(total, count, out=np.full(len(weights), np.nan), where=count > 0)

    return statistic
