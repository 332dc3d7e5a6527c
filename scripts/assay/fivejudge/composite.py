"""The composite: weights, anchor, integrity, clamp, and every addend (five-judge-exact.md, Composite)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from assay.fivejudge.exact import clamped, product, total
from assay.fivejudge.integrity import Integrity
from assay.fivejudge.objective import Objective
from assay.fivejudge.protocol import WeightSet

_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True)
class Addend:
    """One addend of the final score: `points` = weight · score / 100 for a judge, the points themselves otherwise."""

    id: str
    points: Decimal
    score: Decimal | None = None
    weight: Decimal | None = None
    text: str = ""


@dataclass(frozen=True)
class Composite:
    """A run's result. `state` is scored, quarantined, incomplete or unscorable (no final then, with the `reason`).

    The addends add up to `final` exactly: each judge, calibration, the anchor (0 or less), the integrity bonus and
    penalty, and what the clamp to 0..100 added or took.
    """

    state: str
    reason: str
    final: Decimal | None = None
    weighted: Decimal | None = None
    anchored: Decimal | None = None
    anchor_active: bool = False
    addends: tuple[Addend, ...] = ()


def composite(
    objective: Objective,
    scores: Mapping[str, Decimal | None],
    integrity: Integrity | None,
    weights: WeightSet,
    calibration: tuple[Decimal, str] = (Decimal(0), ""),
) -> Composite:
    """Combine the judges of one run.

    `scores` holds process, strategy, recovery, and efficiency where the weight set has it, each 0 to 100 or None while
    it is missing; `calibration` is the adjustment with its words, and belongs to the part that the anchor holds down.
    Raises ValueError for a score outside 0 to 100 and for an adjustment beyond the weight set's limit.
    """
    if objective.score is None:
        return Composite("unscorable", "neither test suite has a test that counts")
    given: dict[str, Decimal | None] = {**scores, "objective": objective.score}
    missing = [name for name in weights.weights if given.get(name) is None]
    missing += [] if integrity else ["integrity"]
    if missing:
        return Composite("incomplete", f"no score of {', '.join(missing)}")
    assert integrity is not None
    addends = [_weighed(name, weight, given[name]) for name, weight in weights.weights.items()]
    if abs(calibration[0]) > weights.calibration:
        raise ValueError(f"a calibration adjustment of {calibration[0]} is beyond {weights.calibration}")
    if weights.calibration:
        addends.append(Addend("calibration", calibration[0], text=calibration[1]))
    weighted = total(addend.points for addend in addends)
    held = min(weighted, objective.score) if objective.anchor else weighted
    addends += [_anchor(objective.anchor, total([held, -weighted])), *_adjustments(integrity)]
    raw = total([held, integrity.bonus, integrity.penalty])
    final = clamped(raw)
    addends.append(Addend("clamp", total([final, -raw]), text="kept within 0 to 100"))
    state = "quarantined" if integrity.state == "quarantined" else "scored"
    reason = "left out of rankings until a person reviews it" if state == "quarantined" else ""
    return Composite(state, reason, final, weighted, held, objective.anchor, tuple(addends))


def _anchor(active: bool, points: Decimal) -> Addend:
    words = "the build failed or every hidden critical test fails: not above Objective"
    return Addend("anchor", points, text=words if active else "not active")


def _adjustments(integrity: Integrity) -> list[Addend]:
    earned, taken = integrity.bonus_uncapped, integrity.penalty_uncapped
    return [
        Addend("integrity_bonus", integrity.bonus, text=f"before cap and quarantine: {earned}"),
        Addend("integrity_penalty", integrity.penalty, text=f"before cap: {taken}"),
    ]


def _weighed(name: str, weight: Decimal, score: Decimal | None) -> Addend:
    if score is None or not 0 <= score <= 100:
        raise ValueError(f"the {name} score {score} is not within 0 to 100")
    return Addend(name, product(weight, score, _HUNDREDTH), score, weight)


def rankable(result: Composite) -> bool:
    """Say whether a run may stand in a ranking: scored, and not quarantined."""
    return result.state == "scored"


def as_rows(result: Composite) -> list[dict[str, Any]]:
    """Return the addends as JSON rows, in order."""
    return [
        {"id": a.id, "score": a.score, "weight": a.weight, "points": a.points, "text": a.text} for a in result.addends
    ]
