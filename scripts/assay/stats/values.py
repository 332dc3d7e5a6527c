"""The values that the statistics hand out: exact rationals, each with its interval or the reason why it has none."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isfinite, lcm

import numpy as np

Number = Decimal | Fraction | int
Capture = tuple[str, str]  # (entry, configuration)

DECIMALS = 9
EXACT_BITS = 50  # sums of integers below 2**53 are exact in binary floating point, in any order of addition


@dataclass(frozen=True)
class Estimate:
    """One statistic with its 95 % interval.

    `value` is exact for means, differences and shares; what comes from floating point is rounded to nine decimals, so
    that the last digits of different processors do not show. `value`, `low` and `high` are None where they cannot be
    had, and `reason` then says why. `n` counts the sampling units (entries) behind it.
    """

    value: Fraction | None
    low: Fraction | None
    high: Fraction | None
    n: int
    reason: str = ""


def settled(number: float) -> Fraction:
    """Return a finite float as an exact rational, rounded to nine decimals. Raises ValueError for NaN and infinity."""
    if not isfinite(number):
        raise ValueError(f"not a finite number: {number}")
    return Fraction(f"{number:.{DECIMALS}f}")


def fractions(values: Iterable[Number]) -> list[Fraction]:
    """Return the values as exact rationals. Raises TypeError for binary floats, ValueError for NaN or infinity."""
    found = []
    for value in values:
        if isinstance(value, float):
            raise TypeError(f"scores are exact decimals, not binary floats: {value!r}")
        if isinstance(value, Decimal) and not value.is_finite():
            raise ValueError(f"not a finite score: {value}")
        found.append(Fraction(value))
    return found


def mean(values: Iterable[Number]) -> Fraction | None:
    """Return the exact arithmetic mean, None of nothing."""
    found = fractions(values)
    return sum(found, Fraction(0)) / len(found) if found else None


def as_integers(values: Iterable[Number]) -> tuple[np.ndarray, int]:
    """Return `(integers, scale)` with value = integer / scale.

    Integers make every resampled sum exact, so that neither ties nor results depend on the order of addition, the
    processor or the linear algebra library. The scale is the least common denominator; where sums would then pass
    2**50 it is the largest power of ten that keeps them below, and the values are rounded to it (half to even).
    """
    found = fractions(values)
    size = max((abs(value) for value in found), default=Fraction(0))
    room = Fraction(2**EXACT_BITS) / max(1, len(found) * size)
    scale = lcm(*(value.denominator for value in found)) if found else 1
    if scale > room:
        scale = 10 ** max(0, len(str(int(room))) - 1)
    return np.array([round(value * scale) for value in found], dtype=np.int64), scale
