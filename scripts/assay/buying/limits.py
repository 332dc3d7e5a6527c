"""Limits per minute, and pauses asked for by an API: shared by all processes that ask one judge."""

from pathlib import Path

from assay.buying.clock import Clock
from assay.buying.locks import exclusive
from assay.buying.settings import JudgeSettings
from assay.buying.stop import file_name, pause
from assay.canonical import loads
from assay.files import write_json

MINUTE = 60_000
_LONGEST_SPREAD = 5_000


def earliest(now: int, slots: list[list[int]], tokens: int, requests_limit: int, tokens_limit: int) -> int:
    """Return the first millisecond >= now at which a call of `tokens` tokens keeps both limits per minute (0 = none).

    `slots` are the calls so far and those promised a later time, as [millisecond, tokens] in order of time. Calls keep
    their order. A call of more tokens than the whole limit goes when the minute before it is empty.
    """
    time = max(now, slots[-1][0]) if slots else now
    if requests_limit and len(slots) >= requests_limit:
        time = max(time, slots[-requests_limit][0] + MINUTE)
    if tokens_limit:
        total = tokens
        for moment, used in reversed(slots):
            total += used
            if total > tokens_limit:
                return max(time, moment + MINUTE)
    return time


class Limits:
    """One judge's limits, kept in `limits/{judge}.json` of the store; all times in it are milliseconds since 1970."""

    def __init__(self, root: Path, judge: JudgeSettings, clock: Clock) -> None:
        self.root = root
        self.judge = judge
        self.clock = clock
        self.path = root / "limits" / f"{file_name(judge.id)}.json"

    def take(self, tokens: int) -> None:
        """Wait until a call of about `tokens` tokens may leave. Raises RunStopped if the run ends meanwhile."""
        limited = self.judge.requests_per_minute or self.judge.tokens_per_minute
        while True:
            slot = self._book(tokens) if limited else [self._after_pause(self._read()), tokens]
            pause(self.root, max(0, slot[0] - self._now()) / 1000, self.clock)
            if self._read()["slow_until"] <= max(slot[0], self._now()):
                return
            if limited:
                self._give_back(slot)

    def slow_down(self, seconds: float) -> None:
        """Let no process ask this judge again before `seconds` have passed."""
        with self._locked():
            state = self._read()
            state["slow_until"] = max(state["slow_until"], self._now() + int(seconds * 1000))
            write_json(self.path, state)

    def _now(self) -> int:
        return int(self.clock.now() * 1000)

    def _locked(self):
        return exclusive(self.root / "locks" / f"limits-{file_name(self.judge.id)}")

    def _after_pause(self, state: dict) -> int:
        """Return when a call may leave: now, or after the pause, spread so that not all waiting jobs leave at once."""
        left = state["slow_until"] - self._now()
        if left <= 0:
            return self._now()
        return state["slow_until"] + int(self.clock.chance() * min(left / 4 + 100, _LONGEST_SPREAD))

    def _book(self, tokens: int) -> list[int]:
        with self._locked():
            state = self._read()
            state["slots"] = [slot for slot in state["slots"] if slot[0] > self._now() - MINUTE]
            start = max(self._now(), state["slow_until"])
            limits = (self.judge.requests_per_minute, self.judge.tokens_per_minute)
            slot = [earliest(start, state["slots"], tokens, *limits), tokens]
            state["slots"].append(slot)
            write_json(self.path, state)
        return slot

    def _give_back(self, slot: list[int]) -> None:
        with self._locked():
            state = self._read()
            if slot in state["slots"]:
                state["slots"].remove(slot)
                write_json(self.path, state)

    def _read(self) -> dict:
        try:
            return loads(self.path.read_bytes())
        except (FileNotFoundError, ValueError):  # only pacing is lost with a file damaged by a power cut
            return {"slots": [], "slow_until": 0}
