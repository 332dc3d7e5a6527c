"""Dwell: how long a session reads and searches before its first patch."""

from fractions import Fraction

from assay.runs.telemetry import Event

_MICRO = 1000000
_STEPS = frozenset(("action", "tool_call", "patch", "error"))
_LOOKING = frozenset(("read", "search"))


class Dwell:
    """Adds up the time of reading and searching until the first patch, in microseconds.

    A step that states its `seconds` takes that long; another one lasts until the next action, tool call, patch or
    error. Steps that overlap are counted once, and nothing is counted beyond the first patch.
    """

    def __init__(self) -> None:
        self.done = False
        self.sum = Fraction(0)
        self.covered: Fraction | None = None
        self.open: int | None = None

    def add(self, event: Event) -> None:
        """Take the next event."""
        if self.done or event.micros is None or event.kind not in _STEPS:
            return
        now = event.micros
        if self.open is not None:
            self._span(Fraction(self.open), Fraction(now))
            self.open = None
        if event.kind == "patch":
            self.done = True
            if self.covered is not None and self.covered > now:
                self.sum -= self.covered - now
        elif event.data.get("purpose") in _LOOKING:
            seconds = event.data.get("seconds")
            if seconds is None:
                self.open = now
            else:
                self._span(Fraction(now), now + Fraction(seconds) * _MICRO)

    def _span(self, start: Fraction, end: Fraction) -> None:
        start = start if self.covered is None else max(start, self.covered)
        if end > start:
            self.sum += end - start
            self.covered = end

    def total(self) -> Fraction:
        """Return the time in microseconds."""
        return self.sum
