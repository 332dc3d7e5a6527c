"""What a person sees while judges are asked: verdicts, calls, money and failures, and the end of a run that must stop.

A thread of the main process reads what is new in the journal and which verdicts are there. It writes one line, again
and again in place on a terminal, now and then as a plain line elsewhere.
"""

import logging
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, TextIO

from assay.buying.budget import Totals, add_up
from assay.buying.journal import Attempt, Journal, fold
from assay.canonical import loads

NO_VERDICT = b'"format":"assay-no-verdict-1"'
_TICK_SECONDS = 0.1  # between two looks for a reason to stop
_LOOK_TICKS = 10  # between two looks at journal and verdicts
_PLAIN_TICKS = 100  # between two lines where they cannot be written in place
_CLEAR = "\r\x1b[2K"


class State(NamedTuple):
    """A run at one instant. `projected`: US dollars that all of it will have cost; None = not known."""

    verdicts: int
    done: int
    failed: int
    money: Totals
    projected: Decimal | None


class Watch:
    """Looks at a run; each look reads only what is new.

    `verdicts`: how many the run has in all; `pending`: the paths of those that this start makes; `metered`: the judges
    that cost money. A pending file that is there already is an old one until it changes.
    """

    def __init__(self, store: Path, verdicts: int, pending: Sequence[str], metered: Collection[str]) -> None:
        self._journal, self._offset = Journal(store), 0
        self._attempts: dict[tuple[str, int], Attempt] = {}
        self._verdicts, self._metered = verdicts, metered
        self._old = {path: _changed(path) for path in pending}
        self._missing = 0
        self.done: set[str] = set()

    def look(self, failed_jobs: int = 0) -> State:
        """Return the state of the run now; `failed_jobs` are the verdicts whose jobs have failed."""
        self._read_journal()
        for path in [path for path, old in self._old.items() if _changed(path) not in (None, old)]:
            del self._old[path]
            self.done.add(path)
            self._missing += is_no_verdict(path)
        done = self._verdicts - len(self._old) - self._missing
        money = add_up(self._attempts.values(), self._journal)
        return State(self._verdicts, done, self._missing + failed_jobs, money, self._projected(money))

    def _read_journal(self) -> None:
        try:
            with open(self._journal.path, "rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            try:
                fold(self._attempts, loads(line))
            except (ValueError, KeyError):
                continue  # damaged: the next job that asks a judge stops with a message about it

    def _projected(self, money: Totals) -> Decimal | None:
        """What was spent, and for every verdict to come the mean cost of its judge's answers."""
        to_do = Counter(judge for path in self._old if (judge := Path(path).stem) in self._metered)
        total = money.all
        for judge, count in to_do.items():
            answers = [a for a in self._attempts.values() if a.judge == judge and a.state == "stored"]
            if not answers or any(answer.cost is None for answer in answers):
                return None
            total += count * sum(answer.price for answer in answers) / len(answers)
        return total


def _changed(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return None


def is_no_verdict(path: str) -> bool:
    """Say whether a file stands where a verdict should, and says why there is none."""
    try:
        with open(path, "rb") as file:
            return NO_VERDICT in file.read()
    except FileNotFoundError:
        return False


def line(state: State) -> str:
    """Return the state in one line."""
    money = state.money
    parts = [f"{state.done} of {state.verdicts} verdicts, {state.verdicts - state.done - state.failed} to do"]
    parts += [f"{state.failed} failed"] if state.failed else []
    if money.answered or money.in_flight or money.doubtful or money.failed:
        parts.append(f"{money.answered} calls answered, {money.in_flight} in flight")
        parts += [f"{money.doubtful} in doubt"] if money.doubtful else []
        spent = f"{'at least ' if money.unpriced else ''}${dollars(money.spent + money.held)} spent"
        about = "" if state.projected is None else f", about ${dollars(state.projected)} in all"
        parts.append(spent + about)
    return f"judging: {'; '.join(parts)}"


def dollars(amount: Decimal) -> str:
    """Write US dollars for reading: two decimals from ten dollars on, else four."""
    return f"{amount:.2f}" if amount >= 10 else f"{amount:.4f}"


class Progress(threading.Thread):
    """Shows the state of a run until it is stopped.

    `failed_jobs` says how many verdicts' jobs have failed; `stopped` says whether the run has a reason to stop, and
    `stop` ends it.
    """

    def __init__(
        self,
        watch: Watch,
        failed_jobs: Callable[[], int],
        stopped: Callable[[], bool],
        stop: Callable[[], None],
        out: TextIO = sys.stderr,
    ) -> None:
        super().__init__(name="progress", daemon=True)
        self._watch, self._failed_jobs, self._stopped, self._stop, self._out = watch, failed_jobs, stopped, stop, out
        self._in_place, self._shown, self._end = out.isatty(), "", threading.Event()

    def run(self) -> None:
        ticks, stopping = 0, False
        while not self._end.wait(_TICK_SECONDS):
            ticks += 1
            if not stopping and self._stopped():
                stopping = True
                self._stop()
            if ticks % (_LOOK_TICKS if self._in_place else _PLAIN_TICKS) == 0:
                self._show(self._watch.look(self._failed_jobs()))

    def finish(self) -> State:
        """End the thread, show the last state, and return it."""
        self._end.set()
        self.join()
        state = self._watch.look(self._failed_jobs())
        self._show(state)
        if self._in_place and self._shown:
            self._out.write("\n")
        return state

    def _show(self, state: State) -> None:
        text = line(state)
        if text == self._shown:
            return
        self._shown = text
        self._out.write(f"{_CLEAR}{text}" if self._in_place else f"{text}\n")
        self._out.flush()

    def make_room(self, handlers: Collection[logging.Handler]) -> None:
        """On a terminal, take the line away before a handler writes there, and put it back with the next look."""
        for handler in handlers:
            if self._in_place and getattr(handler, "stream", None) is self._out:
                handler.addFilter(self._clear)

    def _clear(self, record: logging.LogRecord) -> bool:
        if self._shown and not self._end.is_set():
            self._shown = ""
            self._out.write(_CLEAR)
        return True
