"""Rows of JSON Lines, JSON arrays, CSV and TSV: read whole, with the place of each row, and nothing guessed."""

import csv
import io
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.canonical import loads
from assay.problems import Problem

MISSING = object()
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Row:
    """One row of a file. `number` is its first line in the file; in a JSON array its place, 1 = the first element."""

    file: str
    number: int
    cells: Mapping[str, object]

    def problem(self, text: str, todo: str) -> Problem:
        """Return a problem that lies in this row."""
        return Problem(self.file, self.number, text, todo)

    def get(self, column: str | None) -> object:
        """Return the cell that `column` names, or MISSING.

        A column of exactly this name comes first; otherwise dots lead into objects (by key) and lists (by
        position from 0): `choices.0.turns.0`. `None` names no column.
        """
        if column is None:
            return MISSING
        if column in self.cells:
            return self.cells[column]
        value: object = self.cells
        for part in column.split("."):
            if isinstance(value, Mapping) and part in value:
                value = value[part]
            elif isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
                value = value[int(part)]
            else:
                return MISSING
        return value


def read_rows(path: Path, problems: list[Problem]) -> list[Row]:
    """Return the rows of a file by its ending: .jsonl, .ndjson, .json (an array), .csv, .tsv. Blank lines are no rows.

    CSV and TSV need a header row and may quote cells with `"` (RFC 4180). What cannot be read is added to `problems`.
    """
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".json": _json_array, ".csv": _csv, ".tsv": _tsv}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        problems.append(Problem(str(path), 0, "the ending names no known format", f"Use {', '.join(readers)}"))
        return []
    text = read_text(path, problems)
    if text is None:
        return []
    before = len(problems)
    rows = list(reader(str(path), text, problems))
    if not rows and len(problems) == before:
        problems.append(Problem(str(path), 0, "the file holds no rows", "Give a file with one row per answer"))
    return rows


def read_text(path: Path, problems: list[Problem]) -> str | None:
    """Return the text of a UTF-8 file without a byte order mark; None, and a problem with its row, if there is none."""
    try:
        data = path.read_bytes().removeprefix(_BOM)
    except OSError as error:
        problems.append(Problem(str(path), 0, f"cannot be read: {error.strerror}", "Give the path of a readable file"))
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        text = f"not UTF-8: byte 0x{data[error.start]:02x}"
        problems.append(Problem(str(path), row, text, "Save the file as UTF-8"))
        return None


def _object(file: str, number: int, value: object, problems: list[Problem]) -> Iterator[Row]:
    if isinstance(value, dict):
        yield Row(file, number, value)
    else:
        kind = {list: "a list", str: "a text", type(None): "null", bool: "true or false"}.get(type(value), "a number")
        problems.append(Problem(file, number, f"the row is {kind}", "Make it an object with named fields"))


def _json_lines(file: str, text: str, problems: list[Problem]) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = loads(line)
        except ValueError as error:
            problems.append(Problem(file, number, f"not valid JSON: {error}", "Write one JSON object per line"))
        else:
            yield from _object(file, number, value, problems)


def _json_array(file: str, text: str, problems: list[Problem]) -> Iterator[Row]:
    try:
        values = loads(text)
    except ValueError as error:
        problems.append(Problem(file, 0, f"not valid JSON: {error}", "Give a JSON array of objects, or JSON Lines"))
        return
    if not isinstance(values, list):
        problems.append(Problem(file, 0, "the JSON is not an array", "Give a JSON array of objects, or JSON Lines"))
        return
    for number, value in enumerate(values, start=1):
        yield from _object(file, number, value, problems)


def _tsv(file: str, text: str, problems: list[Problem]) -> Iterator[Row]:
    yield from _csv(file, text, problems, "\t")


def _csv(file: str, text: str, problems: list[Problem], delimiter: str = ",") -> Iterator[Row]:
    csv.field_size_limit(sys.maxsize)  # the default refuses answers over 128 KiB
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    start = 1
    try:
        for cells in reader:
            number, start = start, reader.line_num + 1
            if not cells:
                continue
            if not header:
                header = cells
                twice = sorted({name for name in header if header.count(name) > 1})
                if twice:
                    text = f"the header names {', '.join(map(repr, twice))} more than once"
                    problems.append(Problem(file, number, text, "Give each column a name of its own"))
                    return
            elif len(cells) != len(header):
                text = f"{len(cells)} cells, but the header has {len(header)}"
                problems.append(Problem(file, number, text, "Quote cells that hold delimiters or line ends"))
            else:
                yield Row(file, number, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        problems.append(
            Problem(file, start, f"not valid CSV: {error}", 'Quote cells with ", and double each " in them')
        )
