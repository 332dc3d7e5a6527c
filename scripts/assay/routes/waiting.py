"""How long an API asks to be left alone."""

from collections.abc import Mapping
from datetime import datetime
from decimal import ROUND_CEILING, Decimal, InvalidOperation

from assay.routes.wire import at, dicts_at, header, text_at


def seconds_to_wait(headers: Mapping[str, str], error: object, now: datetime | None) -> Decimal | None:
    """Return the pause that the API asks for, in seconds rounded up to a millisecond; None if it asks for none.

    Looked for in this order: `retry-after-ms`; `Retry-After` as seconds (with a fraction, too), then as a date;
    Gemini's `retryDelay`; OpenRouter's `availability.retry_after`. Negative and non-finite values and dates in the
    past are passed over. `now` (with time zone) is needed only for a date. There is no cap: that is the caller's.
    """
    milliseconds = _positive(header(headers, "retry-after-ms"))
    if milliseconds is not None:
        return _up(milliseconds / 1000)
    for found in (
        _positive(header(headers, "retry-after")),
        _until(header(headers, "retry-after"), now),
        *(_positive(text_at(detail, "retryDelay").removesuffix("s")) for detail in dicts_at(error, "details")),
        _positive(at(error, "availability", "retry_after")),
        _positive(at(error, "metadata", "availability", "retry_after")),
    ):
        if found is not None:
            return _up(found)
    return None


def _up(seconds: Decimal) -> Decimal:
    return seconds.quantize(Decimal("0.001"), ROUND_CEILING).normalize() if seconds < 10**9 else seconds


def _positive(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    return number if number.is_finite() and number >= 0 else None


def _until(value: str, now: datetime | None) -> Decimal | None:
    if not value or now is None:
        return None
    from datetime import UTC
    from email.utils import parsedate_to_datetime  # late: only a date needs it

    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    pause = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
    return _positive(Decimal(pause.days * 86400 + pause.seconds) + Decimal(pause.microseconds) / 10**6)
