"""What the tests said after each patch: the first correct fix, and reversals of direction that gained nothing."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from assay.runs.telemetry import Event


class _Patch(NamedTuple):
    micros: int | None
    reversal: bool
    best: int
    last: int


class Outcomes:
    """Follows patches and the test results after them. Before any result, no test is known to pass (0)."""

    def __init__(self) -> None:
        self.best = 0
        self.last = 0
        self.results = False
        self.tracked = False
        self.pending: _Patch | None = None
        self.fix: _Patch | None = None
        self.fruitless = 0
        self.now: dict[str, str] = {}
        self.seen: dict[str, set[str]] = {}

    def add(self, event: Event) -> None:
        """Take the next event."""
        data = event.data
        if event.kind == "patch":
            self._settle(None)
            self.pending = _Patch(event.micros, self._reversal(data), self.best, self.last)
        result = data.get("test_result_after")
        if result is not None:
            self._settle(result["passed"])
            self.last = result["passed"]
            self.best = max(self.best, self.last)

    def first_fix(self) -> _Patch | None:
        """Return the first patch whose result passes more tests than any result before it."""
        return self.fix

    def thrashes(self) -> int:
        """Return the reversals with no test gained, the last patch included."""
        return self.fruitless + (self.pending is not None and self.pending.reversal)

    def _settle(self, passed: int | None) -> None:
        patch, self.pending = self.pending, None
        if patch is None:
            return
        if passed is not None:
            self.results = True
            if self.fix is None and passed > patch.best:
                self.fix = patch
        if patch.reversal and (passed is None or passed <= patch.last):
            self.fruitless += 1

    def _reversal(self, data: Mapping[str, Any]) -> bool:
        before, after = data.get("content_before", {}), data.get("content_after", {})
        if "revert" in data or "reverts" in data or after:
            self.tracked = True
        for name, digest in before.items():
            self.seen.setdefault(name, set()).add(digest)
            self.now[name] = digest
        back = False
        for name, digest in after.items():
            known = self.seen.setdefault(name, set())
            back = back or (digest in known and self.now.get(name) != digest)
            known.add(digest)
            self.now[name] = digest
        return bool(data.get("revert") or data.get("reverts")) or back
