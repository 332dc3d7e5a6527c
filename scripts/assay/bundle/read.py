"""Read a bundle's sheets. Every fault of their form becomes a Problem; reading goes on behind it."""

import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from assay.bundle.columns import SHEETS, Sheets
from assay.bundle.model import Bundle, Capture, Configuration, Entry
from assay.documents import read_yaml, schema_problems
from assay.problems import FileFault, Problem
from assay.sheets import Row, parse_tsv, read_utf8

ID = r"[a-z0-9][a-z0-9-]*"

ACCEPTED = {"yes": True, "no": False}
LONGEST_ID = 100  # file names are made from it
LONGEST_CELL = 20_000  # characters; a cell reaches a job on its command line, which systems limit


def read_bundle(folder: Path, protocol: Mapping) -> tuple[Bundle, list[Problem]]:
    """Read bundle.yaml, catalogue.tsv and captures.tsv of `folder`.

    Returns the bundle (its id is empty when bundle.yaml itself cannot be understood) and all faults of form.
    """
    head, problems = _document(folder / "bundle.yaml", "bundle")
    sheets = SHEETS[protocol["protocol"]]
    entries, entry_problems = _entries(folder / "catalogue.tsv", protocol["families"], sheets)
    captures, capture_problems = _captures(folder / "captures.tsv", sheets)
    problems += entry_problems + capture_problems
    if head is None:
        lanes = dict.fromkeys(c.configuration for c in captures)
        head = {"id": "", "title": "", "protocol": "", "expected": {}}
        head["configurations"] = [{"id": lane, "title": lane} for lane in lanes]
    bundle = Bundle(
        folder=folder,
        id=head["id"],
        title=head["title"],
        licence=head.get("licence", ""),
        protocol=head["protocol"],
        role_map=head.get("role_map", "optimum.yaml"),
        configurations=tuple(
            Configuration(c["id"], c["title"], tuple(c.get("model_snapshots", ()))) for c in head["configurations"]
        ),
        entries=entries,
        captures=tuple(captures),
        expected=head.get("expected", protocol["expected"]),
        shared_ids={**protocol.get("shared_ids", {}), **head.get("shared_ids", {})},
    )
    return bundle, problems + _configuration_problems(bundle)


def _document(path: Path, schema: str) -> tuple[dict | None, list[Problem]]:
    try:
        value = read_yaml(path)
    except FileFault as fault:
        return None, [fault.problem("Correct the file")]
    problems = schema_problems(value, schema, str(path))
    return (None, problems) if problems else (value, [])


def _configuration_problems(bundle: Bundle) -> list[Problem]:
    ids = [configuration.id for configuration in bundle.configurations]
    return [
        Problem(
            str(bundle.folder / "bundle.yaml"), 0, f"the configuration {twice!r} is listed twice", "Keep one of them"
        )
        for twice in sorted({one for one in ids if ids.count(one) > 1})
    ]


def _sheet(path: Path, required: tuple[str, ...], optional: tuple[str, ...]) -> tuple[list[Row], list[Problem]]:
    """Read a sheet and check its header; a sheet without its required columns gives no rows."""
    try:
        columns, rows, faults = parse_tsv(read_utf8(path))
    except FileFault as fault:
        return [], [fault.problem("Correct the file; sheets are UTF-8 text with tabs between the cells")]
    problems = [Problem(str(path), line, fault, "Correct the row") for line, fault in faults]
    for row in rows:
        for name, cell in row.cells.items():
            if len(cell) > LONGEST_CELL:
                text = f"the cell {name} has {len(cell)} characters"
                problems.append(Problem(str(path), row.line, text, f"Shorten it to at most {LONGEST_CELL}"))
    missing = [name for name in required if name not in columns]
    unknown = [name for name in columns if name not in required + optional]
    if missing:
        todo = f"The first line must name, tab separated: {' '.join(required)}"
        problems.append(Problem(str(path), 1, f"the column {', '.join(missing)} is missing", todo))
    if unknown:
        todo = f"Known columns: {' '.join(required + optional)}"
        problems.append(Problem(str(path), 1, f"unknown column {', '.join(map(repr, unknown))}", todo))
    if missing:
        return [], problems
    return [Row(row.line, {name: row.cells.get(name, "") for name in required + optional}) for row in rows], problems


