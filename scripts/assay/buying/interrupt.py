"""Ctrl-C while a call is under way: its answer is paid for, so it is awaited and kept first."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def to_its_end() -> Iterator[None]:
    """Put Ctrl-C off until the block has ended; then raise KeyboardInterrupt if it was pressed meanwhile.

    Where Ctrl-C is ignored (run_job.py), or in another thread than the main one, which never sees it, nothing changes.
    """
    elsewhere = threading.current_thread() is not threading.main_thread()
    if elsewhere or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
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
