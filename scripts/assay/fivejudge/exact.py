"""Exact arithmetic for scores: fractions inside, decimals outside, and one way of rounding.

A number that has no finite decimal (100/3) is rounded once, half to even, to six places, where it is born: the
Objective base, a metric, Efficiency, the calibration adjustment, the mean of three panel scores. Everything after
that is exact, so the addends in the ledger add up to the final score to the last digit.
"""

from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from decimal import Inexact as _Inexact
from fractions import Fraction

PLACES = 6
_DIGITS = 1000


def rounded(value: Fraction | Decimal | int, places: int = PLACES) -> Decimal:
    """Return `value` as a decimal with at most `places` places, rounded half to even."""
    fraction = Fraction(value)
    with localcontext() as context:
        context.prec = _DIGITS
        context.rounding = ROUND_HALF_EVEN
        scaled = fraction * 10**places
        whole, rest = divmod(scaled.numerator, scaled.denominator)
        twice = 2 * rest - scaled.denominator
        up = twice > 0 or (twice == 0 and whole % 2 == 1)
        return trimmed(Decimal(whole + up).scaleb(-places))


def trimmed(number: Decimal) -> Decimal:
    """Return the number without trailing zeros, exponent or negative zero."""
    with localcontext() as context:
        context.prec = _DIGITS
        number = number.normalize()
        return number.quantize(Decimal(1)) + 0 if number.as_tuple().exponent > 0 else number + 0


def total(numbers: Iterable[Decimal | int]) -> Decimal:
    """Return the exact sum. Raises decimal.Inexact rather than lose a digit."""
    with localcontext() as context:
        context.prec = _DIGITS
        context.traps[_Inexact] = True
        return trimmed(sum((Decimal(number) for number in numbers), Decimal(0)))


def product(*factors: Decimal | int) -> Decimal:
    """Return the exact product. Raises decimal.Inexact rather than lose a digit."""
    with localcontext() as context:
        context.prec = _DIGITS
        context.traps[_Inexact] = True
        made = Decimal(1)
        for factor in factors:
            made *= Decimal(factor)
        return trimmed(made)


def clamped(value: Decimal, low: Decimal | int = 0, high: Decimal | int = 100) -> Decimal:
    """Return `value`, or the bound that it lies beyond."""
    return trimmed(min(max(value, Decimal(low)), Decimal(high)))


def median(values: Iterable[int | Decimal | Fraction]) -> Fraction | None:
    """Return the exact median (the mean of the middle two of an even number), None of no values."""
    ordered = sorted(values)
    if not ordered:
        return None
    half = len(ordered) // 2
    if len(ordered) % 2:
        return Fraction(ordered[half])
    return (Fraction(ordered[half - 1]) + Fraction(ordered[half])) / 2
