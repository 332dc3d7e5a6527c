"""Pivot latency and recovery speed: how long after each error something happened, in microseconds."""

import heapq
from array import array

from assay.runs.telemetry import Event


def _name(event: Event) -> str:
    return event.data.get("error", event.id)


class Pivots:
    """From each error event to the first action or patch on a target not touched since that error's first occurrence.

    Waiting errors are kept by the place of their first occurrence, latest first: a target last touched at place p
    ends the wait of exactly those whose first occurrence is later than p.
    """

    def __init__(self) -> None:
        self.place = 0
        self.firsts: dict[str, int] = {}
        self.touched: dict[str, int] = {}
        self.waiting: dict[int, array] = {}
        self.order: list[int] = []
        self.latencies = array("q")

    def add(self, event: Event) -> None:
        """Take the next event."""
        self.place += 1
        if event.kind == "error":
            if event.micros is not None:
                self._wait(self.firsts.setdefault(_name(event), self.place), event.micros)
        elif event.kind in ("action", "patch"):
            targets = event.data.get("targets")
            if targets:
                if event.micros is not None:
                    self._turn(min(self.touched.get(target, 0) for target in targets), event.micros)
                for target in targets:
                    self.touched[target] = self.place

    def _wait(self, first: int, moment: int) -> None:
        if first not in self.waiting:
            self.waiting[first] = array("q")
            heapq.heappush(self.order, -first)
        self.waiting[first].append(moment)

    def _turn(self, untouched_since: int, moment: int) -> None:
        while self.order and -self.order[0] > untouched_since:
            first = -heapq.heappop(self.order)
            self.latencies.extend(moment - start for start in self.waiting.pop(first))


class Recoveries:
    """From each error event to the first later event that shows it fixed.

    Fixed is what an event `resolves` when it is marked recovery_successful or has a green test result (nothing failed,
    something passed), and an error whose `test` a green result names.
    """

    def __init__(self) -> None:
        self.waiting: dict[str, array] = {}
        self.by_test: dict[str, set[str]] = {}
        self.latencies = array("q")

    def add(self, event: Event) -> None:
        """Take the next event."""
        data = event.data
        if event.kind == "error":
            if event.micros is not None:
                name = _name(event)
                self.waiting.setdefault(name, array("q")).append(event.micros)
                if "test" in data:
                    self.by_test.setdefault(data["test"], set()).add(name)
            return
        result = data.get("test_result_after")
        green = result is not None and result["failed"] == 0 and result["passed"] > 0
        if not self.waiting or not (green or data.get("recovery_successful")):
            return
        for name in data.get("resolves", ()):
            self._fixed(name, event.micros)
        if green and result is not None:
            for test in result.get("names", ()):
                for name in self.by_test.pop(test, ()):
                    self._fixed(name, event.micros)

    def _fixed(self, name: str, moment: int | None) -> None:
        starts = self.waiting.pop(name, None)
        if starts is not None and moment is not None:
            self.latencies.extend(moment - start for start in starts)
