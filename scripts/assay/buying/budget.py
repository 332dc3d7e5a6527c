"""The budget: before a call leaves, its greatest possible cost is set aside, for all processes together."""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from assay.buying.clock import Clock
from assay.buying.journal import Attempt, Journal, fold
from assay.buying.locks import is_held, request_lock
from assay.buying.settings import JudgeSettings
from assay.buying.stop import OverBudget, checkpoint, halt, pause
from assay.canonical import loads, plain
from assay.cost import Price
from assay.files import write_json
from assay.routes.parameters import output_limit
from assay.store import Store

_LOOK_AGAIN_SECONDS = 0.5
_LINES = 30  # of the journal between two checkpoints
_SETTLED = ("stored", "failed")  # no later line says anything of such a call


@dataclass(frozen=True)
class Totals:
    """US dollars: `spent` on stored answers, `held` for calls in doubt, `reserved` by calls in flight; and counts.

    `unpriced` counts the calls no longer in flight that may have cost something unknown, at a price as unknown.
    """

    spent: Decimal = Decimal(0)
    held: Decimal = Decimal(0)
    reserved: Decimal = Decimal(0)
    answered: int = 0
    doubtful: int = 0
    in_flight: int = 0
    failed: int = 0
    unpriced: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(*map(operator.add, vars(self).values(), vars(other).values()))

    @property
    def all(self) -> Decimal:
        """Dollars that may have been spent when every call in flight has cost its greatest price."""
        return self.spent + self.held + self.reserved


def totals(journal: Journal, own: str = "") -> Totals:
    """Add up the journal. A call without an outcome is in flight while a living process holds it, else in doubt.

    `own` is a request that this process holds itself: its earlier calls cannot be in flight.
    """
    return add_up(journal.attempts(), journal, own)


def totals_so_far(journal: Journal, own: str = "") -> Totals:
    """Return what `totals` does, from a checkpoint on. For the one that has locked the journal.

    Else the budget would read the whole journal before each call, while all others wait.
    """
    kept = _read_checkpoint(journal)
    lines = journal.parse(kept.new)
    for line in lines:
        fold(kept.unsettled, line)
    if len(lines) >= _LINES:
        _write_checkpoint(journal, kept)
    return kept.settled + add_up(kept.unsettled.values(), journal, own)


@dataclass
class _Checkpoint:
    """What the journal said up to its byte `end`, and its bytes after that: `new`."""

    settled: Totals = Totals()
    unsettled: dict[tuple[str, int], Attempt] = field(default_factory=dict)
    end: int = 0
    new: bytes = b""


def _read_checkpoint(journal: Journal) -> _Checkpoint:
    """Return the checkpoint, or an empty one where there is none that fits the journal as it is now."""
    try:
        kept = loads(checkpoint(journal.root).read_bytes())
        last = kept["last_line"].encode()
        with open(journal.path, "rb") as file:
            file.seek(kept["end"] - len(last))
            data = file.read()
    except (FileNotFoundError, ValueError):  # it only saves time, so that one damaged by a power cut is none
        pass
    else:
        if data.startswith(last):
            unsettled = {(entry["sha"], entry["number"]): Attempt(**entry) for entry in kept["unsettled"]}
            settled = Totals(**kept["settled"])
            return _Checkpoint(settled, unsettled, kept["end"], data[len(last) :])
    return _Checkpoint(new=journal.path.read_bytes())


def _write_checkpoint(journal: Journal, kept: _Checkpoint) -> None:
    found = kept.unsettled.values()
    settled = kept.settled + add_up((attempt for attempt in found if attempt.state in _SETTLED), journal)
    document = {
        "settled": vars(settled),
        "unsettled": [vars(attempt) for attempt in found if attempt.state not in _SETTLED],
        "end": kept.end + len(kept.new),
        "last_line": kept.new.splitlines(keepends=True)[-1].decode(),
    }
    write_json(checkpoint(journal.root), document)


def add_up(found: Iterable[Attempt], journal: Journal, own: str = "") -> Totals:
    """Add up attempts of the journal, as `totals` does."""
    money = {"stored": Decimal(0), "in_doubt": Decimal(0), "sent": Decimal(0), "failed": Decimal(0)}
    count = dict.fromkeys(money, 0)
    store = Store(journal.root)
    unpriced = 0
    for attempt in found:
        state = attempt.state
        if state == "sent" and (attempt.sha == own or not is_held(request_lock(journal.root, attempt.sha))):
            state = "stored" if store.path(attempt.sha).exists() else "in_doubt"
        money[state] += attempt.price
        count[state] += 1
        unpriced += state not in ("failed", "sent") and attempt.cost is None and attempt.reserved is None
    return Totals(
        spent=money["stored"],
        held=money["in_doubt"],
        reserved=money["sent"],
        answered=count["stored"],
        doubtful=count["in_doubt"],
        in_flight=count["sent"],
        failed=count["failed"],
        unpriced=unpriced,
    )


def unbounded(judge: str, route: str, model: str, parameters: Mapping, price: Price | None) -> str:
    """Say why nothing bounds what a call of a judge may cost, and what to do about it; '' if something does."""
    begin = f"there is a budget, but nothing bounds what a call of judge {judge} ({model}) may cost: "
    if price is None:
        todo = "Look it up and add a row to config/prices.yaml, or remove budget_usd"
        return f"{begin}its price of today is not known. {todo}."
    if output_limit(route, parameters) is None:
        todo = f"Set judges.{judge}.parameters.max_output_tokens in config.yaml, with room for reasoning"
        return f"{begin}it has no limit of output tokens. {todo}, or remove budget_usd."
    return ""


def send_line(
    journal: Journal, judge: JudgeSettings, sha: str, attempt: int, cost: Decimal | None, clock: Clock
) -> None:
    """Write the journal's line that says that a call is about to leave, with its greatest possible cost set aside.

    With a budget, which needs a `cost`, waits while only the reservations of calls in flight stand in the way. Raises
    OverBudget, and ends the run, where the call could pass the budget.
    """
    line = {"attempt": attempt, "event": "sent", "judge": judge.id, "reserved": cost, "sha": sha}
    while not _try_send_line(journal, judge, line, clock):
        pause(journal.root, _LOOK_AGAIN_SECONDS, clock)


def _try_send_line(journal: Journal, judge: JudgeSettings, line: dict, clock: Clock) -> bool:
    cap, cost = judge.budget_usd, line["reserved"]
    with journal.locked() as append:
        if cap is not None:
            now = totals_so_far(journal, line["sha"])
            if now.spent + now.held + cost > cap:
                halt(journal.root, _over(now, judge, cost), OverBudget)
            if now.all + cost > cap:
                return False
        append({**line, "time": clock.stamp()})
    return True


def _over(now: Totals, judge: JudgeSettings, cost: Decimal) -> str:
    left = judge.budget_usd - now.spent - now.held
    held = f" and ${plain(now.held)} is held for {now.doubtful} calls in doubt" if now.doubtful else ""
    return (
        f"the budget of ${plain(judge.budget_usd)} does not allow another call: ${plain(now.spent)} is spent on "
        f"{now.answered} answers{held}, so ${plain(left)} is left, but the next call of judge {judge.id} may cost up "
        f"to ${plain(cost)}. Every answer is kept. Raise budget_usd and start again to go on."
    )
