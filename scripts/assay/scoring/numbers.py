"""Exact numbers and the one rounding of the public tables.

Everything is computed as exact fractions, so no sum or mean depends on order or machine. Rounding is half up on
the exact value (the paper's): 0.05 -> 0.1 and 3.95 -> 4.0 at one decimal.
"""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

STORED_DECIMALS = 12


def exact(text: str) -> Fraction:
    """Read a decimal number exactly."""
    return Fraction(Decimal(text))


def mean(values: Iterable[Fraction]) -> Fraction | None:
    """Return the exact mean, or None of nothing."""
    numbers = list(values)
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else None


def round_half_up(value: Fraction, decimals: int) -> str:
    """Round the exact value to `decimals` places, halves away from zero, and write it with just that many."""
    scaled = abs(value) * 10**decimals
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    digits = str(whole).rjust(decimals + 1, "0")
    sign = "-" if value < 0 and whole else ""
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)


def text(value: Fraction | None) -> str:
    """Write a number for a table: exactly if its decimals end, else with 12 decimals; '' for None (unknown)."""
    if value is None:
        return ""
    rest, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest //= prime
            power += 1
        places = max(places, power)
    shown = round_half_up(value, places if rest == 1 else STORED_DECIMALS)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def public(value: Fraction | None, decimals: int) -> str:
    """Write a number as the public tables show it; `unknown` for None."""
    return "unknown" if value is None else round_half_up(value, decimals)
