"""Replaying: from a packet and the stored exchanges to a verdict, without buying and without touching the store."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.canonical import loads, sha256
from assay.judging import EMBEDDED, Answered, NoVerdict, Question, accept, read_reply, request_for
from assay.model_match import matches
from assay.reading import Unreadable
from assay.routes.shapes import Reply
from assay.store import Exchange, Store, read_document


class Unsound(Exception):
    """An exchange that cannot be what it claims. `path` is its file relative to the store's parent."""

    def __init__(self, path: str, text: str):
        super().__init__(text)
        self.path = path


class NotStored(Exception):
    """A request that no stored exchange answers. `sha` is its SHA-256, `ask` how often the judge is asked with it."""

    def __init__(self, sha: str, ask: int):
        super().__init__(f"the request {sha} (ask {ask}) has no stored exchange")
        self.sha = sha


@dataclass(frozen=True)
class Use:
    """An exchange that the run rests on: whose it is, and when it was sent and received (ISO, UTC)."""

    judge: str
    sent: str
    received: str


@dataclass
class Exchanges:
    """The exchanges of a store, only read. `used` collects those that the run rests on, by name."""

    root: Path
    used: dict[str, Use] = field(default_factory=dict)

    def path(self, sha: str) -> Path:
        """Return the exchange's file."""
        return Store(self.root).path(sha)

    def name(self, sha: str) -> str:
        """Return the exchange's file as the archive names it."""
        return f"store/{sha[:2]}/{sha}.json"

    def read(self, sha: str) -> Exchange | None:
        """Return an exchange, None if there is none. Raises Unsound where it is damaged or forged."""
        try:
            return read_document(loads(self.path(sha).read_bytes()), sha)
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise Unsound(self.name(sha), str(error)) from None

    def names(self) -> Iterator[str]:
        """Yield the names of all exchanges in order."""
        return Store(self.root).names()


def replay(
    entry: Mapping, question: Question, exchanges: Exchanges, most: int, embedded_reply: Callable[[], str]
) -> Answered:
    """Return the reply that a judge's stored exchanges give; `entry` is the judge's part of results/panel.json.

    `most` is how often it may be asked. An embedded baseline's reply is computed again and must be the stored one.
    Raises NoVerdict where every reply was rejected, NotStored where an exchange is missing, and Unsound.
    """
    identity, rejected, paid = entry["identity"], "", ()
    for ask in range(1, most + 1):
        request = request_for(identity, question, ask, rejected)
        sha = sha256(request)
        exchange = exchanges.read(sha)
        if exchange is None:
            raise NotStored(sha, ask)
        exchanges.used[sha] = Use(identity["judge"], exchange.sent, exchange.received)
        _check_source(exchange, entry, exchanges.name(sha), embedded_reply)
        try:
            return accept(exchange, question, ask, paid)
        except Unreadable as error:
            rejected, paid = str(error), (*paid, exchange)
    raise NoVerdict("invalid", f"asked {most} times; the last reply was rejected: {rejected}")


def _check_source(exchange: Exchange, entry: Mapping, name: str, embedded_reply: Callable[[], str]) -> None:
    identity = entry["identity"]
    if identity["route"] == EMBEDDED:
        if exchange.body != embedded_reply().encode("utf-8"):
            raise Unsound(name, f"response.body: it is not what the baseline {identity['model']} answers")
        return
    reply = read_reply(exchange)
    if isinstance(reply, Reply):
        problem = matches(identity["model"], entry["settings"].get("accepted_ids", ()), reply)
        if problem:
            raise Unsound(name, f"response.body: {problem}")
