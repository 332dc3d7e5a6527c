"""Time and chance, in one place, so that tests can put their own in."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Clock:
    """`now`: seconds since 1970, shared by all processes. `monotonic`: seconds for durations. `chance`: 0 <= x < 1."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def stamp(self) -> str:
        """Return the time as ISO 8601 UTC seconds: `2026-12-01T03:53:20Z`."""
        return datetime.fromtimestamp(int(self.now()), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
