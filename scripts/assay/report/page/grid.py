"""Tables for reading: cells with what is shown, what they sort by and where they lead."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One cell. `sort` is the exact value behind a rounded one; `marks` are (kind, words); `sub` is a second line."""

    text: str
    sort: str | None = None
    href: str = ""
    sub: str = ""
    marks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Column:
    """One column: words stand on the left and sort upwards first, numbers on the right and sort downwards first."""

    title: str
    word: bool = False
    wrap: bool = False

    @property
    def first(self) -> str:
        return "ascending" if self.word else "descending"


@dataclass(frozen=True)
class Line:
    """One row. `kinds` are the values that the page's filters ask for."""

    cells: Sequence[Cell]
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grid:
    """A table with the name that a screen reader says. The first cell of a row is its heading."""

    name: str
    columns: Sequence[Column]
    lines: Sequence[Line]


def words(*titles: str) -> list[Column]:
    return [Column(title, word=True) for title in titles]


def figures(*titles: str) -> list[Column]:
    return [Column(title) for title in titles]


def lines(rows: Sequence[Sequence[Cell | str]]) -> list[Line]:
    """Return rows of cells; a plain text is a cell that shows it."""
    return [Line([cell if isinstance(cell, Cell) else Cell(cell) for cell in row]) for row in rows]
