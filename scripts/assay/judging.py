"""Judging: from a packet to a verdict, through the store."""

import base64
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from assay.canonical import sha256
from assay.contracts import check_contract, reply_contract
from assay.cost import cost_usd, cut_prompt, price_of
from assay.packages import find_packages
from assay.prompt import check_messages, nonce_of, render
from assay.reading import Contract, Unreadable, read_object, response_schema
from assay.routes import EMBEDDED
from assay.routes.shapes import Failure, Reply
from assay.store import Exchange, Store

STORE = "store"
VIEW_PACKET = "assay-view-1"  # one judge's view of a recorded run (five-judge protocol)


class NoVerdict(Exception):
    """A judge's verdict could not be had; the text says why.

    `state`: invalid (every reply was rejected), blocked (the API refuses this packet), held (a lost answer waits for
    a person), unanswered (no answer came), over-budget (it was not asked for).
    """

    def __init__(self, state: str, reason: str):
        super().__init__(reason)
        self.state = state


class Question(NamedTuple):
    """What one judge is asked, before it is known how often: messages, pictures, and the form of the reply.

    `check` raises Unreadable for a reply of the right form that does not fit the packet. In `round` 2 and later a judge
    is asked afresh what it was asked before.
    """

    messages: list[dict]
    images: Mapping[str, bytes]
    contract: Contract
    nonce: str
    check: Callable[[Mapping], None] | None = None
    round: int = 1


class Answered(NamedTuple):
    """A reply that meets its contract, with the exchange that holds it and how often was asked.

    `rejected` are the exchanges of the earlier asks: they were paid for as well.
    """

    value: dict
    repairs: tuple[str, ...]
    reply: Reply
    exchange: Exchange
    asks: int
    rejected: tuple[Exchange, ...] = ()


def judge_entry(panel: Mapping, judge: str) -> Mapping:
    """Return the judge's part of the panel (assay.run.panel_document)."""
    return next(entry for entry in panel["judges"] if entry["identity"]["judge"] == judge)


def packet_question(packet: Mapping, judge: str, round_: int = 1) -> Question:
    """Return what a judge is asked about a packet; in `round_` 2 it is asked afresh (adjudication)."""
    if packet["format"] == VIEW_PACKET:
        from assay.fivejudge.question import question

        messages, contract, nonce, check = question(packet, judge)
        return Question(messages, {}, contract, nonce, check, round_)
    digest = sha256(packet)
    nonce = nonce_of(digest, judge)
    visual = packet["visual"]
    images = {visual["sha256"]: base64.b64decode(visual["base64"])} if visual["kind"] == "image" else {}
    return Question(render(packet, digest, nonce), images, reply_contract(packet["rubric"]), nonce)


def check_question(judge: str) -> Question:
    """Return the small question that every judge answers before anything is judged (Intake Protocol 4)."""
    nonce = nonce_of("judge check", judge)
    return Question(check_messages(nonce), {}, check_contract(), nonce)


def request_for(identity: Mapping, question: Question, ask: int = 1, rejected: str = "") -> dict:
    """Return the request that asks `question` of a judge; its SHA-256 names the exchange.

    From the second ask on, the judge is told why its earlier reply was `rejected`.
    """
    messages = question.messages
    if rejected:
        text = f"An earlier reply to this request was rejected: {rejected}. Reply again, in exactly the form asked for."
        last = {**messages[-1], "content": [*messages[-1]["content"], {"type": "text", "text": text}]}
        messages = [*messages[:-1], last]
    return {
        "format": "assay-request-1",
        "route": identity["route"],
        "model": identity["model"],
        "parameters": identity["parameters"],
        "response_format": identity["response_format"],
        "messages": messages,
        "response_schema": response_schema(question.contract),
        "ask": ask,
        **({"round": question.round} if question.round > 1 else {}),
    }


def read_reply(exchange: Exchange) -> Reply | Failure:
    """Read the reply out of a stored exchange."""
    if exchange.request["route"] == EMBEDDED:
        return Reply(text=exchange.body.decode("utf-8"), finish="stop", models=(exchange.request["model"],))
    from assay.routes import route

    return route(exchange.request["route"]).read_reply(exchange.status, exchange.headers, exchange.body)


def accept(exchange: Exchange, question: Question, ask: int, rejected: tuple[Exchange, ...] = ()) -> Answered:
    """Return the reply of an exchange if the whole of it meets the contract; `rejected` are those of earlier asks.

    Raises Unreadable with the reason, or NoVerdict where the exchange is the API's refusal of this packet.
    """
    reply = read_reply(exchange)
    if isinstance(reply, Failure):
        file = f"{STORE}/{exchange.sha[:2]}/{exchange.sha}.json"
        raise NoVerdict("blocked", f"{reply.message}. To have it sent again, move the stored refusal away: {file}")
    if reply.finish != "stop" or reply.text is None:
        raise Unreadable(FINISHES[reply.finish] + (f" ({reply.detail})" if reply.detail else ""))
    cut = cut_prompt(exchange.request, reply.usage)
    if cut:
        raise Unreadable(cut)
    reading = read_object(reply.text, question.contract, question.nonce)
    if question.check:
        question.check(reading.value)
    return Answered(reading.value, reading.repairs, reply, exchange, ask, rejected)


