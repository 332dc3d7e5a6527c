"""Which events of a long session a packet shows: deterministic, under a limit, and never without an error.

Events stand in classes. Every event of class 0 (errors) is always taken. Then come patches, test runs, claims and
events that show an error fixed; then checkpoints and the first step after each error; then all the rest. A class that
fits into the room left is taken whole; one that does not is thinned to every k-th event, with the first k that fits
from its size divided by the room upwards. The same session always gives the same choice.

Tests and sandbox events are chosen in the same way, in two classes: what went wrong, and the rest.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.problems import UserError
from assay.runs.telemetry import Event

CLASSES = (
    "errors",
    "patches, test runs, claims and fixes",
    "checkpoints and first steps after errors",
    "other events",
)
TESTS = ("failed tests", "other tests")
SANDBOX = ("refused sandbox events", "allowed sandbox events")
OVERHEAD = 120
"""Bytes that an event may take in a packet beyond its line: reference, place, and what became of a claim."""


@dataclass(frozen=True)
class Selection:
    """The places (from 0) of the events taken, in order, and by class how many there are and how many are left out."""

    places: tuple[int, ...]
    counts: Mapping[str, int]
    left_out: Mapping[str, int]

    def notice(self) -> str:
        """Say in one sentence what a packet leaves out; the packet carries it."""
        gone = [f"{number} of {self.counts[name]} {name}" for name, number in self.left_out.items() if number]
        if not gone:
            return "All events of the session are shown."
        first = next(iter(self.counts))
        return (
            f"Left out to keep the packet short: {', '.join(gone)}. All {first} are shown; the rest is evenly thinned."
        )


class ClassFold:
    """Takes the events of one session in order and keeps the class of each: one byte an event."""

    def __init__(self) -> None:
        self.classes = bytearray()
        self.after_error = False

    def add(self, event: Event) -> None:
        """Take the next event."""
        step = event.kind in ("action", "tool_call", "patch")
        self.classes.append(self._class(event, step))
        self.after_error = event.kind == "error" or (self.after_error and not step)

    def _class(self, event: Event, step: bool) -> int:
        data = event.data
        if event.kind == "error":
            return 0
        if event.kind in ("patch", "claim") or data.get("purpose") == "test":
            return 1
        if "test_result_after" in data or data.get("recovery_successful"):
            return 1
        return 2 if event.kind == "checkpoint" or (self.after_error and step) else 3


def choose(
    classes: Sequence[int],
    sizes: Sequence[int],
    limit: int,
    shown: Collection[int] | None = None,
    names: Sequence[str] = CLASSES,
) -> Selection:
    """Choose events under `limit` bytes. `sizes` are bytes an event takes; `shown` are the places that the judge may
    see at all (None = all); `names` are those of the classes. Raises UserError when class 0 alone does not fit."""
    allowed = range(len(classes)) if shown is None else sorted(shown)
    groups: list[list[int]] = [[] for _ in names]
    for place in allowed:
        groups[classes[place]].append(place)
    taken: list[int] = []
    room = limit
    for number, group in enumerate(groups):
        part = group if number == 0 else _thinned(group, sizes, room)
        room -= sum(sizes[place] for place in part)
        if room < 0:
            raise UserError(
                f"the {len(group)} {names[0]} of a run take {limit - room} bytes of a packet, more than the {limit} "
                "left for them, and none of them is ever left out. Raise `telemetry.packet_tokens` of the protocol."
            )
        taken += part
    kept = set(taken)
    counts = {name: len(group) for name, group in zip(names, groups, strict=True)}
    left = {name: sum(p not in kept for p in group) for name, group in zip(names, groups, strict=True)}
    return Selection(tuple(sorted(taken)), counts, left)


def _thinned(group: list[int], sizes: Sequence[int], room: int) -> list[int]:
    """Return every k-th of a group with the smallest k that fits; nothing when not even one fits."""
    weight = sum(sizes[place] for place in group)
    step = max(1, -(-weight // room)) if room > 0 else len(group) + 1
    while step <= len(group):
        part = group[::step]
        if sum(sizes[place] for place in part) <= room:
            return part
        step += 1
    return []


def byte_limit(protocol: Mapping[str, Any]) -> int:
    """Return the protocol's token limit in bytes."""
    return protocol["telemetry"]["packet_tokens"] * protocol["telemetry"]["bytes_per_token"]
