"""The files between the steps: what was computed of a run without a model, as JSON, and read back."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Any

from assay.fivejudge.claims import Claim, Settled
from assay.fivejudge.efficiency import Efficiency
from assay.fivejudge.integrity import Facts, Finding
from assay.fivejudge.material import metric_row
from assay.fivejudge.objective import Objective, objective
from assay.fivejudge.scoring import Assessed, evidence_of
from assay.fivejudge.similarity import likenesses, plagiarism
from assay.problems import UserError, listing
from assay.runs.patch import Patch
from assay.runs.run import read_run

OBJECTIVE_FILES = ("build.json", "runtime.json", "security.sarif", "benchmarks.json")
OBJECTIVE_PARTS = ("levels", "default_level", "objective")
DETECTED_PARTS = (
    "metrics",
    "confidence",
    "confident_from",
    "detectors",
    "judges",
    "levels",
    "default_level",
    "objective",
)


def objective_files(held: Iterable[str]) -> list[str]:
    """Return which files of a run folder the Objective judge looks at, in order."""
    return sorted(name for name in held if name in OBJECTIVE_FILES or name.startswith("tests/"))


def objective_document(folder: Path, held: Iterable[str], protocol: Mapping[str, Any]) -> dict[str, Any]:
    """Score a run folder by its evidence: the Objective judge's verdict with its evidence bundle.

    Opens no other file than those that it looks at. Raises UserError when one is not sound.
    """
    run, problems = read_run(folder, str(folder), only=objective_files(held))
    if run is None:
        raise UserError(listing(problems))
    made = objective(evidence_of(run), protocol)
    return {"format": "assay-objective-1", "score": made.score, "anchor": made.anchor, "bundle": made.bundle}


def read_objective(document: Mapping[str, Any]) -> Objective:
    """Read an Objective document back."""
    return Objective(document["score"], document["anchor"], dict(document["bundle"]))


def detected_document(assessed: Assessed) -> dict[str, Any]:
    """Return what the metrics and the detectors of one run came to."""
    scored = assessed.scored
    return {
        "format": "assay-detected-1",
        "family": scored.run.challenge.family,
        "metrics": [metric_row(metric) for metric in scored.metrics.values()],
        "claims": [{**one.claim._asdict(), "test": one.test, "actual": one.actual} for one in scored.claims],
        "efficiency": asdict(assessed.efficiency),
        "findings": [asdict(finding) for finding in assessed.findings],
        "facts": asdict(assessed.facts),
        "notes": list(scored.run.notes),
    }


def read_claims(document: Mapping[str, Any]) -> list[Settled]:
    """Return the settled claims of a detected document."""
    names = Claim._fields
    return [Settled(Claim(*(row[n] for n in names)), row["test"], row["actual"]) for row in document["claims"]]


def read_findings(rows: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Return findings written as JSON."""
    made = []
    for row in rows:
        points = None if row["points"] is None else Decimal(row["points"])
        made.append(Finding(row["trigger"], row["source"], tuple(row["evidence"]), row["words"], points))
    return made


def read_facts(document: Mapping[str, Any]) -> Facts:
    """Return the facts of a detected document."""
    return Facts(**document["facts"])


def read_efficiency(document: Mapping[str, Any]) -> Efficiency:
    """Return the Efficiency of a detected document."""
    return Efficiency(**document["efficiency"])


def likeness_document(changes: Mapping[str, Patch], start: str, protocol: Mapping[str, Any]) -> dict[str, Any]:
    """Compare every two agents' changes to one challenge; `start` is the text of its starting point.

    The findings are by agent and name no other agent; the pairs with their shares are for people alone.
    """
    pairs = likenesses(changes, protocol, start)
    found = plagiarism(changes, protocol, start)
    return {
        "format": "assay-likeness-1",
        "pairs": [
            {
                "agents": [pair.first, pair.second],
                "share": None if pair.share is None else f"{pair.share.numerator}/{pair.share.denominator}",
                "reason": pair.reason,
            }
            for pair in pairs
        ],
        "findings": {agent: [asdict(finding) for finding in found.get(agent, ())] for agent in sorted(changes)},
    }
