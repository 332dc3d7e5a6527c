"""From rows to answers, entries and specifications: every cell checked, every fault named with its place."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from assay.canonical import plain
from assay.importing.rows import MISSING, Row, read_text
from assay.problems import Problem
from assay.sheets import escape

LONGEST_ID = 100  # an id becomes a file name


@dataclass(frozen=True)
class Columns:
    """Which column holds what; `None` = no such column. Names as in `Row.get`: dots lead into JSON."""

    entry: str
    answer: str
    prompt: str
    configuration: str | None = None
    model: str | None = None
    category: str | None = None
    cost: str | None = None
    minutes: str | None = None
    rejected: str | None = None


@dataclass(frozen=True)
class Answer:
    """One row of answers. `reason` says why it is set aside, "" = accepted; cost and minutes are "" when unknown."""

    row: Row
    entry: str
    configuration: str
    text: str
    reason: str
    model: str
    cost_usd: str
    minutes: str


@dataclass(frozen=True)
class Entry:
    """One entry as its source names it: prompt, and the name by which its specification is looked up."""

    source: str
    prompt: str
    category: str


@dataclass(frozen=True)
class Specification:
    """A specification file: `name` is its name in the bundle, `data` its bytes."""

    path: Path
    name: str
    data: bytes


def slug(text: str) -> str:
    """Return `text` as an id: accents dropped, lower case, each run of other characters one hyphen; "" if none is left.

    >>> slug("Qwen2.5 (7B)")
    'qwen2-5-7b'
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "-", ascii_text.lower()).strip("-")


def blank(value: object) -> bool:
    """Return whether a cell holds nothing: missing, null, or white space alone."""
    return value is MISSING or value is None or (isinstance(value, str) and not value.strip())


def words(row: Row, column: str, problems: list[Problem]) -> str | None:
    """Return a cell that names something (id, model, category) as text: a line of text or a whole number."""
    value = row.get(column)
    if blank(value):
        problems.append(row.problem(f"{column!r} is empty", "Give its value"))
    elif isinstance(value, bool) or not isinstance(value, (str, int)):
        problems.append(row.problem(f"{column!r} is neither text nor a whole number", "Name another column"))
    elif not (text := str(value)).isprintable() or escape(text) != text or text.strip(' "') != text:
        todo = "Use one line without control characters, backslash, or spaces or quotes around it"
        problems.append(row.problem(f"{column!r} is {text!r}, which cannot stand in a sheet", todo))
    else:
        return text
    return None


def long_text(row: Row, column: str, what: str, problems: list[Problem]) -> str | None:
    """Return a cell that holds an answer or a prompt, unchanged. Empty and what is not text are problems."""
    value = row.get(column)
    if blank(value):
        problems.append(row.problem(f"the {what} ({column!r}) is empty", f"Give the {what}, or leave the row out"))
    elif not isinstance(value, str):
        problems.append(row.problem(f"the {what} ({column!r}) is not text", "Name a column that holds text"))
    elif any("\ud800" <= character <= "\udfff" for character in value):
        problems.append(row.problem(f"the {what} holds half a character (a lone surrogate)", "Repair the text"))
    else:
        return value
    return None


def amount(row: Row, column: str | None, problems: list[Problem]) -> str:
    """Return a cost or a time as a plain decimal from 0 to below 10^12; "" (unknown) for an empty or missing cell."""
    value = row.get(column)
    if blank(value):
        return ""
    try:
        number = Decimal(str(value).strip()) if isinstance(value, (str, int, Decimal)) else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if (
        isinstance(value, bool)
        or not number.is_finite()
        or not 0 <= number < 10**12
        or number.as_tuple().exponent < -30
    ):
        text = f"{column!r} is {value!r}" if isinstance(value, str) else f"{column!r} is {value}"
        problems.append(row.problem(text, "Give a finite number >= 0 without a unit, or nothing where it is unknown"))
        return ""
    return plain(number)


def why_rejected(row: Row, columns: Columns, values: Sequence[str]) -> str:
    """Return the reason why a row is set aside, "" = it is not: its `rejected` cell is one of `values`."""
    value = row.get(columns.rejected)
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, Decimal):
        value = plain(value)
    return f"{columns.rejected} is {value}" if str(value) in values else ""


def take_answer(
    row: Row, columns: Columns, rejected_values: Sequence[str], configuration: str, problems: list[Problem]
) -> Answer | None:
    """Return the answer of a row, or None if it does not say whose it is; its faults are added to `problems`.

    `configuration` is that of the file, for rows that name none.
    """
    entry = words(row, columns.entry, problems)
    lane = configuration if columns.configuration is None else words(row, columns.configuration, problems)
    model = lane if columns.model is None else words(row, columns.model, problems)
    reason = why_rejected(row, columns, rejected_values)
    spared = reason and blank(row.get(columns.answer))
    text = "" if spared else long_text(row, columns.answer, "answer", problems)
    cost, minutes = amount(row, columns.cost, problems), amount(row, columns.minutes, problems)
    if entry is None or lane is None:
        return None
    return Answer(row, entry, lane, text or "", reason, model or "", cost, minutes)


