"""What a call has cost, and what it can cost at most. Unknown is None, never 0."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from assay.canonical import canonical
from assay.routes.parameters import output_limit
from assay.routes.shapes import Usage

MILLION = 1_000_000
# Above what any of the APIs counts for one image at its highest detail.
IMAGE_TOKENS = 50_000
# Above what the APIs add to a message for its role, and to a request for structured output and reasoning.
MESSAGE_TOKENS = 64
REQUEST_TOKENS = 1_000
_STANDARD_TIERS = ("", "default", "standard", "auto")


class Price(NamedTuple):
    """US dollars per million tokens of one model. None = the API charges these tokens as plain input or output.

    `longest_input`: the price holds for requests of at most so many input tokens; None = for all.
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    cache_write: Decimal | None = None
    reasoning: Decimal | None = None
    longest_input: int | None = None


def price_of(prices: Mapping, model: str, date: str, tier: str = "") -> Price | None:
    """Return the price of a model (exact id) on a day (`2026-12-01`), None if the table does not say.

    `prices` is config/prices.yaml. `tier` is the service tier; another one than the standard tier has rows of its own.
    """
    tier = "" if tier in _STANDARD_TIERS else tier
    for row in prices["prices"]:
        if model in row["models"] and row["from"] <= date <= row["to"] and row.get("tier", "") == tier:
            return _price(row)
    return None


def _price(row: Mapping) -> Price:
    kinds = ("input", "output", "cached", "cache_write", "reasoning")
    return Price(
        **{kind: Decimal(row[kind]) for kind in kinds if row.get(kind) is not None},
        longest_input=row.get("longest_input"),
    )


def cost_usd(usage: Usage, price: Price | None, reply_cost: Decimal | None = None) -> Decimal | None:
    """Return what a call has cost in US dollars, None = unknown.

    The API's own figure comes first, else usage x price. Tokens that contradict each other have no known cost.
    """
    if reply_cost is not None:
        return reply_cost
    if price is None or usage.input is None or usage.output is None:
        return None
    cached, written, reasoning = usage.cached or 0, usage.cache_write or 0, usage.reasoning or 0
    if cached + written > usage.input or reasoning > usage.output:
        return None
    if price.longest_input is not None and usage.input > price.longest_input:
        return None
    spent = (
        (usage.input - cached - written) * price.input
        + cached * _or(price.cached, price.input)
        + written * _or(price.cache_write, price.input)
        + (usage.output - reasoning) * price.output
        + reasoning * _or(price.reasoning, price.output)
    )
    return spent / MILLION


def _or(price: Decimal | None, otherwise: Decimal) -> Decimal:
    return otherwise if price is None else price


def input_tokens_at_most(request: Mapping) -> int:
    """Return an upper bound of a request's input tokens: no tokenizer in use makes more tokens than UTF-8 bytes."""
    parts = [part for message in request["messages"] for part in message["content"]]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    schema = len(canonical(request["response_schema"]).encode("utf-8")) if request.get("response_schema") else 0
    images = sum(part["type"] == "image" for part in parts)
    return size + schema + images * IMAGE_TOKENS + len(request["messages"]) * MESSAGE_TOKENS + REQUEST_TOKENS


def greatest_cost(request: Mapping, price: Price | None) -> Decimal | None:
    """Return an upper bound of what a request (assay-request-1) can cost in US dollars; None if nothing bounds it.

    Input: `input_tokens_at_most`; output: the request's limit. Each at its dearest kind of token.
    """
    limit = output_limit(request["route"], request["parameters"])
    if price is None or limit is None:
        return None
    tokens = input_tokens_at_most(request)
    if price.longest_input is not None and tokens > price.longest_input:
        return None
    dearest_input = max(p for p in (price.input, price.cached, price.cache_write) if p is not None)
    dearest_output = max(p for p in (price.output, price.reasoning) if p is not None)
    return (tokens * dearest_input + limit * dearest_output) / MILLION


def cut_prompt(request: Mapping, usage: Usage) -> str:
    """Say whether the server has cut the packet in silence, as Ollama does at its context length; '' if not.

    A tokenizer makes at least about one token a word, so far fewer input tokens than words cannot be the whole packet.
    """
    if not usage.input:
        return ""
    parts = [part for message in request["messages"] for part in message["content"] if part["type"] == "text"]
    words = sum(len(part["text"].split()) for part in parts)
    if usage.input * 4 >= words * 3:
        return ""
    return (
        f"prompt_truncated: the request has {words} words, but the server read only {usage.input} tokens of it; "
        "give the server a longer context"
    )
