"""How far the judges of a panel agree, criterion by criterion."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import floor

import numpy as np

from assay.stats import coefficients
from assay.stats.resample import AGREEMENT_SAMPLES, draws, estimate
from assay.stats.values import Capture, Estimate, Number

BIN = Decimal("0.5")  # kappa's categories: half points
NONE_SHARED = "no capture was scored by both judges"
NO_VARIANCE = "one of the judges gives every capture the same score"


@dataclass(frozen=True)
class PairAgreement:
    """Two judges over the `captures` that both scored: first - second for `bias`, first / second for `ratio`."""

    first: str
    second: str
    captures: int
    bias: Estimate
    ratio: Estimate
    pearson: Estimate
    spearman: Estimate
    kappa: Estimate


@dataclass(frozen=True)
class PanelAgreement:
    """All judges together. The ICCs are over the `complete` captures that every judge scored, alpha over the
    `compared` captures that at least two scored."""

    judges: tuple[str, ...]
    complete: int
    compared: int
    icc_single: Estimate
    icc_average: Estimate
    alpha: Estimate


@dataclass(frozen=True)
class Agreement:
    """One criterion: every two judges, and the panel."""

    pairs: tuple[PairAgreement, ...]
    panel: PanelAgreement


@dataclass(frozen=True)
class Disagreement:
    """Two judges' scores of one capture on one criterion; `difference` = first - second."""

    entry: str
    configuration: str
    criterion: str
    first: str
    second: str
    first_score: Fraction
    second_score: Fraction
    difference: Fraction


def category(score: Number, width: Number = BIN) -> int:
    """Return the number of the category a score falls in: the nearest multiple of `width`, halves up, / `width`."""
    return floor(Fraction(score) / Fraction(width) + Fraction(1, 2))


def clusters(captures: list[Capture]) -> tuple[np.ndarray, int]:
    """Return each capture's entry as a number (entries sorted) and how many entries there are."""
    entries = {entry: at for at, entry in enumerate(sorted({entry for entry, _ in captures}))}
    return np.array([entries[entry] for entry, _ in captures], dtype=int), len(entries)


def weights_for(units: int, seed: int, samples: int) -> np.ndarray:
    """Return the bootstrap draws of `units` entries; without entries an empty table."""
    return draws(units, seed, samples) if units else np.zeros((samples, 0))


def agreement(
    scores: Mapping[str, Mapping[Capture, Number]], seed: int, samples: int = AGREEMENT_SAMPLES, width: Number = BIN
) -> Agreement:
    """Return the agreement of two or more judges on one criterion.

    `scores`: judge -> (entry, configuration) -> score, captures that a judge did not score absent. Judges are compared
    in the order given. Intervals are expanded percentile bootstrap intervals over entries: all captures of a drawn
    entry come along. `width` is the width of kappa's categories. What cannot be computed is None with its reason.
    Raises ValueError for fewer than two judges.
    """
    if len(scores) < 2:
        raise ValueError("agreement needs at least two judges")
    pairs = tuple(_pair(one, other, scores, seed, samples, width) for one, other in combinations(scores, 2))
    return Agreement(pairs, _panel(scores, seed, samples))


def _pair(
    one: str, other: str, scores: Mapping[str, Mapping[Capture, Number]], seed: int, samples: int, width: Number
) -> PairAgreement:
    captures = sorted(scores[one].keys() & scores[other].keys())
    cluster, units = clusters(captures)
    weights = weights_for(units, seed, samples)
    x, y = (np.array([float(scores[judge][capture]) for capture in captures]) for judge in (one, other))
    bins = [np.array([category(scores[judge][c], width) for c in captures], dtype=float) for judge in (one, other)]
    reason = NO_VARIANCE if captures else NONE_SHARED
    same = "both judges give every capture one and the same category" if captures else NONE_SHARED
    return PairAgreement(
        one,
        other,
        len(captures),
        estimate(coefficients.mean_difference(x, y, cluster), weights, NONE_SHARED),
        estimate(coefficients.deviation_ratio(x, y, cluster), weights, reason),
        estimate(coefficients.pearson(x, y, cluster), weights, reason),
        estimate(coefficients.spearman(x, y, cluster), weights, reason),
        estimate(coefficients.quadratic_kappa(*bins, cluster), weights, same),
    )


def _panel(scores: Mapping[str, Mapping[Capture, Number]], seed: int, samples: int) -> PanelAgreement:
    judges = tuple(scores)
    complete = sorted(set.intersection(*(set(scores[judge]) for judge in judges)))
    every = sorted(set().union(*scores.values()))
    compared = [capture for capture in every if sum(capture in scores[judge] for judge in judges) > 1]
    full, table = (_table(judges, captures, scores) for captures in (complete, compared))
    cluster, units = clusters(complete)
    weights = weights_for(units, seed, samples)
    poor = "needs at least two captures that every judge scored, and scores that differ"
    single, average = (estimate(coefficients.icc(full, which, cluster), weights, poor) for which in (False, True))
    cluster, units = clusters(compared)
    alpha = coefficients.alpha(table, "interval", cluster)
    flat = "no capture with two scores, or every score is the same"
    weights = weights_for(units, seed, samples)
    return PanelAgreement(judges, len(complete), len(compared), single, average, estimate(alpha, weights, flat))


def _table(
    judges: tuple[str, ...], captures: list[Capture], scores: Mapping[str, Mapping[Capture, Number]]
) -> np.ndarray:
    cells = [[float(scores[judge].get(capture, "nan")) for judge in judges] for capture in captures]
    return np.array(cells, dtype=float).reshape(len(captures), len(judges))


def largest_disagreements(
    scores: Mapping[str, Mapping[str, Mapping[Capture, Number]]], count: int = 10
) -> tuple[Disagreement, ...]:
    """Return the `count` largest differences between two judges, over all criteria; equal ones in name order.

    `scores`: criterion -> judge -> (entry, configuration) -> score.
    """
    found = []
    for criterion, judges in scores.items():
        for one, other in combinations(judges, 2):
            for capture in judges[one].keys() & judges[other].keys():
                first, second = Fraction(judges[one][capture]), Fraction(judges[other][capture])
                found.append(Disagreement(*capture, criterion, one, other, first, second, first - second))
    found.sort(
        key=lambda row: (-abs(row.difference), row.entry, row.configuration, row.criterion, row.first, row.second)
    )
    return tuple(found[:count])