def take_entries(
    answers: Sequence[Answer], columns: Columns, prompts: Mapping[str, Row] | None, problems: list[Problem]
) -> list[Entry]:
    """Return the entries that were answered, in the order of their ids.

    The prompt stands in the `prompt` column of the entry's row in `prompts`, or without `prompts` in that of each
    answer; the category in that of `prompts` if it has one, else of each answer. Two that differ are a problem.
    """
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(answer.entry, []).append(answer)
    entries = []
    for source, group in sorted(groups.items()):
        places = _prompt_rows(source, group, columns, prompts)
        if not places:
            todo = "Give it in the prompts file" if prompts is not None else "Give it in one of its rows"
            problems.append(group[0].row.problem(f"{source!r} has no prompt", todo))
            continue
        found = [(row, long_text(row, columns.prompt, "prompt", problems)) for row in places]
        prompt = _agreed(found, "prompt", problems)
        category = _category(source, places, [answer.row for answer in group], columns, problems)
        if prompt is not None and category is not None:
            entries.append(Entry(source, prompt, category))
    return entries


def _prompt_rows(
    source: str, group: Sequence[Answer], columns: Columns, prompts: Mapping[str, Row] | None
) -> list[Row]:
    """Return the rows that must hold the prompt; an answer that is set aside need not."""
    if prompts is not None:
        return [prompts[source]] if source in prompts else []
    return [a.row for a in group if not a.reason or not blank(a.row.get(columns.prompt))]


def _category(
    source: str, places: Sequence[Row], rows: Sequence[Row], columns: Columns, problems: list[Problem]
) -> str | None:
    if columns.category is None:
        return source
    if all(row.get(columns.category) is MISSING for row in places):
        places = rows
    return _agreed([(row, words(row, columns.category, problems)) for row in places], "category", problems)


def _agreed(found: Sequence[tuple[Row, str | None]], what: str, problems: list[Problem]) -> str | None:
    """Return what all rows say; a row that says something else than the first is a problem that names both."""
    known = [(row, text) for row, text in found if text is not None]
    for row, text in known[1:]:
        if text != known[0][1]:
            other = f"{known[0][0].file}, row {known[0][0].number}"
            message = f"its {what} differs from that of the same entry in {other}"
            problems.append(row.problem(message, "Make them the same, or give the entries different ids"))
    return known[0][1] if known else None


def check_ids(named: Sequence[tuple[str, Row]], what: str, problems: list[Problem]) -> None:
    """Check that every source id of `what` gives an id, short enough and no other's. `named`: source ids and rows."""
    owners: dict[str, tuple[Row, str]] = {}
    first = dict(reversed(named))
    for source, row in sorted(first.items()):
        name = slug(source)
        if not name or len(name) > LONGEST_ID:
            fault = "has no Latin letter or digit" if not name else f"is longer than {LONGEST_ID} characters"
            problems.append(row.problem(f"the {what} {source[:60]!r} {fault}", "Give it an id that can name a file"))
            continue
        other, known = owners.setdefault(name, (row, source))
        if known != source:
            text = f"the {what} {source!r} and {known!r} ({other.file}, row {other.number}) both become the id {name!r}"
            problems.append(row.problem(text, "Rename one of them"))


def check_cells(answers: Sequence[Answer], problems: list[Problem]) -> None:
    """Report each (entry, configuration) that is answered twice, with both places."""
    seen: dict[tuple[str, str], Row] = {}
    for answer in answers:
        first = seen.setdefault((answer.entry, answer.configuration), answer.row)
        if first is not answer.row:
            place = f"{first.file}, row {first.number}"
            text = f"{answer.entry!r} is answered twice by {answer.configuration!r}, first in {place}"
            problems.append(answer.row.problem(text, "Keep one of the two rows"))


def read_specifications(folder: Path, problems: list[Problem]) -> dict[str, Specification]:
    """Return the specifications of a folder by the id that their file's name (without its ending) gives."""
    if not folder.is_dir():
        problems.append(Problem(str(folder), 0, "no such folder", "Give a folder with one specification file per name"))
        return {}
    found: dict[str, Specification] = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")):
        name = slug(path.stem)
        if not name or name in found:
            fault = f"names the same specification as {found[name].path}" if name else "gives no id"
            problems.append(Problem(str(path), 0, f"the file's name {fault}", "Rename the file"))
            continue
        text = read_text(path, problems)
        if text is not None and not text.strip():
            problems.append(Problem(str(path), 0, "the specification is empty", "Write it, or remove the file"))
        found[name] = Specification(path, f"{name}{_ending(path)}", path.read_bytes() if text is not None else b"")
    return found


def _ending(path: Path) -> str:
    ending = slug(path.suffix)
    return f".{ending}" if ending else ""
