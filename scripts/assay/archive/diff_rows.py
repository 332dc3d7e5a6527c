"""The rows in which `diff` says what differs between two finished runs: what both protocols have in common."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.archive.compare import shorten
from assay.canonical import canonical
from assay.files import read_json
from assay.report.scores import place
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


@dataclass(frozen=True)
class Finished:
    """What runs of both protocols are compared by: `judges` by their identities, `captures` with whether each is
    scored, else why not, the verdicts of each scored one, and the rows of the ledger and of the summary."""

    judges: Mapping[str, Mapping]
    captures: Mapping[Key, str]
    verdicts: dict[Key, dict[str, Mapping]]
    ledger: Mapping[Key, Row]
    summary: Mapping[str, Row]


def read_parts(folder: Path, judges: Mapping[str, Mapping], intake: Mapping) -> dict[str, Mapping]:
    """Read the fields of Finished. Raises UserError where a file is missing."""
    verdicts = {
        (capture["entry"], capture["configuration"]): {
            judge: read_json(folder / f"results/verdicts/{place(capture)}/{judge}.json") for judge in judges
        }
        for capture in intake["scored"]
    }
    tables = folder / "results/tables"
    return {
        "judges": judges,
        "captures": _states(intake),
        "verdicts": verdicts,
        "ledger": {(found["entry"], found["configuration"]): found for found in read_tsv(tables / "ledger.tsv")},
        "summary": {found["configuration"]: found for found in read_tsv(tables / "summary.tsv")},
    }


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


def order_row(before: Finished, after: Finished, column: str, what: str, why: Sequence[str]) -> list[Row]:
    """Return the difference of the order of configurations by a column of the summary, if there is one."""
    orders = [ranking(run.summary, column) for run in (before, after)]
    return [row("conclusion", "all configurations", what, *orders, why)] if orders[0] != orders[1] else []


def other_captures(before: Finished, after: Finished, configuration: str) -> set[str]:
    """Return `captures` as a reason where other captures of a configuration are scored."""
    held = [{key for key in run.ledger if key[1] == configuration} for run in (before, after)]
    return {"captures"} if held[0] != held[1] else set()


def _states(intake: Mapping) -> dict[Key, str]:
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
