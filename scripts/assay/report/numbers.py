"""Numbers as people read them: rounded half up from the exact value, with a word where there is none."""

from collections.abc import Mapping
from fractions import Fraction

from assay.scoring.numbers import exact, round_half_up

UNKNOWN = "–"
MINUS = "−"


def shown(cell: str, decimals: int = 1, signed: bool = False) -> str:
    """Return a table's number rounded to `decimals`, `–` for an empty cell; `signed` writes a plus too."""
    if not cell:
        return UNKNOWN
    value = exact(cell)
    text = round_half_up(value, decimals).replace("-", MINUS)
    return f"+{text}" if signed and value > 0 and not text.startswith(MINUS) else text


def between(row: Mapping[str, str], decimals: int = 1, signed: bool = False) -> str:
    """Return the 95 % interval of a statistic's row, `–` where it has none."""
    if not row["low"]:
        return UNKNOWN
    return f"{shown(row['low'], decimals, signed)} to {shown(row['high'], decimals, signed)}"


def percent(cell: str) -> str:
    """Return a share as a whole percentage; what is not quite none or all is never shown as 0 % or 100 %."""
    if not cell:
        return UNKNOWN
    share = exact(cell)
    text = round_half_up(100 * share, 0)
    if text == "100" and share < 1:
        return "> 99 %"
    return "< 1 %" if text == "0" and share > 0 else f"{text} %"


def chance(cell: str) -> str:
    """Return a p-value to three decimals, `< 0.001` below that."""
    if not cell:
        return UNKNOWN
    return "< 0.001" if exact(cell) < Fraction(1, 1000) else round_half_up(exact(cell), 3)


def listed(words: list[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
