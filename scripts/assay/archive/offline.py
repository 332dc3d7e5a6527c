"""No network: while it is forbidden, this process can neither open a socket nor start another program."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FORBIDDEN = ("socket.", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork")


class NetworkForbidden(OSError):
    """Something tried to reach out while an archive was verified."""


class _Guard:
    """The audit hook. Python cannot remove one, so that it is added once and switched on and off."""

    def __init__(self) -> None:
        self.on = False
        self.added = False

    def __call__(self, event: str, _: tuple) -> None:
        if self.on and event.startswith(_FORBIDDEN):
            raise NetworkForbidden(f"no network and no other program may be used here ({event})")


_guard = _Guard()


@contextmanager
def no_network() -> Iterator[None]:
    """Forbid sockets and child processes to this process; raises NetworkForbidden in whatever tries."""
    if not _guard.added:
        sys.addaudithook(_guard)
        _guard.added = True
    _guard.on = True
    try:
        yield
    finally:
        _guard.on = False
