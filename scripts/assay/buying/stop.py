"""Stopping a run: what one job has learned the hard way, the others need not."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from assay.buying.clock import Clock
from assay.buying.locks import exclusive
from assay.canonical import loads
from assay.files import write_json
from assay.problems import UserError

_SLICE_SECONDS = 0.5


class RunStopped(UserError):
    """Every further call of this run would fail in the same way, so none is made."""


class OverBudget(RunStopped):
    """A further call could pass the budget. Unlike other reasons to stop, it leaves a partial run that may be shown."""


def _file(root: Path) -> Path:
    return root / "stop.json"


def checkpoint(root: Path) -> Path:
    """Return the file that keeps what was spent up to some line of the journal, while a run goes on (budget.py)."""
    return root / "limits" / "spent.checkpoint"


def halt(root: Path, message: str, kind: type[RunStopped] = RunStopped) -> NoReturn:
    """End this run: the first reason is kept for every later job. Raises `kind` with `message`."""
    end_run(root, message, kind)
    raise kind(message)


def end_run(root: Path, message: str, kind: type[RunStopped] = RunStopped) -> None:
    """Keep the reason why no job of this run may make another call; the first one stays."""
    with suppress(OSError):  # a full disk may be the very reason; the message still reaches the user
        draft = root / f"stop.{os.uname().nodename}.{os.getpid()}.part"
        write_json(draft, {"message": message, "over_budget": kind is OverBudget})
        with suppress(FileExistsError):
            os.link(draft, _file(root))  # unlike a rename, this never replaces an earlier reason
        draft.unlink()


class Stop(NamedTuple):
    """Why a run was ended; `over_budget`: by the budget, which a partial run may show."""

    message: str
    over_budget: bool


def reason(root: Path) -> Stop | None:
    """Return why this run was ended, None if it was not."""
    try:
        kept = loads(_file(root).read_bytes())
    except FileNotFoundError:
        return None
    return Stop(kept["message"], kept["over_budget"])


def check(root: Path) -> None:
    """Raise RunStopped with the reason if this run was ended, OverBudget if it was by the budget."""
    found = reason(root)
    if found and found.over_budget:
        raise OverBudget(found.message)
    if found:
        raise RunStopped(f"no call was made, since this run was stopped: {found.message}")


def clear_stop(root: Path) -> None:
    """Begin a new run: forget an earlier reason to stop, and that the judges have answered."""
    _file(root).unlink(missing_ok=True)
    checkpoint(root).unlink(missing_ok=True)  # someone may have mended the journal by hand
    for draft in root.glob("stop.*.part"):
        draft.unlink(missing_ok=True)
    for mark in [*(root / "limits").glob("*.proven"), *(root / "limits").glob("*.silent")]:
        mark.unlink(missing_ok=True)


def pause(root: Path, seconds: float, clock: Clock) -> None:
    """Wait, and raise RunStopped as soon as the run is ended."""
    end = clock.monotonic() + seconds
    check(root)
    while (left := end - clock.monotonic()) > 0:
        clock.sleep(min(left, _SLICE_SECONDS))
        check(root)


def _mark(root: Path, judge: str) -> Path:
    return root / "limits" / f"{file_name(judge)}.proven"


def file_name(judge: str) -> str:
    """Return a judge's id as a safe file name."""
    return re.sub(r"[^A-Za-z0-9_-]", lambda found: f"%{ord(found[0]):x}", judge)


@contextmanager
def first_call_alone(root: Path, judge: str) -> Iterator[None]:
    """Until a judge has answered once in this run, let its calls go one at a time: a wrong key is then tried once."""
    with ExitStack() as stack:
        if not _mark(root, judge).exists():
            stack.enter_context(exclusive(root / "locks" / f"first-{file_name(judge)}"))
            if _mark(root, judge).exists():
                stack.close()
        yield


def proven(root: Path, judge: str) -> None:
    """Remember that key, model and address of a judge work."""
    mark = _mark(root, judge)
    if not mark.exists():
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def answered(root: Path, judge: str) -> None:
    """Remember that a judge answers: its key, model and address work, and its provider is well."""
    proven(root, judge)
    _silence(root, judge).unlink(missing_ok=True)


def unanswered(root: Path, judge: str) -> int:
    """Count one more request that a judge has left without an answer; return how many those are since its last answer.

    Each adds a byte, so that no two processes need to agree on a number.
    """
    file = _silence(root, judge)
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "ab") as out:
        out.write(b".")
    return file.stat().st_size


def _silence(root: Path, judge: str) -> Path:
    return root / "limits" / f"{file_name(judge)}.silent"
