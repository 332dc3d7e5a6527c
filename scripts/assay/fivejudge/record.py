"""One run's record: every judge's score, the panel, Integrity, the composite with all addends, and the disputes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from assay.fivejudge.composite import Composite, as_rows, composite, rankable
from assay.fivejudge.disputes import Dispute, Settlement, disputes, settled
from assay.fivejudge.documents import read_claims, read_efficiency, read_facts, read_findings, read_objective
from assay.fivejudge.efficiency import calibration
from assay.fivejudge.integrity import Finding, Integrity, adjust
from assay.fivejudge.objective import Objective
from assay.fivejudge.panel import Panel, panel
from assay.fivejudge.protocol import roles, weights_for

SINGLE = ("process", "recovery")
Verdicts = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Evidence:
    """What was computed of a run without a model: the documents of the steps before the judges."""

    objective: Objective
    detected: Mapping[str, Any]
    likeness: tuple[Finding, ...]


@dataclass(frozen=True)
class Judged:
    """What the model judges made of a run; a score or Integrity is None while a verdict is missing."""

    scores: Mapping[str, Decimal | None]
    panel: Panel
    integrity: Integrity | None


def evidence(
    objective: Mapping[str, Any], detected: Mapping[str, Any], likeness: Mapping[str, Any], agent: str
) -> Evidence:
    """Read the documents of one run; `likeness` is the challenge's, from which the agent's findings are taken."""
    return Evidence(read_objective(objective), detected, tuple(read_findings(likeness["findings"].get(agent, ()))))


def judged(known: Evidence, verdicts: Verdicts, protocol: Mapping[str, Any]) -> Judged:
    """Combine the verdicts of one run (judge -> verdict document; those without a verdict are left out)."""
    overall = {judge: Decimal(verdict["overall"]) for judge, verdict in verdicts.items() if "overall" in verdict}
    strategy = panel({role: overall.get(role) for role in roles(protocol)["strategy"]}, protocol)
    integrity = None
    if "integrity" in verdicts:
        found = [
            Finding(row["trigger"], "model", tuple(row["evidence"]), row["words"], Decimal(row["points"]))
            for row in verdicts["integrity"]["findings"]
        ]
        found += [*read_findings(known.detected["findings"]), *known.likeness]
        integrity = adjust(found, read_facts(known.detected), protocol)
    scores = {name: overall.get(name) for name in SINGLE} | {"strategy": strategy.score}
    return Judged(scores, strategy, integrity)


def outcome(known: Evidence, made: Judged, protocol: Mapping[str, Any]) -> Composite:
    """Return the composite of one run, by the weight set of its kind of challenge."""
    weights = weights_for(protocol, known.detected["family"])
    scores = dict(made.scores)
    if "efficiency" in weights.weights:
        scores["efficiency"] = read_efficiency(known.detected).score
    adjustment = calibration(read_claims(known.detected), weights.calibration, protocol)
    return composite(known.objective, scores, made.integrity, weights, adjustment)


def disputed(known: Evidence, made: Judged, protocol: Mapping[str, Any]) -> list[Dispute]:
    """Return why a run is flagged for adjudication; a run that is not complete or not scorable is not flagged."""
    if known.objective.score is None or made.integrity is None or None in made.scores.values():
        return []
    return disputes(known.objective.score, made.scores, made.integrity.adjustment, made.panel, protocol)


def adjudicated(
    first: Judged, fresh: Judged, judges: list[str], protocol: Mapping[str, Any]
) -> tuple[Judged, list[Settlement]]:
    """Set fresh verdicts of the disputed `judges` against the first; return what counts, and every settlement."""
    scores, strategy, integrity = dict(first.scores), first.panel, first.integrity
    made = []
    for judge in judges:
        if judge == "integrity":
            result = settled(judge, first.integrity.adjustment, fresh.integrity.adjustment, protocol)
            integrity = fresh.integrity if result.outcome == "replaced" else integrity
        else:
            again = fresh.panel if judge == "strategy" else None
            result = settled(judge, first.scores[judge], fresh.scores[judge], protocol, again)
            scores[judge] = result.score
            strategy = fresh.panel if judge == "strategy" and result.outcome != "stands" else strategy
        made.append(result)
    return Judged(scores, strategy, integrity), made


def record(
    known: Evidence, made: Judged, first: Judged, settlements: list[Settlement], protocol: Mapping[str, Any]
) -> dict:
    """Return one run's record as JSON: all that tables and pages show of it.

    `made` is what counts, `first` what the first verdicts gave; they differ where adjudication replaced a score.
    """
    result = outcome(known, made, protocol)
    return {
        "state": result.state,
        "reason": result.reason,
        "rankable": rankable(result),
        "final": result.final,
        "weighted": result.weighted,
        "anchored": result.anchored,
        "anchor_active": result.anchor_active,
        "weight_set": weights_for(protocol, known.detected["family"]).name,
        "family": known.detected["family"],
        "addends": as_rows(result),
        "objective": known.objective.score,
        "scores": dict(made.scores),
        "panel": asdict(made.panel),
        "integrity": None if made.integrity is None else asdict(made.integrity),
        "disputes": [asdict(dispute) for dispute in disputed(known, first, protocol)],
        "settlements": [asdict(settlement) for settlement in settlements],
    }
