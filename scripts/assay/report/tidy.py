"""Tidy tables: their columns, rows of text, and how statistics are written into them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.scoring.numbers import text
from assay.stats.values import Estimate

ESTIMATE = ("value", "low", "high", "n", "reason")


@dataclass(frozen=True)
class Table:
    """A table of text cells; numbers are plain decimals, `yes` and `no` are words, an empty cell is unknown."""

    columns: Sequence[str]
    rows: Sequence[Mapping[str, str]]


def estimated(found: Estimate) -> dict[str, str]:
    """Return the cells of a statistic (ESTIMATE): value, 95 % interval, sampling units, and why one is missing."""
    cells = {name: text(getattr(found, name)) for name in ("value", "low", "high")}
    return {**cells, "n": str(found.n), "reason": found.reason}


def yes(value: bool) -> str:
    return "yes" if value else "no"
