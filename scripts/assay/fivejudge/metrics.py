"""The eight derived metrics, in one pass over the telemetry (five-judge-exact.md, Derived metrics).

Where the page is silent:
- An error is an error event. Its name (`error`) says which events are the same error happening again; pivot latency
  and recovery speed are measured from each event, and an error that never comes to that end has no latency: it is
  left out of the median.
- Actions and patches touch their targets; tool calls only look or run.
- A test run is an action or tool call with the purpose `test`. A test result is any `test_result_after`; that of a
  patch without one is the first result recorded after it and before the next patch.
- Session time runs from the first event to the last.
- A file is patched back when its content (`content_after`) is one that it had before. Such a patch, or one marked as
  a revert, is a reversal; a test is gained when the result after it passes more tests than the last one before it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from assay.fivejudge.dwell import Dwell
from assay.fivejudge.exact import median, rounded
from assay.fivejudge.latency import Pivots, Recoveries
from assay.fivejudge.outcomes import Outcomes
from assay.fivejudge.protocol import ranges
from assay.runs.telemetry import Event, feed

_SECOND = 1000000
NO_CLOCK = "the recording holds no clock times"


@dataclass(frozen=True)
class Metric:
    """One metric: `value` rounded to six places or None with the `reason`; `good` is its range in words, `in_range`
    (None without a value) is decided on the exact value."""

    id: str
    title: str
    unit: str
    value: Decimal | None
    reason: str
    good: str
    in_range: bool | None


class Metrics:
    """Takes the events of one session in order; `result` gives the metrics at its end."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.last: int | None = None
        self.clock = True
        self.count = 0
        self.purposes = False
        self.runs = 0
        self.patches = 0
        self.reverted: set[str] = set()
        self.reverts_unnamed = 0
        self.errors = 0
        self.before: set[str] = set()
        self.after: set[str] = set()
        self.dwell = Dwell()
        self.pivots = Pivots()
        self.recoveries = Recoveries()
        self.outcomes = Outcomes()

    def add(self, event: Event) -> None:
        """Take the next event."""
        self.count += 1
        if event.micros is None:
            self.clock = False
        elif self.first is None:
            self.first = event.micros
        self.last = event.micros
        kind, data = event.kind, event.data
        if kind == "error":
            self.errors += 1
        elif kind == "patch":
            self.patches += 1
            self._reverts(data)
        elif kind in ("action", "tool_call") and "purpose" in data:
            self.purposes = True
            self.runs += data["purpose"] == "test"
        if kind in ("action", "patch") and "targets" in data:
            if not self.errors:
                self.before.update(data["targets"])
            else:
                self.after.update(target for target in data["targets"] if target not in self.before)
        self.dwell.add(event)
        self.pivots.add(event)
        self.recoveries.add(event)
        self.outcomes.add(event)

    def _reverts(self, data: Mapping[str, Any]) -> None:
        if data.get("reverts"):
            self.reverted.update(data["reverts"])
        elif data.get("revert"):
            self.reverts_unnamed += 1

    def result(self, protocol: Mapping[str, Any]) -> dict[str, Metric]:
        """Return the eight metrics by id, in the protocol's order."""
        exact = {
            "pivot_latency": self._pivot(),
            "dwell_time": self._dwell(),
            "time_to_first_correct_fix": self._first_fix(),
            "verification_density": self._density(),
            "recovery_speed": self._recovery(),
            "thrash_rate": self._thrash(),
            "reversion_ratio": self._reversion(),
            "scope_after_error": self._scope(),
        }
        good = ranges(protocol)
        made = {}
        for row in protocol["metrics"]:
            value, reason = exact[row["id"]]
            span = good[row["id"]]
            shown, held = (None, None) if value is None else (rounded(value), span.holds(value))
            made[row["id"]] = Metric(row["id"], row["title"], row["unit"], shown, reason, span.words(), held)
        return made

    @property
    def session(self) -> int:
        """Session time in microseconds; 0 without a clock or with one moment only."""
        return self.last - self.first if self.clock and self.first is not None and self.last is not None else 0

    def _timeless(self) -> str:
        if not self.count:
            return "the session has no event"
        if not self.clock:
            return NO_CLOCK
        return "" if self.session else "all events have the same time"

    def _pivot(self) -> tuple[Fraction | None, str]:
        if not self.errors:
            return None, "the session has no error"
        if not self.clock:
            return None, NO_CLOCK
        middle = median(self.pivots.latencies)
        return (
            (None, "no action or patch on a new target follows an error") if middle is None else (middle / _SECOND, "")
        )

    def _dwell(self) -> tuple[Fraction | None, str]:
        if not self.patches:
            return None, "the session has no patch"
        if not self.purposes:
            return None, "no event says whether it reads or searches"
        reason = self._timeless()
        return (None, reason) if reason else (100 * self.dwell.total() / self.session, "")

    def _first_fix(self) -> tuple[Fraction | None, str]:
        if not self.patches:
            return None, "the session has no patch"
        if not self.outcomes.results:
            return None, "no patch has a test result after it"
        found = self.outcomes.first_fix()
        if found is None:
            return None, "no patch passes more tests than there were before it"
        reason = self._timeless()
        if reason or self.first is None or found.micros is None:
            return None, reason
        return Fraction(100 * (found.micros - self.first), self.session), ""

    def _density(self) -> tuple[Fraction | None, str]:
        if not self.patches:
            return None, "the session has no patch"
        if not self.purposes:
            return None, "no event says whether it is a test run"
        return Fraction(self.runs, self.patches), ""

    def _recovery(self) -> tuple[Fraction | None, str]:
        if not self.errors:
            return None, "the session has no error"
        if not self.clock:
            return None, NO_CLOCK
        middle = median(self.recoveries.latencies)
        return (None, "no event shows an error fixed") if middle is None else (middle / _SECOND, "")

    def _thrash(self) -> tuple[Fraction | None, str]:
        if not self.patches:
            return None, "the session has no patch"
        if not self.outcomes.tracked:
            return None, "no patch says what it reverts or what its files held"
        reason = self._timeless()
        return (None, reason) if reason else (Fraction(self.outcomes.thrashes() * 60 * _SECOND, self.session), "")

    def _reversion(self) -> tuple[Fraction | None, str]:
        if not self.patches:
            return None, "the session has no patch"
        return Fraction(min(len(self.reverted) + self.reverts_unnamed, self.patches), self.patches), ""

    def _scope(self) -> tuple[Fraction | None, str]:
        if not self.errors:
            return None, "the session has no error"
        if not self.before:
            return None, "no file was touched before the first error"
        return Fraction(len(self.after), len(self.before)), ""


def metrics(stream: Iterable[Event], protocol: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the eight derived metrics of a session by id."""
    fold = Metrics()
    feed(stream, fold)
    return fold.result(protocol)
