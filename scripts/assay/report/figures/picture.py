"""A picture with its data, and how the pictures read the statistics tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.report.tidy import Table


@dataclass(frozen=True)
class Picture:
    """One picture: its name (and file name), the SVG file's text, and the numbers that are drawn."""

    name: str
    svg: str
    data: Table


def numbers(row: Mapping[str, str]) -> tuple[float, float | None, float | None]:
    """Return value, low and high of a statistic's row as they are drawn; no interval: None."""
    return float(row["value"]), *(float(row[end]) if row[end] else None for end in ("low", "high"))


def rows_of(tables: Mapping[str, Table], name: str, **wanted: str) -> list[Mapping[str, str]]:
    """Return the rows of a table that hold these values in these columns."""
    return [row for row in tables[name].rows if all(row[column] == value for column, value in wanted.items())]


def only(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> Table:
    """Return a table of these columns alone."""
    return Table(columns, [{column: row[column] for column in columns} for row in rows])
