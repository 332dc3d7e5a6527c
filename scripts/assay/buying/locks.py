"""Locks between processes: held by the kernel, so that a killed process leaves none behind."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock file `path` alone, waiting for it as long as it takes. The file is removed afterwards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = _hold(path)
    try:
        yield
    finally:
        path.unlink(
            missing_ok=True
        )  # while it's still locked: whoever waits for it sees that it is gone, and starts anew
        os.close(handle)


def _hold(path: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            held = os.fstat(handle)
            # The link count is the file's own: on a network file system another machine's removal shows in it at once,
            # while the name may still be answered from this machine's memory.
            if held.st_nlink and os.path.samestat(held, path.stat()):
                return handle
        except FileNotFoundError:
            pass  # its last holder removed it; take the next one
        os.close(handle)


def is_held(path: Path) -> bool:
    """Say whether a living process holds the lock file `path`."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def request_lock(root: Path, sha: str) -> Path:
    """Return the lock file of one request: whoever holds it may send the request, and nobody else."""
    return root / "locks" / sha
