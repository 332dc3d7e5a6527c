"""Sending one HTTP call: no redirect, no proxy or netrc from the environment, never longer than its deadline."""

import socket
import threading
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

Unsent = Literal["refused", "unreachable", "dns", "tls", "connect_timeout", "invalid_url", "invalid_header"]
Kind = Unsent | Literal["read_timeout", "reset", "cut_body", "deadline"]

LARGEST_BODY = 64 * 1024 * 1024
_BLOCK = 65536


@dataclass(frozen=True)
class Answered:
    """A whole HTTP response; header names in lower case, the body decoded from gzip if the server used it."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Lost:
    """A call without a whole response. `partial` is what arrived of it, None = not even its head.

    With a kind in `Unsent`, the request surely never left.
    """

    kind: Kind
    partial: Answered | None = None


@dataclass(frozen=True)
class Patience:
    """Seconds to wait: to connect, for each read, and for the whole call."""

    connect: float
    read: float
    deadline: float


class _Watch:
    """Shuts the connection when the deadline passes: a timeout of each read alone never ends a trickle."""

    def __init__(self, seconds: float) -> None:
        self.connection: socket.socket | None = None
        self.passed = False
        self.timer = threading.Timer(seconds, self._end)
        self.timer.daemon = True

    def connected(self, connection: socket.socket) -> None:
        self.connection = connection
        if self.passed:
            self._end()

    def _end(self) -> None:
        self.passed = True
        if self.connection is not None:
            with suppress(OSError):  # already closed
                socket.socket.shutdown(self.connection, socket.SHUT_RDWR)  # of the plain socket, also under TLS


def send(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes | None,
    patience: Patience,
    on_head: Callable[[dict[str, str]], None] = lambda headers: None,
) -> Answered | Lost:
    """Send one call and read its whole answer. `on_head` gets the headers as soon as they are there.

    No exception of the HTTP library leaves this function, since their texts can show headers.
    """
    import requests
    import urllib3

    watch = _Watch(patience.deadline)
    watch.timer.start()
    session = _session(watch)
    kind: Kind
    partial: Answered | None = None
    blocks: list[bytes] = []
    try:
        response = session.request(method, url, data=body, headers=headers, **_options(patience))
        partial = Answered(response.status_code, {k.lower(): v for k, v in response.headers.items()}, b"")
        on_head(partial.headers)
        _read(response.raw, blocks)
        kind, whole = _unpack(partial, b"".join(blocks))
        if whole is not None:
            return whole
    except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
        kind = _kind(error, connected=watch.connection is not None)
    finally:
        watch.timer.cancel()
        session.close()
    if watch.passed and watch.connection is not None:
        kind = "deadline"
    return Lost(kind, partial and Answered(partial.status, partial.headers, b"".join(blocks)))


def _options(patience: Patience) -> dict:
    return {"timeout": (patience.connect, patience.read), "allow_redirects": False, "stream": True}


def _session(watch: _Watch):
    """Return a session without anything from the environment, whose connections the watch can end."""
    import requests
    from urllib3 import connection, connectionpool

    class Plain(connection.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            watch.connected(self.sock)

    class Secure(connection.HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            watch.connected(self.sock)

    class PlainPool(connectionpool.HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(connectionpool.HTTPSConnectionPool):
        ConnectionCls = Secure

    session = requests.Session()
    session.trust_env = False
    session.headers.update({"Accept-Encoding": "identity", "User-Agent": "assay"})
    for prefix in ("https://", "http://"):
        session.get_adapter(prefix).poolmanager.pool_classes_by_scheme = {"http": PlainPool, "https": SecurePool}
    return session


def _read(raw, blocks: list[bytes]) -> None:
    size = 0
    while (block := raw.read1(_BLOCK, decode_content=False)) and size <= LARGEST_BODY:
        blocks.append(block)
        size += len(block)


def _unpack(head: Answered, raw: bytes) -> tuple[Kind, Answered | None]:
    """Return the whole response, or None where the body was cut short; a wrong length has raised before."""
    if len(raw) > LARGEST_BODY:
        return "cut_body", None
    body: bytes | None = raw
    if head.headers.get("content-encoding", "").strip().lower() in ("gzip", "x-gzip", "deflate"):
        body = _unzip(raw)
    return "cut_body", None if body is None else Answered(head.status, head.headers, body)


def _unzip(raw: bytes) -> bytes | None:
    unpacker = zlib.decompressobj(wbits=47)  # 32 + 15: gzip or zlib, told by its header
    try:
        body = unpacker.decompress(raw, LARGEST_BODY)
    except zlib.error:
        return None
    return body if unpacker.eof else None


def _kind(error: Exception, connected: bool) -> Kind:
    """Return what an exception means. Once connected, the request may have arrived, whatever the exception says."""
    import requests
    import urllib3

    if isinstance(error, (requests.ReadTimeout, urllib3.exceptions.ReadTimeoutError)):
        return "read_timeout"
    if connected:
        cut = (requests.exceptions.ChunkedEncodingError, urllib3.exceptions.IncompleteRead)
        return "cut_body" if isinstance(error, cut) or "IncompleteRead" in repr(error.args) else "reset"
    return _unsent_kind(error)


def _unsent_kind(error: Exception) -> Unsent:
    import requests
    import urllib3

    reason = getattr(error.args[0] if error.args else None, "reason", None)
    kinds: list[tuple[type[Exception], Unsent]] = [
        (requests.exceptions.SSLError, "tls"),
        (requests.ConnectTimeout, "connect_timeout"),
        (requests.exceptions.InvalidHeader, "invalid_header"),
        (requests.exceptions.InvalidURL, "invalid_url"),
    ]
    for exception, kind in kinds:
        if isinstance(error, exception):
            return kind
    if isinstance(reason, urllib3.exceptions.NameResolutionError):
        return "dns"
    return "refused" if isinstance(getattr(reason, "__cause__", None), ConnectionRefusedError) else "unreachable"
