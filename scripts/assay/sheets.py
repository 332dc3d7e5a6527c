"""Sheets: the TSV files that people edit and tables that machines write, and CSV for spreadsheets.

A TSV row is always one line: inside a cell, backslash, tab, carriage return and newline are written as
`\\\\`, `\\t`, `\\r` and `\\n`. A CSV cell keeps them (quoted), and one that a spreadsheet would take for a formula gets
an apostrophe before it, which spreadsheets hide.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.files import write_text
from assay.problems import FileFault

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\r": "\\r", "\n": "\\n"}
_ESCAPED = {escape: plain for plain, escape in _ESCAPES.items()}
_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "'")


@dataclass(frozen=True)
class Row:
    """One data row: its line number in the file (the header is line 1) and its cells by column name."""

    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]


def escape(text: str) -> str:
    """Write a text as one TSV cell."""
    return re.sub(r"[\\\t\r\n]", lambda found: _ESCAPES[found[0]], text)


def unescape(cell: str) -> str:
    """Read a TSV cell back. A backslash before any other character stands for itself."""
    return re.sub(r"\\[\\trn]", lambda found: _ESCAPED[found[0]], cell)


def tsv_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """Return a TSV table with a header line; every row must have every column."""
    lines = ["\t".join(columns), *("\t".join(escape(row[column]) for column in columns) for row in rows)]
    return "\n".join(lines) + "\n"


def write_tsv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write a TSV table, whole or not at all."""
    write_text(path, tsv_text(columns, rows))


def read_tsv(path: Path) -> list[dict[str, str]]:
    """Read a TSV table that Assay wrote. Raises FileFault if it is missing, not UTF-8 or ragged."""
    columns, *lines = read_utf8(path).removesuffix("\n").split("\n")
    names = columns.split("\t")
    rows = [line.split("\t") for line in lines]
    for number, cells in enumerate(rows, start=2):
        if len(cells) != len(names):
            raise FileFault(path, number, f"{len(cells)} cells, but the header has {len(names)} columns")
    return [dict(zip(names, map(unescape, cells), strict=True)) for cells in rows]


def read_columns(path: Path) -> list[str]:
    """Return the column names of a TSV table."""
    return read_utf8(path).partition("\n")[0].split("\t")


def read_utf8(path: Path) -> str:
    """Read a text file as UTF-8 (a byte order mark is dropped). Raises FileFault if that is impossible."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise FileFault(path, 0, "the file is missing") from None
    except UnicodeDecodeError as error:
        raise FileFault(path, 0, f"not UTF-8: byte {error.start} cannot be read") from None
    except OSError as error:
        raise FileFault(path, 0, f"cannot be read: {error.strerror}") from None


def parse_tsv(text: str) -> tuple[list[str], list[Row], list[tuple[int, str]]]:
    """Split a TSV sheet that a person edits into columns, rows and the faults of its form as (line, what is wrong).

    Empty lines are passed over. A spreadsheet's CRLF line ends and quotes around a whole cell are understood.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    columns = [_unquoted(cell).strip() for cell in lines[0].split("\t")]
    rows, faults = [], []
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        faults.append((1, f"the column {', '.join(twice)} stands twice in the header"))
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = [_unquoted(cell).strip() for cell in line.split("\t")]
        if len(cells) > len(columns) and not any(cells[len(columns) :]):
            cells = cells[: len(columns)]
        if len(cells) > len(columns):
            faults.append((number, f"{len(cells)} cells, but the header has {len(columns)} columns"))
            continue
        rows.append(Row(number, dict(zip(columns, cells + [""] * (len(columns) - len(cells)), strict=True))))
    return columns, rows, faults


def _unquoted(cell: str) -> str:
    if re.fullmatch(r'"(?:[^"]|"")*"', cell):
        return cell[1:-1].replace('""', '"')
    return cell


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]], numbers: frozenset[str] = frozenset()) -> str:
    """Return a CSV table (RFC 4180, but `\\n` line ends) that no spreadsheet reads as formulas.

    Cells of the columns named in `numbers` are written as they are.
    """
    lines = [columns, *([row[c] if c in numbers else inert(row[c]) for c in columns] for row in rows)]
    return "".join(",".join(map(_csv_cell, line)) + "\n" for line in lines)


def _csv_cell(text: str) -> str:
    """Quote a cell where it needs it: Python 3.11's csv leaves a lone carriage return bare, which ends a row."""
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\r\n]', text) else text


def inert(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula."""
    return "'" + text if text.startswith(_FORMULA_STARTS) else text
