"""What follows from a call that gave no answer: nothing that may have been billed is sent again unnoticed."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from assay.routes.shapes import Action, Failure
from assay.routes.waiting import seconds_to_wait
from assay.routes.wire import at, dicts_at, parse, text_at

_SPENT = ("insufficient_quota", "spend_limit", "billing", "insufficient_credit", "credit_balance")
_SPENT_WORDS = ("credit balance is too low", "usage limits", "spend limit", "insufficient credits", "billing is not")
_KEY = ("invalid_api_key", "api_key_invalid", "authentication_error", "api_key_service_blocked", "unauthenticated")
_FILTER = (
    "content_filter",
    "responsibleaipolicyviolation",
    "content_policy",
    "moderation",
    "guardrail",
    "policy_violation",
    "bio_policy",
    "cyber_policy",
    "invalid_prompt",
    "data_inspection_failed",
)
_FILTER_WORDS = ("request blocked", "guardrail", "flagged", "moderation", "prompt injection")
_GONE = ("model_not_found", "model_deprecated", "no_endpoints")
# Errors that come with HTTP 200 carry their real status in words; a word that is not here counts as 500.
_STATUS_OF = {
    "rate_limit": 429,
    "resource_exhausted": 429,
    "capacity_exhausted": 429,
    "overloaded": 529,
    "authentication": 401,
    "permission": 403,
    "not_found": 404,
    "invalid_request": 400,
    "invalid_argument": 400,
    "context_length": 400,
    "request_too_large": 413,
}

_UNSENT = "no answer was begun and nothing was billed"
_SENT = "the request may have been answered and billed, but no whole answer came back"
_EXCEPTIONS: dict[str, tuple[Action, str]] = {
    "dns": ("retry", f"the name of the server cannot be resolved; {_UNSENT}"),
    "refused": ("retry", f"the connection was refused; {_UNSENT}"),
    "unreachable": ("retry", f"the server cannot be reached; {_UNSENT}"),
    "connect_timeout": ("retry", f"no connection in time; {_UNSENT}"),
    "tls": ("retry", f"no trusted TLS connection; {_UNSENT}"),
    "proxy": ("retry", f"the proxy cannot be reached; {_UNSENT}"),
    "read_timeout": ("in_doubt", f"no answer in time; {_SENT}"),
    "deadline": ("in_doubt", f"the answer took longer than the deadline; {_SENT}"),
    "reset": ("in_doubt", f"the connection was reset; {_SENT}"),
    "disconnected": ("in_doubt", f"the server closed the connection; {_SENT}"),
    "cut_body": ("in_doubt", f"the answer was cut off; {_SENT}"),
    "decode": ("in_doubt", f"the answer's encoding is broken; {_SENT}"),
    "invalid_url": ("stop_run", "base_url is not an address that can be called; correct it in the config"),
    "invalid_header": ("stop_run", "the key holds characters that no key has; set its environment variable again"),
}


def classify_exception(exc_kind: str) -> Failure:
    """Say what follows from a call that ended without a response: before anything was sent it is safe to try again.

    `exc_kind` is one of the names of the table above; any other one may have been billed.
    """
    return Failure(*_EXCEPTIONS.get(exc_kind, ("in_doubt", f"the call broke off ({exc_kind}); {_SENT}")))


def classify_status(
    route_name: str, status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None
) -> Failure:
    """Say what follows from a response that is not a success.

    What was surely not billed is waited for or tried again; what a proxy or a broken server answered may have been
    billed and is in doubt; what would fail for every packet stops the judge or the run.
    `now` (with time zone) is needed only to read a Retry-After that is a date. The message quotes the API's own
    words, so keys must have been taken out of `body` before (assay.redact), except for a refused key: there it
    quotes nothing.
    """
    try:
        data = _unwrapped(parse(body))
    except ValueError:
        data = None
    error = data.get("error", data) if isinstance(data, dict) else {}
    return _decide(route_name, status, error if isinstance(error, dict) else {"message": error}, headers, now)


def body_error(route_name: str, error: object, headers: Mapping[str, str], now: datetime | None = None) -> Failure:
    """Say what follows from an error that stands in the body of a successful response."""
    error = error if isinstance(error, dict) else {"message": error}
    return _decide(route_name, _status_in(error), error, headers, now, note=" (inside HTTP 200)")


def opened(
    route_name: str, status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None
) -> dict | Failure:
    """Return the envelope of a successful response, or what follows from one that is none.

    The body is looked at before the status is believed: an error inside HTTP 200 is an error.
    """
    if not 200 <= status < 300:
        return classify_status(route_name, status, headers, body, now)
    try:
        data = _unwrapped(parse(body))
    except ValueError:
        what = "an empty body" if not body.strip() else "a body that is not whole JSON"
        return Failure("in_doubt", f"{route_name}: HTTP {status} with {what}; {_SENT}")
    if not isinstance(data, dict):
        return Failure("in_doubt", f"{route_name}: HTTP {status} with JSON that is not an answer; {_SENT}")
    if data.get("error"):
        return body_error(route_name, data["error"], headers, now)
    return data


def _unwrapped(data: object) -> object:
    return data[0] if isinstance(data, list) and len(data) == 1 else data


def _status_in(error: dict) -> int:
    for name in ("code", "http_status", "status"):
        code = error.get(name)
        code = int(code) if isinstance(code, str) and code.isascii() and code.isdigit() and len(code) == 3 else code
        if isinstance(code, int) and not isinstance(code, bool) and 400 <= code <= 599:
            return code
    words = " ".join(_codes(error))
    return next((status for word, status in _STATUS_OF.items() if word in words), 500)


def _codes(error: dict) -> list[str]:
    """All short names that the API gives the error, in lower case."""
    places = (
        ("code",),
        ("type",),
        ("status",),
        ("error_type",),
        ("details", "error_code"),
        ("innererror", "code"),
        ("metadata", "error_type"),
        ("metadata", "provider_code"),
        ("availability", "code"),
        ("metadata", "availability", "code"),
    )
    found = [text_at(error, *place) for place in places]
    found += [text_at(detail, "reason") for detail in dicts_at(error, "details")]
    return [code.lower() for code in found if code]


def _decide(
    route: str, status: int, error: dict, headers: Mapping[str, str], now: datetime | None, note: str = ""
) -> Failure:
    said = _said(error)
    wait = seconds_to_wait(headers, error, now)
    place = f"{route}: HTTP {status}{note}"
    action, todo, once = _action(status, error, _codes(error), text_at(error, "message").lower(), wait)
    quoted = f": {said}" if said and "refused the key" not in todo else ""
    return Failure(action, f"{place}{quoted}. {todo}", None if action.startswith(("stop", "blocked")) else wait, once)


def _action(status: int, error: dict, codes: list[str], message: str, wait: Decimal | None) -> tuple[Action, str, bool]:
    """Return the action, what to tell the user, and whether one more attempt is the most. First match decides."""

    def named(words: tuple[str, ...]) -> bool:
        return any(word in code for code in codes for word in words)

    def says(words: tuple[str, ...]) -> bool:
        return any(word in message for word in words)

    if status == 402 and wait is not None and at(error, "metadata", "limit_source") == "openrouter_in_flight_budget":
        return "wait", "Too much money is bound by calls in flight", False
    if status == 402 or named(_SPENT) or (status in (400, 403, 429) and says(_SPENT_WORDS)) or _daily_quota(error):
        return "stop_run", "The account's money or quota is used up: top it up, then start the run again", False
    if status in (401, 407) or named(_KEY):
        return "stop_run", "The API refused the key: check the environment variable that the config names", False
    if named(_FILTER) or (status == 403 and _moderated(error, says(_FILTER_WORDS))):
        return "blocked", "The API refuses this packet alone; it is not scored", False
    if status == 403:
        return "stop_run", "The key is not allowed to do this: check its rights, or the address", False
    retryable = at(error, "availability", "retryable")
    if retryable is None:
        retryable = at(error, "metadata", "availability", "retryable")
    if retryable is True:
        return "wait", "The model is not available at the moment", False
    if status in (404, 410) or named(_GONE) or retryable is False:
        return "stop_judge", "The model, or the address in base_url, does not exist (any more)", False
    return _by_status(status)


def _by_status(status: int) -> tuple[Action, str, bool]:
    if status in (429, 503, 529):
        return "wait", "The API asks to wait", False
    if status == 409:
        return "retry", "The API was busy with a conflicting request", True
    if status == 413:
        return "blocked", "The packet is too large for this API; it is not scored", False
    if 300 <= status < 400:
        return "stop_judge", "The address redirects; set base_url to the place it leads to", False
    if status in (501, 505) or (400 <= status < 500 and status not in (408, 499)):
        return "stop_judge", "The API refuses the request as it is made: correct the judge's settings", False
    return "in_doubt", "The model may have run and been billed", False


def _moderated(error: dict, says: bool) -> bool:
    marks = ("patterns", "reasons", "flagged_input")
    return says or any(at(error, "metadata", mark) for mark in marks)


def _daily_quota(error: dict) -> bool:
    """Gemini names a quota per day only inside its details; waiting for it would take until tomorrow."""
    quotas = [item for detail in dicts_at(error, "details") for item in dicts_at(detail, "violations")]
    return any("perday" in text_at(quota, "quotaId").lower() for quota in quotas)


def _said(error: dict) -> str:
    """The API's own message on one line of at most 300 characters, without its final full stop."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text_at(error, "message")).split())
    return (words if len(words) <= 300 else words[:299] + "…").removesuffix(".")
