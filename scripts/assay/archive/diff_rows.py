"""The rows in which `diff` says what differs between two finished runs: what both protocols have in common."""

from collections.abc import Iterator, Mapping, Sequence

from assay.archive.compare import shorten
from assay.canonical import canonical

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