def _entries(path: Path, families: list[str], sheets: Sheets) -> tuple[dict[str, Entry], list[Problem]]:
    rows, problems = _sheet(path, sheets.catalogue, sheets.catalogue_optional)
    entries: dict[str, Entry] = {}
    for row in rows:
        key = row["entry"]
        found = re.fullmatch(f"({ID}):({ID})", key)
        if found and len(found[2]) > LONGEST_ID:
            text = f"the id of {key!r} has {len(found[2])} characters"
            problems.append(
                Problem(str(path), row.line, text, f"Use at most {LONGEST_ID}: file names are made from it")
            )
            continue
        if not found:
            todo = "Write family:id in small letters, digits and hyphens, e.g. mode:argument-audit"
            problems.append(Problem(str(path), row.line, f"the entry {key!r} is not of the form family:id", todo))
            continue
        if found[1] != row["family"] or found[1] not in families:
            todo = f"The family must be the part before the colon, and one of {', '.join(families)}"
            text = f"the entry {key} stands in the family {row['family']!r}"
            problems.append(Problem(str(path), row.line, text, todo))
            continue
        if key in entries:
            text = f"the entry {key} stands already in row {entries[key].row}"
            problems.append(Problem(str(path), row.line, text, "Keep one of the rows"))
            continue
        problems += [
            Problem(str(path), row.line, f"{key}: the {column} is empty", "Fill it in")
            for column in sheets.filled
            if not row[column]
        ]
        cells = (row.cells.get(c, "") for c in ("name", "target", "spec", "prompt", "source"))
        more = {name: row.cells.get(name, "") for name in ("challenge", "start")}
        entries[key] = Entry(key, found[1], found[2], *cells, row.line, **more)
    return entries, problems


def _captures(path: Path, sheets: Sheets) -> tuple[list[Capture], list[Problem]]:
    rows, problems = _sheet(path, sheets.captures, sheets.captures_optional)
    captures: list[Capture] = []
    first: dict[tuple[str, str], int] = {}
    for row in rows:
        key = row["entry"], row["configuration"]
        if key in first:
            text = f"the capture of {key[0]} by {key[1]} stands already in row {first[key]}"
            problems.append(Problem(str(path), row.line, text, "Keep one of the rows"))
            continue
        first[key] = row.line
        if row["accepted"] not in ACCEPTED:
            text = f"accepted is {row['accepted']!r}"
            problems.append(Problem(str(path), row.line, text, "Write yes or no"))
        amounts = {}
        for column in ("cost_usd", "minutes"):
            amounts[column], fault = amount(row[column])
            if fault:
                todo = "Write a number of 0 or more with a decimal point, or leave it empty if it is unknown"
                problems.append(Problem(str(path), row.line, f"{column} is {row[column]!r}: {fault}", todo))
        captures.append(
            Capture(
                *key,
                ACCEPTED.get(row["accepted"]),
                *(row.cells.get(c, "") for c in ("reason", "answer", "visual", "model_snapshot")),
                amounts["cost_usd"],
                amounts["minutes"],
                row["notes"],
                row.cells.get("prompt", ""),
                row.line,
                row.cells.get("run", ""),
            )
        )
    return captures, problems


def amount(cell: str) -> tuple[Decimal | None, str]:
    """Read an amount >= 0 exactly; empty is unknown (None). Returns it and what is wrong with it, or ''."""
    if not cell:
        return None, ""
    if len(cell) > 40 or "e" in cell.lower():
        return None, "not a plain number"
    if re.fullmatch(r"[0-9]+([.][0-9]*)?|[.][0-9]+", cell):
        return Decimal(cell), ""
    if re.fullmatch(r"-[0-9.]+", cell):
        return None, "less than 0"
    if cell.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return None, "not a finite number"
    return None, "not a number"
