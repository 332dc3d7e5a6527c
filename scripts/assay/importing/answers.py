"""Bring your own answers: rows of answers become a bundle of the performance protocol (design.md, Files).

Everything is checked before anything is written, and the bundle appears whole or not at all.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.documents import read_yaml, schema_problems
from assay.files import write_bytes, write_text
from assay.importing.cells import (
    Answer,
    Columns,
    Entry,
    Specification,
    check_cells,
    check_ids,
    read_specifications,
    slug,
    take_answer,
    take_entries,
    words,
)
from assay.importing.rows import MISSING, Row, read_rows
from assay.problems import Problem, UserError, listing
from assay.sheets import write_tsv

FAMILIES = ("mode", "visual", "lens")
CATALOGUE = ("entry", "family", "name", "target", "spec", "prompt", "source")
CAPTURES = (
    *("entry", "configuration", "accepted", "reason", "answer", "visual"),
    *("model_snapshot", "cost_usd", "minutes", "notes"),
)


@dataclass(frozen=True)
class Order:
    """What to import, and how its columns are to be read.

    `specs` holds one file per category (per entry without a category column). `prompts` with `prompts_id` is a
    file of prompts, joined to the answers by the entry's id. `role_map` is a file, or the role map itself.
    """

    answers: Sequence[Path]
    columns: Columns
    specs: Path
    bundle_id: str
    title: str
    role_map: Path | Mapping[str, object]
    prompts: Path | None = None
    prompts_id: str | None = None
    rejected_values: Sequence[str] = ()
    family: str = "mode"
    licence: str | None = None


@dataclass(frozen=True)
class Summary:
    """What an import made, and what the user should know about it."""

    entries: int
    configurations: int
    accepted: int
    rejected: int
    unscorable: int
    notices: tuple[str, ...]


def import_answers(order: Order, target: Path) -> Summary:
    """Write the bundle folder `target` from rows of answers.

    Entries, configurations and captures are in the order of their ids, so that the order of rows and files does
    not matter. Raises UserError, with every problem of all files, if any is wrong or `target` exists; then nothing
    is written.
    """
    if os.path.lexists(target):
        raise UserError(f"{target}: exists already. Name a folder that does not exist yet; an import never overwrites")
    problems: list[Problem] = []
    specs = read_specifications(order.specs, problems)
    prompts = _prompts(order, problems)
    answers = _answers(order, problems)
    columns = _known(order.columns, answers, prompts, problems)
    entries = [] if prompts == {} else take_entries(answers, columns, prompts, problems)
    check_ids([(answer.entry, answer.row) for answer in answers], "entry", problems)
    check_ids([(answer.configuration, answer.row) for answer in answers], "configuration", problems)
    check_cells(answers, problems)
    document = _bundle(order, answers, len(entries))
    if answers:
        problems += schema_problems(document, "bundle", "the new bundle.yaml")
    problems += _role_map_problems(order.role_map)
    if problems:
        raise UserError(f"{listing(problems)}\nNo bundle was written.")
    _write(order, document, answers, entries, specs, target)
    return _summary(order, answers, entries, specs, prompts)


def _prompts(order: Order, problems: list[Problem]) -> dict[str, Row] | None:
    if order.prompts is None:
        return None
    column = order.prompts_id or order.columns.entry
    rows = _mapped(read_rows(order.prompts, problems), [column, order.columns.prompt], problems)
    found: dict[str, Row] = {}
    for row in rows:
        source = words(row, column, problems)
        if source is not None and (first := found.setdefault(source, row)) is not row:
            text = f"the prompt of {source!r} stands twice, first in row {first.number}"
            problems.append(row.problem(text, "Keep one of the two rows"))
    return found


def _answers(order: Order, problems: list[Problem]) -> list[Answer]:
    columns = order.columns
    needed = [columns.entry, columns.answer, columns.configuration, columns.model]
    if order.prompts is None:
        needed.append(columns.prompt)
    rows = []
    for path in order.answers:
        rows += [(path.stem, row) for row in _mapped(read_rows(path, problems), needed, problems)]
    answers = [take_answer(row, columns, order.rejected_values, stem, problems) for stem, row in rows]
    return [answer for answer in answers if answer is not None]


def _known(
    columns: Columns, answers: Sequence[Answer], prompts: Mapping[str, Row] | None, problems: list[Problem]
) -> Columns:
    """Return `columns` without those optional ones that no row of any file has; each of these is one problem."""
    rows = [answer.row for answer in answers]
    for name in ("cost", "minutes", "rejected", "category"):
        column = getattr(columns, name)
        places = [*rows, *(prompts or {}).values()] if name == "category" else rows
        if rows and column is not None and all(row.get(column) is MISSING for row in places):
            problems.append(_no_column(rows[0], column))
            columns = replace(columns, **{name: None})
    return columns


def _mapped(rows: list[Row], columns: Sequence[str | None], problems: list[Problem]) -> list[Row]:
    """Return the rows of a file, or none, and one problem instead of one a row, if no row has a column it needs."""
    absent = [c for c in columns if c is not None and rows and all(row.get(c) is MISSING for row in rows)]
    problems += [_no_column(rows[0], column) for column in absent]
    return [] if absent else rows


def _no_column(row: Row, column: str) -> Problem:
    names = ", ".join(map(repr, sorted(row.cells)))
    return Problem(row.file, 0, f"no row has the column {column!r}", f"The first row has {names}")


def _role_map_problems(role_map: Path | Mapping[str, object]) -> list[Problem]:
    file = str(role_map) if isinstance(role_map, Path) else "the role map"
    document = read_yaml(role_map) if isinstance(role_map, Path) else role_map
    problems = schema_problems(document, "role-map", file)
    if not problems:
        missing = [role for role in ("big1", "big2") if role not in document["roles"]]
        problems = [Problem(file, 0, f"the role {role} is missing", "Name its model") for role in missing]
    return problems


def _bundle(order: Order, answers: Sequence[Answer], entries: int) -> dict[str, object]:
    configurations = []
    for source in sorted({answer.configuration for answer in answers}, key=slug):
        accepted = [answer for answer in answers if answer.configuration == source and not answer.reason]
        models = sorted({answer.model for answer in accepted if answer.model})
        configurations.append({"id": slug(source), "title": source, "model_snapshots": models})
    document: dict[str, object] = {
        "id": order.bundle_id,
        "title": order.title,
        "protocol": "performance",
        "configurations": configurations,
        "expected": {
            **{family: entries if family == order.family else 0 for family in FAMILIES},
            "configurations": len(configurations),
        },
        "role_map": "optimum.yaml",
    }
    return document if order.licence is None else {**document, "licence": order.licence}


def _write(
    order: Order,
    document: Mapping[str, object],
    answers: Sequence[Answer],
    entries: Sequence[Entry],
    specs: Mapping[str, Specification],
    target: Path,
) -> None:
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    part.mkdir(parents=True)
    try:
        write_text(part / "bundle.yaml", _yaml(document))
        role_map = order.role_map
        data = role_map.read_bytes() if isinstance(role_map, Path) else _yaml(role_map).encode("utf-8")
        write_bytes(part / "optimum.yaml", data)
        for spec in {slug(entry.category): specs.get(slug(entry.category)) for entry in entries}.values():
            if spec is not None:
                write_bytes(part / "specs" / spec.name, spec.data)
        write_tsv(part / "catalogue.tsv", CATALOGUE, _catalogue(order, entries, specs, part))
        write_tsv(part / "captures.tsv", CAPTURES, _captures(order, answers, part))
        os.rename(part, target)
    except BaseException:
        shutil.rmtree(part)
        raise


def _yaml(document: Mapping[str, object]) -> str:
    import yaml

    return yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=100)


def _catalogue(
    order: Order, entries: Sequence[Entry], specs: Mapping[str, Specification], folder: Path
) -> list[dict[str, str]]:
    rows = []
    for entry in sorted(entries, key=lambda entry: slug(entry.source)):
        prompt = f"prompts/{slug(entry.source)}.txt"
        write_text(folder / prompt, entry.prompt)
        spec = specs.get(slug(entry.category))
        cells = {"entry": f"{order.family}:{slug(entry.source)}", "family": order.family, "name": entry.category}
        cells |= {
            "target": entry.category,
            "spec": f"specs/{spec.name}" if spec else "",
            "prompt": prompt,
            "source": "",
        }
        rows.append(cells)
    return rows


def _captures(order: Order, answers: Sequence[Answer], folder: Path) -> list[dict[str, str]]:
    rows = []
    for answer in sorted(answers, key=lambda answer: (slug(answer.entry), slug(answer.configuration))):
        path = f"answers/{slug(answer.configuration)}/{slug(answer.entry)}.txt" if answer.text else ""
        if path:
            write_text(folder / path, answer.text)
        cells = dict.fromkeys(CAPTURES, "")
        cells |= {"entry": f"{order.family}:{slug(answer.entry)}", "configuration": slug(answer.configuration)}
        cells |= {"accepted": "no" if answer.reason else "yes", "reason": answer.reason, "answer": path}
        cells |= {"model_snapshot": answer.model, "cost_usd": answer.cost_usd, "minutes": answer.minutes}
        rows.append(cells)
    return rows


def _summary(
    order: Order,
    answers: Sequence[Answer],
    entries: Sequence[Entry],
    specs: Mapping[str, Specification],
    prompts: Mapping[str, Row] | None,
) -> Summary:
    unscorable = [entry for entry in entries if slug(entry.category) not in specs]
    notices = []
    for category in sorted({entry.category for entry in unscorable}):
        count = sum(entry.category == category for entry in unscorable)
        notices.append(f"{order.specs}: no specification for {category!r}; unscorable entries: {count}")
    used = {slug(entry.category) for entry in entries}
    notices += [f"{spec.path}: a specification that no entry uses" for name, spec in specs.items() if name not in used]
    sources = {entry.source for entry in entries}
    notices += [
        f"{row.file}, row {row.number}: {source!r} has no answer; the entry is left out"
        for source, row in sorted((prompts or {}).items())
        if source not in sources
    ]
    configurations = len({answer.configuration for answer in answers})
    cells = len(entries) * configurations
    if cells > len(answers):
        notices.append(f"{cells - len(answers)} of {cells} pairs of entry and configuration have no answer")
    accepted = sum(not answer.reason for answer in answers)
    return Summary(len(entries), configurations, accepted, len(answers) - accepted, len(unscorable), tuple(notices))
