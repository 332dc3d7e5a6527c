"""Which verdicts a run still lacks, and why: in one place at the end, instead of in thousands of logs."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.files import read_json
from assay.progress import is_no_verdict

NOT_ASKED = "not asked for"
_SHOWN = 10


class Missing(NamedTuple):
    """A verdict that is not there: its capture and judge in words, and the reason."""

    name: str
    reason: str


def log_of(path: str) -> str:
    """Return the log of the job that makes a file of results/."""
    return os.path.join("logs", os.path.relpath(path, "results").removesuffix(".json") + ".log")


def name_of(path: str) -> str:
    """Say in words whose verdict a path names."""
    configuration, family, identity, judge = Path(path).with_suffix("").parts[-4:]
    return f"{family}:{identity} by {configuration}, {judge}"


def missing(paths: Iterable[str], since: float) -> list[Missing]:
    """Return the verdicts that are not there. `since`: seconds since 1970; older logs tell of an earlier start."""
    found = []
    for path in paths:
        if is_no_verdict(path):
            found.append(Missing(name_of(path), read_json(path)["reason"]))
        elif not os.path.exists(path):
            found.append(Missing(name_of(path), failure(log_of(path), since) or NOT_ASKED))
    return found


def failure(log: str, since: float) -> str:
    """Return what a job's log says of its failure, '' if it did not fail in this start."""
    try:
        if os.stat(log).st_mtime < since:
            return ""
        with open(log, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return ""
    _, found, reason = text.rpartition("error: ")
    return " ".join(reason.split()) if found else ""


def summary(found: Sequence[Missing], verdicts: int, stop: str, checks: Sequence[str], listed: str) -> str:
    """Return the message at the end of a run that lacks verdicts.

    `stop`: why the run was ended, if it was; `checks`: what is wrong with judges that do not answer; `listed`: the file
    that lists every missing verdict.
    """
    common = _without_judge(stop)
    own = [item for item in found if item.reason != NOT_ASKED and not (stop and common in item.reason)]
    lines = [f"{verdicts - len(found)} of {verdicts} verdicts are there and kept; missing: {len(found)}."]
    lines += [f"The run was stopped: {stop}"] if stop else checks
    lines += [f"  {item.name}: {item.reason.removeprefix(f'{item.name}: ')}" for item in own[:_SHOWN]]
    lines += [f"  ... and {len(own) - _SHOWN} more that failed"] if len(own) > _SHOWN else []
    if own and len(found) > len(own):
        lines.append(f"  not asked for: {len(found) - len(own)}")
    lines.append(f"Every missing verdict with its reason: {listed}")
    return "\n".join(lines)


def _without_judge(text: str) -> str:
    """Jobs of several judges may meet the same stop; only their names differ then."""
    head, found, rest = text.partition(": ")
    return rest if found and head.startswith("judge ") else text
