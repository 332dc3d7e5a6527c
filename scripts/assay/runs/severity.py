"""tests/severity.tsv: how critical each test is."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from assay.runs.faults import Faults
from assay.runs.junit import TestCase
from assay.runs.texts import read_text

LEVELS = ("critical", "high", "medium")


def read_severity(path: Path, faults: Faults) -> dict[str, str]:
    """Return the level by the test's name as written (columns `test level`, a header row, tab separated)."""
    text = read_text(path, faults)
    if text is None:
        return {}
    lines = text.split("\n")
    if lines[0].split("\t") != ["test", "level"]:
        faults.add(1, "the first row is not `test<tab>level`", "Begin the file with that header row")
        return {}
    levels: dict[str, str] = {}
    for row, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 2 or not cells[0].strip():
            faults.add(row, f"the row has {len(cells)} cells, not a test and a level", "Write test<tab>level")
        elif cells[1].strip() not in LEVELS:
            faults.add(row, f"the level {cells[1].strip()!r} is unknown", f"Use one of {', '.join(LEVELS)}")
        elif cells[0].strip() in levels:
            faults.add(row, f"the test {cells[0].strip()!r} stands twice", "Keep one row for each test")
        else:
            levels[cells[0].strip()] = cells[1].strip()
    return levels


def level_of(test: TestCase, levels: Mapping[str, str], default: str = "medium") -> str:
    """Return the level of `test`: by its id, else by `classname.name`, else by its bare name, else `default`."""
    for name in names_of(test):
        if name in levels:
            return levels[name]
    return default


def names_of(test: TestCase) -> tuple[str, str, str]:
    """Return the ways in which a file may name `test`, the most exact first."""
    return test.id, f"{test.classname}.{test.name}", test.name


def unmatched(levels: Mapping[str, str], tests: Iterable[TestCase]) -> list[str]:
    """Return, sorted, the names with a level that no test has: a typing error, or a test that did not run."""
    known = {name for test in tests for name in names_of(test)}
    return sorted(set(levels) - known)
