"""Everything that can go wrong between a judge's API and the caller, on real sockets.

A fault is a function of (handler, answer): it does its harm instead of, or to, the handler's proper answer. `BILLED`
names the faults after which the model has run; the caller cannot know that, and must count the call as in doubt.
"""

import gzip
import json
import random
import socket
import struct
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

# HTTP status -> (OpenAI's type and code, Anthropic's type, Gemini's status)
_WORDS = {
    400: ("invalid_request_error", "unsupported_parameter", "invalid_request_error", "INVALID_ARGUMENT"),
    401: ("invalid_request_error", "invalid_api_key", "authentication_error", "UNAUTHENTICATED"),
    402: ("billing_error", "insufficient_credits", "billing_error", "FAILED_PRECONDITION"),
    403: ("invalid_request_error", "forbidden", "permission_error", "PERMISSION_DENIED"),
    404: ("invalid_request_error", "model_not_found", "not_found_error", "NOT_FOUND"),
    408: ("timeout", "timeout", "timeout_error", "DEADLINE_EXCEEDED"),
    409: ("conflict", "conflict", "conflict_error", "ABORTED"),
    413: ("invalid_request_error", "request_too_large", "request_too_large", "INVALID_ARGUMENT"),
    422: ("invalid_request_error", "unprocessable", "invalid_request_error", "INVALID_ARGUMENT"),
    429: ("tokens", "rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"),
    500: ("server_error", "server_error", "api_error", "INTERNAL"),
    502: ("server_error", "bad_gateway", "api_error", "UNKNOWN"),
    503: ("server_error", "overloaded", "overloaded_error", "UNAVAILABLE"),
    504: ("server_error", "timeout", "timeout_error", "DEADLINE_EXCEEDED"),
    524: ("server_error", "timeout", "timeout_error", "DEADLINE_EXCEEDED"),
    529: ("server_error", "overloaded", "overloaded_error", "UNAVAILABLE"),
}
WRONG_MODEL = "another-model-2026-01-01"
FAR_AWAY = 999_999
TRICKLE_SECONDS = 3
HANG_SECONDS = 2


def error_body(api: str, status: int, message: str, code: str = "") -> object:
    """Return the vendor's error document for a status."""
    kind, openai_code, anthropic, google = _WORDS[status]
    if api == "messages":
        error = {"type": anthropic, "message": message}
        return {"type": "error", "error": {**error, **({"details": {"error_code": code}} if code else {})}}
    if api == "gemini":
        return {"error": {"code": status, "message": message, "status": google}}
    return {"error": {"message": message, "type": code or kind, "param": None, "code": code or openai_code}}


def _status(status: int, headers: dict[str, str] | None = None, code: str = "", message: str = "It did not work"):
    def fault(handler, answer: bytes) -> None:
        body = error_body(handler.api, status, f"{message} ({handler.key_seen})", code)
        handler.reply(status, json.dumps(body).encode(), **(headers or {}))

    return fault


def _cut_401(handler, answer: bytes) -> None:
    body = json.dumps(error_body(handler.api, 401, "Wrong key")).encode()
    handler.raw(401, body[:-5], {"Content-Length": str(len(body))})


def _wait_until(seconds: float):
    def fault(handler, answer: bytes) -> None:
        moment = format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)
        _status(429, {"Retry-After": moment})(handler, answer)

    return fault


def _gemini_delay(handler, answer: bytes) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.2s"}]
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Please retry in 0.2s.", "details": details}
    handler.reply(429, json.dumps([{"error": error}]).encode())


def _text_200(text: bytes, kind: str):
    return lambda handler, answer: handler.reply(200, text, **{"Content-Type": kind})


def _error_200(handler, answer: bytes) -> None:
    error = {"code": 503, "message": f"Provider returned error ({handler.key_seen})", "type": "overloaded_error"}
    handler.reply(200, json.dumps({"error": {**error, "status": "UNAVAILABLE"}}).encode())


def _server_error_200(handler, answer: bytes) -> None:
    handler.reply(200, json.dumps({"error": {"code": 502, "message": "Provider disconnected"}}).encode())


def _reset(handler, answer: bytes) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.hang_up()


def _no_response(handler, answer: bytes) -> None:
    handler.hang_up()


def _hang(handler, answer: bytes) -> None:
    time.sleep(HANG_SECONDS)
    handler.hang_up()


