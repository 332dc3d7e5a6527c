"""Disputes: what is flagged for adjudication, and what fresh verdicts change (five-judge-exact.md, Disputes)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Any

from assay.fivejudge.exact import total
from assay.fivejudge.panel import Panel


@dataclass(frozen=True)
class Dispute:
    """One reason to adjudicate a run, and the judges whose scores it is about."""

    rule: str
    reason: str
    judges: tuple[str, ...]


@dataclass(frozen=True)
class Settlement:
    """What adjudication made of one judge's score: the score that counts, and `stands`, `replaced` or `human_review`
    (the score is the fresh one then, and a person has to look)."""

    judge: str
    first: Decimal
    fresh: Decimal
    score: Decimal
    outcome: str


def disputes(
    objective: Decimal,
    scores: Mapping[str, Decimal],
    adjustment: Decimal,
    strategy_panel: Panel,
    protocol: Mapping[str, Any],
) -> list[Dispute]:
    """Return every reason to adjudicate a complete run, in the order of the rules; none = not flagged.

    `scores` holds process, strategy and recovery.
    """
    values = protocol["disputes"]
    found = []
    for one, other in combinations(("process", "strategy", "recovery"), 2):
        gap = abs(total([scores[one], -scores[other]]))
        if gap > values["judges_apart"]:
            words = (
                f"{one} {scores[one]} and {other} {scores[other]} differ by {gap}, more than {values['judges_apart']}"
            )
            found.append(Dispute("judges_apart", words, (one, other)))
    if adjustment <= values["integrity_at_most"]:
        words = f"integrity is {adjustment}, which is {values['integrity_at_most']} or worse"
        found.append(Dispute("integrity", words, ("integrity",)))
    if scores["strategy"] > values["strategy_over"] and objective < values["objective_under"]:
        words = f"strategy is {scores['strategy']} while objective is {objective}"
        found.append(Dispute("strategy_over_objective", words, ("strategy",)))
    if strategy_panel.case == 3:
        found.append(Dispute("panel_split", f"the strategy panel disagrees: {strategy_panel.text}", ("strategy",)))
    return found


def settled(
    judge: str, first: Decimal, fresh: Decimal, protocol: Mapping[str, Any], fresh_panel: Panel | None = None
) -> Settlement:
    """Set a fresh score against the first: within 10 (10 is within) the first stands, otherwise the fresh one counts.

    A fresh panel that is all apart again goes to a person.
    """
    if fresh_panel is not None and fresh_panel.case == 3:
        return Settlement(judge, first, fresh, fresh, "human_review")
    near = abs(total([first, -fresh])) <= protocol["disputes"]["first_stands_within"]
    return Settlement(judge, first, fresh, first if near else fresh, "stands" if near else "replaced")