FINISHES = {
    "stop": "the reply holds no text",
    "length": "the reply was cut off by the limit on output tokens; the limit must leave room for reasoning",
    "refusal": "the judge refused to answer",
    "content_filter": "the provider's content filter stopped the reply",
    "tool_calls": "the judge called a tool instead of answering",
    "empty": "the reply is empty although the model ended normally",
    "error": "the provider reported an error in place of the reply",
    "other": "the reply ended for a reason that Assay does not know",
}


def stored_asks(
    identity: Mapping, question: Question, store: Store, most: int
) -> Iterator[tuple[dict, Exchange | None]]:
    """Yield each request in the order in which a judge would be asked, with its stored exchange.

    It ends after the first request that is not stored (exchange None: it is the one to buy), accepted or refused.
    """
    rejected = ""
    for ask in range(1, most + 1):
        request = request_for(identity, question, ask, rejected)
        exchange = store.get(sha256(request))
        yield request, exchange
        if exchange is None:
            return
        try:
            accept(exchange, question, ask)
        except Unreadable as error:
            rejected = str(error)
            continue
        except NoVerdict:
            pass
        return


def ask_judge(
    panel: Mapping, judge: str, question: Question, embedded_reply: Callable[[], str] | None = None
) -> Answered:
    """Ask until a reply meets the contract, at most max_asks times; every stored reply is replayed first.

    `embedded_reply` is what the embedded baseline answers, when that is the judge's route. Raises NoVerdict, or
    UserError when no call of this run can succeed.
    """
    entry = judge_entry(panel, judge)
    rejected, paid = "", ()
    for ask in range(1, panel["max_asks"] + 1):
        request = request_for(entry["identity"], question, ask, rejected)
        exchange = _exchange(panel, entry, request, question, embedded_reply)
        try:
            return accept(exchange, question, ask, paid)
        except Unreadable as error:
            rejected, paid = str(error), (*paid, exchange)
    raise NoVerdict("invalid", f"asked {panel['max_asks']} times; the last reply was rejected: {rejected}")


def _exchange(
    panel: Mapping, entry: Mapping, request: dict, question: Question, embedded_reply: Callable[[], str] | None
) -> Exchange:
    if entry["identity"]["route"] == EMBEDDED:
        store = Store(STORE)
        return store.get(sha256(request)) or _store_embedded(store, request, embedded_reply())
    find_packages()  # the rule starts Python without them, since only buying needs any
    from pathlib import Path

    from assay.buying.buy import answer
    from assay.buying.outcome import CallFailed, HeldInDoubt
    from assay.buying.panel import judge_settings
    from assay.buying.stop import OverBudget

    states = {HeldInDoubt: "held", CallFailed: "unanswered", OverBudget: "over-budget"}
    try:
        return answer(request, judge_settings(panel, entry), question.images, Path(STORE))
    except tuple(states) as error:
        raise NoVerdict(states[type(error)], str(error)) from None


def _store_embedded(store: Store, request: dict, reply: str) -> Exchange:
    from datetime import UTC, datetime

    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return store.put(request, 200, {"content-type": "application/json"}, reply.encode("utf-8"), now, now)


def verdict_document(packet: Mapping, panel: Mapping, judge: str, answered: Answered, configuration: str = "") -> dict:
    """Return the verdict's file: what the judge said (but the nonce), and where each part comes from.

    `configuration` says whose capture it is where the packet does not.
    """
    identity, reply = judge_entry(panel, judge)["identity"], answered.reply
    return {
        "format": "assay-verdict-1",
        "entry": packet["entry"],
        "configuration": packet.get("configuration", configuration),
        "judge": judge,
        "judge_model": identity["model"],
        "route": identity["route"],
        "model_answered": reply.models[-1] if reply.models else "",
        "provider": reply.provider or identity["provider"],
        "fingerprint": reply.fingerprint,
        **{name: said for name, said in answered.value.items() if name != "nonce"},
        "packet_sha256": sha256(packet),
        "exchange": answered.exchange.sha,
        "judged_on": answered.exchange.received[:10],
        "asks": answered.asks,
        "repairs": list(answered.repairs),
        "usage": reply.usage._asdict(),
        "cost_usd": cost_of(panel, judge, answered),
    }


def cost_of(panel: Mapping, judge: str, answered: Answered) -> Decimal | None:
    """Return what all asks for a verdict cost in US dollars (the embedded baseline: nothing), None if unknown."""
    entry = judge_entry(panel, judge)
    if entry["identity"]["route"] == EMBEDDED:
        return Decimal(0)
    exchanges = (*answered.rejected, answered.exchange)
    costs = [exchange_cost(entry, exchange, read_reply(exchange)) for exchange in exchanges]
    return None if None in costs else sum(costs, Decimal(0))


def exchange_cost(entry: Mapping, exchange: Exchange, reply: Reply) -> Decimal | None:
    """Return what one exchange cost in US dollars at the price of its day; `entry` is the judge's part of the panel."""
    price = price_of(entry["prices"], entry["identity"]["model"], exchange.received[:10], reply.service_tier)
    return cost_usd(reply.usage, price, reply.cost_usd)


def no_verdict_document(packet: Mapping, judge: str, error: NoVerdict, configuration: str = "") -> dict:
    """Return what stands in a verdict's place in a partial run: why there is none. It holds no score."""
    return {
        "format": "assay-no-verdict-1",
        "entry": packet["entry"],
        "configuration": packet.get("configuration", configuration),
        "judge": judge,
        "state": error.state,
        "reason": str(error),
        "packet_sha256": sha256(packet),
    }