def _cut_length(handler, answer: bytes) -> None:
    handler.raw(200, answer[: len(answer) // 2], {"Content-Length": str(len(answer))})


def _cut_closed(handler, answer: bytes) -> None:
    handler.raw(200, answer[: len(answer) // 2], {})


def _cut_chunked(handler, answer: bytes) -> None:
    half = answer[: len(answer) // 2]
    handler.raw(200, b"%x\r\n%s\r\n" % (len(half), half), {"Transfer-Encoding": "chunked"})


def _cut_gzip(handler, answer: bytes) -> None:
    """Leave out the checksum alone, so that the JSON inside looks whole."""
    handler.raw(200, gzip.compress(answer)[:-4], {"Content-Encoding": "gzip"})


def _trickle(handler, answer: bytes) -> None:
    """Send a space again and again, so that no single read ever times out."""
    handler.raw(200, b"", {"Content-Length": str(len(answer) + FAR_AWAY)}, close=False)
    end = time.monotonic() + TRICKLE_SECONDS
    while time.monotonic() < end:
        handler.wfile.write(b" ")
        time.sleep(0.05)
    handler.hang_up()


def _redirect(handler, answer: bytes) -> None:
    handler.reply(302, b"", Location=handler.server.elsewhere)


def _wrong_model(handler, answer: bytes) -> None:
    handler.reply(200, handler.answer_of(WRONG_MODEL))


def _echo(handler, answer: bytes) -> None:
    """Answer properly, with the caller's headers sent back in headers and body."""
    document = json.loads(answer)
    document["debug"] = dict(handler.headers.items())
    handler.reply(200, json.dumps(document).encode(), **{"X-Request-Id": handler.key_seen, "X-Echo": handler.key_seen})


def _gzip(handler, answer: bytes) -> None:
    handler.reply(200, gzip.compress(answer), **{"Content-Encoding": "gzip"})


def _blocked(handler, answer: bytes) -> None:
    message = "The prompt was flagged by the content policy"
    error = {"message": message, "type": "content_filter", "param": "prompt", "code": "content_filter"}
    handler.reply(
        400, json.dumps({"type": "error", "error": {**error, "details": {"error_code": "content_filter"}}}).encode()
    )


Fault = Callable[[object, bytes], None]

# After these the same request, sent again, is answered: a run with them ends like an undisturbed one.
PASSING: dict[str, Fault] = {
    **{f"status_{status}": _status(status) for status in (408, 409, 500, 502, 503, 504, 524, 529)},
    "rate_seconds": _status(429, {"Retry-After": "1"}),
    "rate_fraction": _status(429, {"Retry-After": "0.25"}),
    "rate_ms": _status(429, {"retry-after-ms": "150", "Retry-After": "2"}),
    "rate_date": _wait_until(1),
    "rate_past_date": _wait_until(-60),
    "rate_silent": _status(429),
    "rate_gemini": _gemini_delay,
    "html": _text_200(b"<html><body>502 Bad Gateway</body></html>", "text/html"),
    "empty": _text_200(b"", "application/json"),
    "error_200": _error_200,
    "server_error_200": _server_error_200,
    "reset": _reset,
    "no_response": _no_response,
    "hang": _hang,
    "cut_length": _cut_length,
    "cut_closed": _cut_closed,
    "cut_chunked": _cut_chunked,
    "cut_gzip": _cut_gzip,
    "trickle": _trickle,
    "echo": _echo,
    "gzip": _gzip,
}
# These end the run, or this packet's part in it.
FATAL: dict[str, Fault] = {
    **{f"status_{status}": _status(status) for status in (400, 401, 402, 403, 404, 422)},
    "quota": _status(429, code="insufficient_quota", message="You exceeded your current quota"),
    "spend_limit": _status(429, code="enforced_spend_limit_reached", message="Spend limit reached"),
    "rate_far": _status(429, {"Retry-After": str(FAR_AWAY)}),
    "cut_401": _cut_401,
    "redirect": _redirect,
    "wrong_model": _wrong_model,
}
BLOCKING: dict[str, Fault] = {"blocked": _blocked, "status_413": _status(413)}
FAULTS = {**PASSING, **FATAL, **BLOCKING}
ANSWERED = frozenset({"echo", "gzip", "wrong_model"})
# The caller cannot know that these were not billed.
DOUBTFUL = frozenset(
    {"status_408", "status_500", "status_502", "status_504", "status_524", "html", "empty", "server_error_200", "reset"}
    | {"no_response", "hang", "cut_length", "cut_closed", "cut_chunked", "cut_gzip", "trickle"}
)


CONFLICT = "status_409"  # may be tried again once: by chance, no request meets it twice


class Plan:
    """Which fault a call meets: first those in `script`, in order (None = no fault), then by chance at `rate`."""

    def __init__(self, rate: float = 0, seed: int = 0, names: list[str] | None = None) -> None:
        self.rate = rate
        self.names = sorted(PASSING) if names is None else names
        self.script: list[str | None] = []
        self._chance, self._conflicts = random.Random(seed), set()
        self._lock = threading.Lock()

    def next(self, request: str) -> str | None:
        """Return the fault that the next call, for `request`, meets; None = none."""
        with self._lock:
            if self.script:
                return self.script.pop(0)
            if self._chance.random() >= self.rate:
                return None
            fault = self._chance.choice([n for n in self.names if n != CONFLICT or request not in self._conflicts])
            if fault == CONFLICT:
                self._conflicts.add(request)
            return fault
