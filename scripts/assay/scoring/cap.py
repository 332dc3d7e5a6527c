"""Weigh the averaged criteria, and cap Overall (specification, Phase 4)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from assay.scoring.numbers import exact, text

ADDED = ["weighted", "overall", "capped"]


def weighted_sum(scores: Mapping[str, Fraction], weights: Mapping[str, Fraction]) -> Fraction:
    """Return the sum of weight x score over the criteria."""
    return sum((weight * scores[criterion] for criterion, weight in weights.items()), Fraction(0))


def cap(row: Mapping[str, str], criteria: Sequence[Mapping], capping: str | None) -> dict[str, str]:
    """Return `row` with weighted, overall = min(weighted, the capping criterion), and whether the cap bit (yes/no)."""
    weights = {criterion["id"]: exact(criterion["weight"]) for criterion in criteria}
    weighted = weighted_sum({name: exact(row[name]) for name in weights}, weights)
    overall = min(weighted, exact(row[capping])) if capping else weighted
    return {
        **row,
        "weighted": text(weighted),
        "overall": text(overall),
        "capped": "yes" if overall < weighted else "no",
    }
