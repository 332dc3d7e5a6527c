"""Planning: what judging would still cost, from packets and store alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from assay.buying.budget import Totals
from assay.canonical import canonical, plain
from assay.cost import Price, cost_usd, greatest_cost
from assay.judging import NoVerdict, Question, accept, read_reply, stored_asks
from assay.reading import Unreadable
from assay.routes import EMBEDDED
from assay.routes.parameters import output_limit
from assay.routes.shapes import Failure, Usage
from assay.scoring.numbers import mean, public
from assay.store import Store

BYTES_PER_TOKEN = 4
ASSUMED_OUTPUT_TOKENS = 700
COLUMNS = [
    *("judge", "model", "route", "verdicts", "stored", "to_buy"),
    *("input_tokens", "output_tokens", "usd_estimate", "usd_at_most", "usd_spent"),
]
HOW = (
    f"Tokens are estimated: input as one token for {BYTES_PER_TOKEN} UTF-8 bytes of the request; output as the mean of "
    f"this judge's stored replies, or {ASSUMED_OUTPUT_TOKENS}, or its limit, where there are none. usd_estimate is for "
    "one ask a verdict; usd_at_most reserves for every byte a token and the whole output limit. An unknown price gives "
    "unknown, never 0."
)
BOUND = "add the judge's price to config/prices.yaml and set its parameters.max_output_tokens"


@dataclass(frozen=True)
class Item:
    """One verdict in the plan: the request to buy (None = its reply is stored), and what stored replies used."""

    to_buy: dict | None
    used: tuple[Usage, ...]
    spent: tuple[Decimal | None, ...]


def plan_item(
    identity: Mapping, question: Question, store: Store, most: int, price_on: Callable[[str, str], Price | None]
) -> Item:
    """Look up in the store how far one verdict has come. `price_on` gives the price on a day in a tier."""
    used, spent, to_buy = [], [], None
    for request, exchange in stored_asks(identity, question, store, most):
        if exchange is None:
            to_buy = request
            continue
        reply = read_reply(exchange)
        if isinstance(reply, Failure):  # the API's refusal of this packet: not billed
            continue
        used.append(reply.usage)
        spent.append(cost_usd(reply.usage, price_on(exchange.received[:10], reply.service_tier), reply.cost_usd))
    return Item(to_buy, tuple(used), tuple(spent))


def plan_row(identity: Mapping, items: Sequence[Item], price: Price | None) -> dict[str, str]:
    """Return one judge's row of the plan (COLUMNS). Money in US dollars with four decimals; `unknown` where it is."""
    buying = [item.to_buy for item in items if item.to_buy is not None]
    outputs = [Fraction(usage.output) for item in items for usage in item.used if usage.output is not None]
    limit = output_limit(identity["route"], identity["parameters"]) or ASSUMED_OUTPUT_TOKENS
    per_reply = mean(outputs) if outputs else Fraction(min(ASSUMED_OUTPUT_TOKENS, limit))
    inputs = sum(len(canonical(request["messages"]).encode("utf-8")) for request in buying) // BYTES_PER_TOKEN
    free = identity["route"] == EMBEDDED
    spent = [cost for item in items for cost in item.spent]
    output = 0 if free else round(per_reply * len(buying))
    estimate = _estimate(inputs, output, price, bool(buying) and not free)
    return {
        "judge": identity["judge"],
        "model": identity["model"],
        "route": identity["route"],
        "verdicts": str(len(items)),
        "stored": str(len(items) - len(buying)),
        "to_buy": str(len(buying)),
        "input_tokens": str(0 if free else inputs),
        "output_tokens": str(output),
        "usd_estimate": _money(estimate),
        "usd_at_most": _money(_total([Decimal(0) if free else greatest_cost(request, price) for request in buying])),
        "usd_spent": _money(_total([Decimal(0) if free else cost for cost in spent])),
    }


def budget_line(budget: Decimal | None, rows: Sequence[Mapping[str, str]], money: Totals) -> str:
    """Say whether the budget (US dollars, None = none) suffices for the plan's rows after what `money` says is gone.

    It suffices for certain when every call at its greatest price fits; it falls short for certain when the estimate
    does not fit. In between it depends on how long the replies are, and on how often judges must be asked again.
    """
    if budget is None:
        return "There is no budget: budget_usd in config.yaml sets the most that this work directory may ever spend."
    left = budget - money.spent - money.held
    state = f"Budget: ${plain(budget)}; spent ${public(Fraction(money.spent), 4)}"
    state += f", in doubt ${public(Fraction(money.held), 4)}" if money.held else ""
    state += f", left ${public(Fraction(left), 4)}. "
    sums = {name: [row[name] for row in rows] for name in ("usd_estimate", "usd_at_most")}
    if "unknown" in sums["usd_at_most"]:
        return f"{state}Nothing will be bought, since usd_at_most is unknown: {BOUND}."
    estimate, most = (sum(map(Decimal, sums[name])) for name in ("usd_estimate", "usd_at_most"))
    if most <= left:
        return f"{state}It suffices for one ask a verdict, even at the greatest price (${plain(most)})."
    if estimate <= left:
        return (
            f"{state}It suffices by the estimate (${plain(estimate)}), but not at the greatest price (${plain(most)})."
        )
    return f"{state}It does not suffice: the estimate is ${plain(estimate)}. The run will stop at the budget."


def _estimate(inputs: int, outputs: int, price: Price | None, costs: bool) -> Decimal | None:
    return cost_usd(Usage(input=inputs, output=outputs), price) if costs else Decimal(0)


def _total(costs: Sequence[Decimal | None]) -> Decimal | None:
    return None if any(cost is None for cost in costs) else sum(costs, Decimal(0))


def _money(value: Decimal | None) -> str:
    return public(None if value is None else Fraction(value), 4)


def verdict_state(identity: Mapping, question: Question, store: Store, most: int) -> str:
    """Say what judging one packet would do: replay (stored), buy, or ask again (a stored reply was rejected)."""
    for request, exchange in stored_asks(identity, question, store, most):
        if exchange is None:
            return "buy" if request["ask"] == 1 else f"buy, ask {request['ask']}"
        last = exchange, request["ask"]
    try:
        accept(last[0], question, last[1])
    except Unreadable:
        return "replay, invalid"
    except NoVerdict as error:
        return f"replay, {error.state}"
    return "replay"
