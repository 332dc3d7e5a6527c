"""The journal: what was sent and what came of it, one line each, on the disk before anything depends on it.

It is the only record of money: spending is the sum over its lines, so that it cannot disagree with another ledger.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Literal

from assay.buying.locks import is_held, request_lock
from assay.canonical import canonical, loads
from assay.problems import UserError
from assay.store import Store

Event = Literal["sent", "answering", "stored", "failed", "in_doubt", "looked_up", "resent"]


@dataclass(frozen=True)
class Attempt:
    """One call as the journal knows it. `reserved` and `cost` are US dollars, None = unknown.

    `state`: sent (no outcome yet), stored (answered), failed (surely not billed), in_doubt (may have been billed).
    `answer_id`: the id under which the API may be asked for the answer. `resent`: a later attempt was made after it.
    """

    sha: str
    judge: str
    number: int
    sent: str
    reserved: Decimal | None
    state: Literal["sent", "stored", "failed", "in_doubt"] = "sent"
    cost: Decimal | None = None
    answer_id: str = ""
    why: str = ""
    resent: bool = False

    @property
    def price(self) -> Decimal:
        """Dollars that count against the budget: the cost where it is known, else what was reserved."""
        if self.state == "failed":
            return Decimal(0)
        return next((amount for amount in (self.cost, self.reserved) if amount is not None), Decimal(0))


def attempts(lines: Iterable[dict]) -> list[Attempt]:
    """Fold the journal's lines into its attempts, in the order in which they were sent."""
    found: dict[tuple[str, int], Attempt] = {}
    for line in lines:
        fold(found, line)
    return list(found.values())


def fold(found: dict[tuple[str, int], Attempt], line: dict) -> None:
    """Take one more line of the journal into the attempts `found` so far, by request and number."""
    key = (line["sha"], line["attempt"])
    if line["event"] == "sent":
        found[key] = Attempt(line["sha"], line["judge"], line["attempt"], line["time"], _money(line["reserved"]))
    elif key in found:
        found[key] = _advance(found[key], line)


def _money(value: object) -> Decimal | None:
    return None if value is None else Decimal(value)


def _advance(attempt: Attempt, line: dict) -> Attempt:
    event = line["event"]
    if event == "answering":
        return replace(attempt, answer_id=line["answer_id"])
    if event == "resent":
        return replace(attempt, resent=True)
    if event == "looked_up":
        return replace(attempt, cost=_money(line["cost"]))
    cost = _money(line["cost"]) if event == "stored" else attempt.cost
    return replace(
        attempt, state=event, cost=cost, why=line.get("why", ""), answer_id=line.get("answer_id", attempt.answer_id)
    )


class Journal:
    """The append-only file `journal.jsonl` of a store, shared by all processes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / "journal.jsonl"

    def add(self, event: Event, **fields: object) -> None:
        """Append one line; it is on the disk when this returns."""
        with self.locked() as append:
            append({"event": event, **fields})

    @contextmanager
    def locked(self) -> Iterator["Append"]:
        """Keep every other process from writing; yield a function that appends a line. For read, decide and write."""
        self.root.mkdir(parents=True, exist_ok=True)
        new = not self.path.exists()
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            _cut_torn_line(handle)
            yield Append(handle)
            os.fsync(handle)
            if new:
                _sync(self.root)
        finally:
            os.close(handle)

    def lines(self, sha: str | None = None) -> list[dict]:
        """Return the whole lines, of one request or of all. Raises UserError where a line was damaged."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        wanted = (sha or "").encode()
        if wanted not in data:
            return []
        return [line for line in self.parse(data, wanted) if sha in (None, line["sha"])]

    def parse(self, data: bytes, wanted: bytes = b"") -> list[dict]:
        """Return the whole lines in a part of the file that hold `wanted`. Raises UserError where one is damaged."""
        complete = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]
        return [self._parse(line) for line in complete if wanted in line]

    def attempts(self, sha: str | None = None) -> list[Attempt]:
        """Return the attempts of one request or of all."""
        return attempts(self.lines(sha))

    def _parse(self, line: bytes) -> dict:
        try:
            parsed = loads(line)
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict) or not {"event", "sha", "attempt"} <= parsed.keys():
            row = 1 + self.path.read_bytes().split(b"\n").index(line)
            raise UserError(
                f"{self.path}, row {row}: this line is damaged, so what was spent is not known. "
                "Put the file back from a backup, or delete this row if you accept that its call is not counted."
            )
        return parsed


@dataclass(frozen=True)
class Append:
    """Appends a line to the locked journal."""

    handle: int

    def __call__(self, line: dict) -> None:
        data = canonical(line).encode() + b"\n"
        while data:
            data = data[os.write(self.handle, data) :]


def _cut_torn_line(handle: int) -> None:
    """Remove a last line without its end: its writer was killed before anything could depend on it."""
    size = os.fstat(handle).st_size
    position = size
    while position:
        start = max(0, position - 4096)
        found = os.pread(handle, position - start, start).rfind(b"\n")
        if found >= 0:
            position = start + found + 1
            break
        position = start
    if position != size:
        os.ftruncate(handle, position)


def _sync(folder: Path) -> None:
    from assay.files import sync_folder

    sync_folder(folder)


def ever_in_doubt(journal: Journal, store: Store) -> list[Attempt]:
    """Return every attempt that may have been billed without giving an answer, also those that were sent again.

    An attempt without an outcome counts as soon as no living process holds its request, unless its answer is stored.
    """
    return [attempt for attempt in journal.attempts() if _is_doubtful(attempt, store)]


def in_doubt(journal: Journal, store: Store) -> list[Attempt]:
    """Return the attempts in doubt whose request still has no stored answer: what a person may want to look into."""
    return [attempt for attempt in ever_in_doubt(journal, store) if not store.path(attempt.sha).exists()]


def _is_doubtful(attempt: Attempt, store: Store) -> bool:
    if attempt.state == "in_doubt":
        return True
    if attempt.state != "sent" or store.path(attempt.sha).exists():
        return False
    return not is_held(request_lock(store.root, attempt.sha))
