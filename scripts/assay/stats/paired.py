"""Paired differences between configurations, tested by flipping signs and corrected for their number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from assay.stats.means import Bounds, Grid, grid, studentised
from assay.stats.resample import SAMPLES, draws, signs
from assay.stats.values import Estimate, Number, fractions

SIGNIFICANT = Fraction(1, 20)
ENUMERATED = 18  # up to so many differences that are not zero, every sign pattern is tried


@dataclass(frozen=True)
class Difference:
    """Mean of first - second over the entries that both have. `p` is the sign-flip p-value, `p_holm` the same after
    Holm's correction over all pairs (None without entries); `exact` = every sign pattern was tried; `told_apart` =
    `p_holm` is under 0.05."""

    first: str
    second: str
    difference: Estimate
    p: Fraction | None
    p_holm: Fraction | None
    exact: bool
    told_apart: bool


def sign_flip(values: Sequence[int], flips: np.ndarray) -> tuple[Fraction, bool]:
    """Return the two-sided sign-flip p-value of integers (paired differences) and whether it is exact.

    The share of sign patterns whose absolute sum is at least the observed one (Fisher 1935, section 21). Up to 18
    values that are not zero all patterns are counted; with more, the rows of `flips` (+1, -1) are, and the observed
    pattern counts as one more on both sides, so that p is never 0 (Phipson and Smyth 2010).
    """
    found = np.asarray(values, dtype=np.float64)
    moving = found[found != 0]
    observed = abs(found.sum())
    if len(moving) <= ENUMERATED:
        sums = np.zeros(1)
        for value in moving:
            sums = np.concatenate([sums + value, sums - value])
        return Fraction(int((np.abs(sums) >= observed).sum()), len(sums)), True
    extreme = int((np.abs(flips @ found) >= observed).sum())
    return Fraction(extreme + 1, len(flips) + 1), False


def holm(p_values: Sequence[Fraction]) -> list[Fraction]:
    """Return Holm's step-down adjusted p-values, in the order given (Holm 1979).

    Sorted p(1) <= ... <= p(m): the adjusted p(i) is the largest of (m - j + 1) p(j) over j <= i, at most 1.
    """
    adjusted, largest = [Fraction(0)] * len(p_values), Fraction(0)
    for place, at in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        largest = max(largest, min(Fraction(1), (len(p_values) - place) * p_values[at]))
        adjusted[at] = largest
    return adjusted


def tested(table: Grid, seed: int, samples: int) -> list[tuple[Fraction | None, bool]]:
    """Return the sign-flip p-value of each column of differences and whether it is exact; None of an empty column."""
    flips = signs(len(table.entries), seed, samples) if table.entries else np.zeros((samples, 0))
    found: list[tuple[Fraction | None, bool]] = []
    for column in range(table.values.shape[1]):
        some = bool(table.present[:, column].any())
        found.append(sign_flip(table.values[:, column], flips) if some else (None, False))
    return found


def corrected(p_values: Sequence[Fraction | None]) -> list[Fraction | None]:
    """Return Holm's correction over those p-values that exist."""
    adjusted = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(adjusted) for p in p_values]


def paired_differences(
    scores: Mapping[str, Mapping[str, Number]], seed: int, samples: int = SAMPLES, bounds: Bounds | None = (0, 10)
) -> tuple[Difference, ...]:
    """Return the difference of every two configurations over the entries that both have, pairs sorted by name.

    `scores`: configuration -> entry -> score; `bounds` are those of a score. The interval is the studentised bootstrap
    over entries, the p-value `sign_flip`, corrected by `holm` over all pairs.
    """
    pairs = list(combinations(sorted(scores), 2))
    columns = {pair: _differences(scores[pair[0]], scores[pair[1]]) for pair in pairs}
    table = grid(columns)
    width = None if bounds is None else fractions(bounds)[1] - fractions(bounds)[0]
    weights = draws(len(table.entries), seed, samples) if table.entries else np.zeros((samples, 0))
    estimates = studentised(table, weights, None if width is None else (-width, width))
    p_values = tested(table, seed, samples)
    adjusted = corrected([p for p, _ in p_values])
    return tuple(
        Difference(*pair, estimate, p, p_holm, exact, p_holm is not None and p_holm < SIGNIFICANT)
        for pair, estimate, (p, exact), p_holm in zip(pairs, estimates, p_values, adjusted, strict=True)
    )


def _differences(one: Mapping[str, Number], other: Mapping[str, Number]) -> dict[str, Fraction]:
    return {entry: Fraction(one[entry]) - Fraction(other[entry]) for entry in sorted(one.keys() & other.keys())}


def not_told_apart(ranking: Sequence[str], differences: Sequence[Difference]) -> tuple[tuple[str, str], ...]:
    """Return the neighbours in the ranking (best first) whose difference is not significant after Holm's correction."""
    apart = {frozenset((found.first, found.second)): found.told_apart for found in differences}
    return tuple(pair for pair in pairwise(ranking) if not apart[frozenset(pair)])
