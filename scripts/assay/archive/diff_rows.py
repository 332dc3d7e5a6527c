"""The rows in which `diff` says what differs between two finished runs: what both protocols have in common."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from assay.archive.compare import shorten
from assay.canonical import canonical
from assay.scoring.numbers import exact
from assay.sheets import read_tsv

COLUMNS = ["kind", "where", "what", "before", "after", "why"]
KINDS = ("protocol", "judge", "capture", "verdict", "score", "conclusion")
Key = tuple[str, str]
Row = dict[str, str]


def row(kind: str, where: str, what: str, before: str, after: str, why: Sequence[str] = ()) -> Row:
    """Return one difference; `why` are its reasons in the order in which they are to be named."""
    return dict(zip(COLUMNS, (kind, where, what, before, after, ", ".join(why)), strict=True))


def changed_keys(before: Mapping, after: Mapping) -> list[str]:
    """Return the keys whose values differ, sorted; a key that one side lacks differs."""
    missing = object()
    return [
        key
        for key in sorted(before.keys() | after.keys())
        if missing in (before.get(key, missing), after.get(key, missing))
        or canonical(before[key]) != canonical(after[key])
    ]


def ledger(folder: Path) -> dict[Key, Row]:
    """Return the rows of a run's ledger by (entry, configuration)."""
    return {(found["entry"], found["configuration"]): found for found in read_tsv(folder / "results/tables/ledger.tsv")}


def summary(folder: Path) -> dict[str, Row]:
    """Return the rows of a run's summary by configuration."""
    return {found["configuration"]: found for found in read_tsv(folder / "results/tables/summary.tsv")}


def by_configuration(keys: Iterable[Key]) -> list[Key]:
    """Return captures sorted by configuration, then entry."""
    return sorted(keys, key=lambda key: (key[1], key[0]))


def cells(before: Mapping[str, str], after: Mapping[str, str], column: str) -> list[str]:
    """Return what two rows of a table hold in one column, `none` where there is no row or no such column."""
    return [found.get(column, "none") for found in (before, after)]


def ranking(found: Mapping[str, Mapping[str, str]], column: str = "mean_overall") -> str:
    """Return the configurations of a summary from the highest mean to the lowest, equal ones joined by `=`."""
    groups: dict[object, list[str]] = {}
    for id_ in sorted(found):
        if found[id_][column]:
            groups.setdefault(exact(found[id_][column]), []).append(id_)
    return " > ".join(" = ".join(groups[mean]) for mean in sorted(groups, reverse=True))


def captures(intake: Mapping) -> dict[Key, str]:
    """Return of every (entry, configuration) of a run whether it is scored, else why not."""
    found = {(c["entry"], c["configuration"]): "scored" for c in intake["scored"]}
    found |= {(a["entry"], a["configuration"]): f"{a['kind']}: {a['reason']}" for a in intake["aside"]}
    return found | dict.fromkeys(map(tuple, intake["missing"]), "not held")


def judge_rows(before: Mapping[str, Mapping], after: Mapping[str, Mapping]) -> Iterator[Row]:
    """Yield what differs between the judges of two panels, given by their identities."""
    for judge in sorted(before.keys() | after.keys()):
        a, b = before.get(judge, {}), after.get(judge, {})
        for name in changed_keys(a, b):
            yield row("judge", judge, name, one_line(a.get(name)), one_line(b.get(name)))


def state_row(before: Mapping[Key, str], after: Mapping[Key, str], key: Key) -> list[Row]:
    """Return the difference of a capture's state, if there is one."""
    states = [run.get(key, "not in the bundle") for run in (before, after)]
    return [row("capture", capture_name(key), "state", *states)] if states[0] != states[1] else []


def capture_name(key: Key) -> str:
    """Return how a capture is called."""
    return f"{key[0]} by {key[1]}"


def one_line(found: object) -> str:
    """Return a value in one line."""
    return shorten(found if isinstance(found, str) else canonical(found))
