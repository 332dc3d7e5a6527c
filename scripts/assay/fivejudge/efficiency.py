"""Efficiency and the calibration adjustment: the two parts that only named weight sets use."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from assay.fivejudge.claims import Settled, gap
from assay.fivejudge.exact import clamped, rounded
from assay.runs.telemetry import Event, feed


@dataclass(frozen=True)
class Efficiency:
    """100 · (1 − wasted calls / calls), rounded to six places; None with the reason when there is no tool call.

    A call is wasted when its result was not used, when it repeats the call directly before it, or when it tries again
    a call that an error followed although nothing was changed since. Each call is counted once in `wasted`.
    """

    score: Decimal | None
    reason: str
    calls: int
    wasted: int
    unused: int
    repeats: int
    retries: int


class EfficiencyFold:
    """Takes the events of one session in order; `result` gives its Efficiency. Only patches and actions change."""

    def __init__(self) -> None:
        self.counts = array("Q", [0] * 5)
        self.previous: tuple[str, str] | None = None
        self.current: tuple[str, str] | None = None
        self.failed: set[tuple[str, str]] = set()

    def add(self, event: Event) -> None:
        """Take the next event."""
        if event.kind == "tool_call":
            call = (event.data["tool"], event.data["arguments_digest"])
            unused = event.data.get("result_used") is False
            repeat = call == self.previous
            retry = call in self.failed
            for place, hit in enumerate((True, unused or repeat or retry, unused, repeat, retry)):
                self.counts[place] += hit
            self.previous = self.current = call
        elif event.kind == "error" and self.current is not None:
            self.failed.add(self.current)
        elif event.kind in ("patch", "action"):
            self.failed.clear()
            self.previous = self.current = None

    def result(self) -> Efficiency:
        """Return the Efficiency of the events so far."""
        calls, wasted, unused, repeats, retries = self.counts
        if not calls:
            return Efficiency(None, "the session has no tool call", 0, 0, 0, 0, 0)
        score = rounded(100 * (1 - Fraction(wasted, calls)))
        return Efficiency(score, "", calls, wasted, unused, repeats, retries)


def efficiency(stream: Iterable[Event]) -> Efficiency:
    """Return the Efficiency of a session."""
    fold = EfficiencyFold()
    feed(stream, fold)
    return fold.result()


def calibration(claims: Iterable[Settled], limit: Decimal, protocol: Mapping[str, Any]) -> tuple[Decimal, str]:
    """Return the calibration adjustment (−limit to +limit, six places) and how it came about.

    With the mean squared gap g between stated confidence and outcome (0 or 1) it is limit · (1 − 4·g), not under
    −limit: always right and sure earns the limit, always saying one half earns nothing. No claim that a test
    decided = no adjustment.
    """
    if not limit:
        return Decimal(0), "this weight set has no calibration adjustment"
    mean = gap(claims, protocol)
    if mean is None:
        return Decimal(0), "no claim with a stated confidence is about a test with a result"
    value = clamped(rounded(Fraction(limit) * (1 - 4 * mean)), -limit, limit)
    return value, f"mean squared gap between stated confidence and outcome: {rounded(mean)}"
