"""What a route takes and gives: the same few values whatever API is behind it."""

from decimal import Decimal
from typing import Literal, NamedTuple

Finish = Literal["stop", "length", "refusal", "content_filter", "tool_calls", "empty", "error", "other"]
Action = Literal["retry", "wait", "in_doubt", "blocked", "stop_judge", "stop_run"]


class HttpCall(NamedTuple):
    """One HTTP POST without its key: address, headers and body bytes."""

    url: str
    headers: dict[str, str]
    body: bytes


class Usage(NamedTuple):
    """Tokens as the API counted them; None = the API did not say. `input` holds cached and cache-write tokens,
    `output` holds reasoning tokens."""

    input: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None


class Reply(NamedTuple):
    """What a judge answered, read from a complete response body.

    `text` is the answer alone (never reasoning), None when there is none. `finish` says why it ended; only `stop`
    may be scored. `models` are all model ids that the response says took part (the last is the one that answered).
    `cost_usd` is the API's own figure where it gives one. `service_tier` is the tier that was really used, '' if the
    API did not say.
    """

    text: str | None
    finish: Finish
    detail: str = ""
    models: tuple[str, ...] = ()
    provider: str = ""
    fingerprint: str = ""
    response_id: str = ""
    usage: Usage = Usage()
    cost_usd: Decimal | None = None
    service_tier: str = ""


class Failure(NamedTuple):
    """A call that gave no reply to read, and what follows from it.

    retry: surely not billed, send again after a back-off. wait: a rate limit or an overload, send again after `seconds`
    (None = the API did not say). in_doubt: may have been billed. blocked: this packet alone is refused.
    stop_judge / stop_run: every further call would fail in the same way; `message` tells the user what to do.
    `once`: send it again at most one time.
    """

    action: Action
    message: str
    seconds: Decimal | None = None
    once: bool = False
