"""telemetry.jsonl: an agent's session, read as a stream of checked events."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from assay.runs.checker import Check, compiled
from assay.runs.faults import Faults
from assay.runs.lines import json_lines, micros
from assay.runs.texts import schema_of

KINDS = ("action", "tool_call", "error", "patch", "context", "claim", "checkpoint")
_CODES = {kind: code for code, kind in enumerate(KINDS)}
_SEE = "See schemas/telemetry-event.schema.yaml for what an event of this kind holds"
_PLACES = -12


class Event(NamedTuple):
    """One checked event. `micros` is its time in microseconds since 1970 (UTC), None when no clock was kept."""

    line: int
    id: str
    kind: str
    micros: int | None
    data: Mapping[str, Any]


class Fold(Protocol):
    """Something that takes the events of a session one after the other."""

    def add(self, event: Event) -> None:
        """Take the next event."""


@dataclass
class Trace:
    """What stays in memory of a session: 13 bytes an event, in file order.

    `lines` = line number, `kinds` = index into KINDS, `times` = microseconds (empty without a clock),
    `sizes` = bytes of the line.
    """

    lines: array = field(default_factory=lambda: array("I"))
    kinds: bytearray = field(default_factory=bytearray)
    times: array = field(default_factory=lambda: array("q"))
    sizes: array = field(default_factory=lambda: array("I"))


@cache
def checks() -> dict[str, Check]:
    """Return, by kind, the quick check of an event against its schema."""
    schema = schema_of("telemetry-event")
    return {kind: compiled(schema["$defs"][kind], schema) for kind in KINDS}


class _Order:
    """What must hold between events: unique ids, times in order, references to something earlier."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.ids: set[str] = set()
        self.patches: set[str] = set()
        self.errors: set[str] = set()
        self.clock: bool | None = None
        self.latest: int | None = None

    def time(self, number: int, text: str | None) -> tuple[bool, int | None]:
        """Return whether the time may stand, and the time."""
        if self.clock is None:
            self.clock = text is not None
        if self.clock != (text is not None):
            self.faults.add(number, "some events have a time and some have null", "Give all of them, or none, a time")
            return False, None
        if text is None:
            return True, None
        try:
            moment = micros(text)
        except ValueError as error:
            self.faults.add(number, str(error), "Write it like 2026-05-01T09:30:00Z or with +02:00 at the end")
            return False, None
        if self.latest is not None and moment < self.latest:
            self.faults.add(number, f"the time {text} is before that of an earlier line", "Sort the events by time")
            return False, None
        self.latest = moment
        return True, moment

    def identity(self, number: int, name: str) -> bool:
        if name in self.ids:
            self.faults.add(number, f"the id {name!r} was used by an earlier event", "Give each event its own id")
            return False
        self.ids.add(name)
        return True

    def references(self, number: int, event: Mapping[str, Any]) -> bool:
        good = True
        if "reverts" in event:
            good = self._earlier(number, event["reverts"], self.patches, "reverts", "patch")
        if "resolves" in event:
            good = self._earlier(number, event["resolves"], self.errors, "resolves", "error") and good
        if "recovery_successful" in event and not event.get("resolves"):
            self.faults.add(number, "recovery_successful stands without `resolves`", "Say which errors it is about")
            good = False
        if event["kind"] == "patch":
            self.patches.add(event["id"])
        elif event["kind"] == "error":
            self.errors.add(event.get("error", event["id"]))
        return good

    def _earlier(self, number: int, names: Sequence[str], known: set[str], verb: str, what: str) -> bool:
        lost = [name for name in names if name not in known]
        for name in lost:
            self.faults.add(number, f"it {verb} {name!r}, which is no earlier {what}", f"Name an earlier {what}")
        return not lost


def events(path: Path, faults: Faults, trace: Trace | None = None) -> Iterator[Event]:
    """Yield the sound events of a telemetry file in order; every other line becomes a problem with its number.

    Fills `trace` on the way. Memory grows with the number of events by their ids alone.
    """
    order = _Order(faults)
    quick = checks()
    for number, size, data in json_lines(path, faults):
        kind = data.get("kind")
        check = quick.get(kind) if isinstance(kind, str) else None
        if check is None:
            faults.add(number, f"the kind {kind!r} is unknown", f"Use one of {', '.join(KINDS)}")
            continue
        fault = check(data) or _fine_numbers(data)
        if fault:
            faults.add(number, f"the event {fault}", _SEE)
            continue
        timed, moment = order.time(number, data["time"])
        unique = order.identity(number, data["id"])
        if not (order.references(number, data) and timed and unique):
            continue
        if trace is not None:
            trace.lines.append(number)
            trace.kinds.append(_CODES[kind])
            trace.sizes.append(size)
            if moment is not None:
                trace.times.append(moment)
        yield Event(number, data["id"], kind, moment, data)


def _fine_numbers(data: Mapping[str, Any]) -> str | None:
    """Refuse numbers with so many places that writing them out would take a book."""
    for name in ("seconds", "confidence"):
        if name in data:
            value = data[name]
            if isinstance(value, Decimal) and value.as_tuple().exponent < _PLACES:
                return f"field `{name}` has more than {-_PLACES} decimal places"
    return None


def scan(path: Path, faults: Faults, folds: Sequence[Fold] = ()) -> Trace:
    """Read a telemetry file once, give every sound event to every fold, and return the trace of the session."""
    trace = Trace()
    takers = [fold.add for fold in folds]
    for event in events(path, faults, trace):
        for take in takers:
            take(event)
    return trace


def feed(stream: Iterable[Event], fold: Fold) -> None:
    """Give every event of a stream to one fold."""
    for event in stream:
        fold.add(event)


def pick(path: Path, wanted: Collection[int]) -> list[tuple[int, dict[str, Any]]]:
    """Return (line number, event) of the `wanted` lines of a file that was scanned before, in file order."""
    chosen = set(wanted)
    return [(number, value) for number, _, value in json_lines(path, Faults(path.name), chosen)]


def parse_events(rows: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Return events that are already in memory (each valid, in order) as a stream for the folds."""
    made = []
    for line, data in enumerate(rows, 1):
        moment = None if data["time"] is None else micros(data["time"])
        made.append(Event(line, data["id"], data["kind"], moment, data))
    return made
