"""Ctrl-C while a call is under way: its answer is paid for, so it is awaited and kept first."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def to_its_end() -> Iterator[None]:
    """Put Ctrl-C off until the block has ended; then raise KeyboardInterrupt if it was pressed meanwhile."""
    if threading.current_thread() is not threading.main_thread():  # Python hands signals to the main thread alone
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
