"""What buying needs to know about one judge."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from assay.cost import Price


@dataclass(frozen=True)
class JudgeSettings:
    """One judge, how to reach it, and how far to go for its answer.

    `base_url` and `key_env` (the NAME of the environment variable with the key; None = the server needs no key) say
    where to send, `auth` which header carries the key (`bearer`, or `api-key` for Azure). Limits per minute: 0 = none.
    `deadline_seconds` bounds one whole call, `total_seconds` all attempts for one request with the pauses between
    them, `max_doubtful` those that may have been billed without an answer; a pause asked for by the API that is longer
    than `longest_wait_seconds` ends the run instead. `price` None = unknown. `budget_usd` caps what the whole store has
    cost; None = no cap. `in_doubt`: what follows a call that may have been billed without an answer: send it again, or
    hold it for a person.
    """

    id: str
    route: str
    model: str
    base_url: str
    key_env: str | None = None
    auth: str = "bearer"
    accepted_ids: tuple[str, ...] = ()
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    connect_seconds: float = 10
    read_seconds: float = 300
    deadline_seconds: float = 900
    max_attempts: int = 10
    max_doubtful: int = 3
    total_seconds: float = 3600
    backoff_seconds: float = 1
    longest_backoff_seconds: float = 60
    longest_wait_seconds: float = 600
    price: "Price | None" = None
    budget_usd: Decimal | None = None
    in_doubt: Literal["resend", "hold"] = "resend"
