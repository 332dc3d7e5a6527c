"""The packet of one model judge: its view of a run and its own table of the specification, and nothing else.

A packet names no agent and no model. It is built from the files that the judge may see; the others are not opened.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from assay.fivejudge.claims import ClaimsFold, settle
from assay.fivejudge.material import Scored, judge_view
from assay.fivejudge.metrics import Metrics
from assay.fivejudge.objective import Objective
from assay.fivejudge.selection import ClassFold
from assay.fivejudge.views import visible
from assay.judging import VIEW_PACKET
from assay.problems import UserError, listing
from assay.runs.run import read_run

SCALE = {"min": "0", "max": "100"}
FILES = {
    "briefing": "challenge.yaml",
    "rubric": "challenge.yaml",
    "diff": "changes.diff",
    "plan": "plan.md",
    "sandbox": "sandbox.jsonl",
    "deliverables": "deliverables/",
    "action_timeline": "telemetry.jsonl",
    "tool_calls": "telemetry.jsonl",
    "errors": "telemetry.jsonl",
    "claims": "telemetry.jsonl",
    "process_metrics": "telemetry.jsonl",
    "recovery_metrics": "telemetry.jsonl",
}
"""The file of a run folder (or the folder in it) that a field of a view is made from; test results and Objective come
from the Objective judge's evidence."""
PARTS = ("judges", "metrics", "visibility", "telemetry", "integrity")
"""The parts of the protocol that a packet depends on: a new weight or limit elsewhere makes no new packet."""


def files_of_view(judge: str, held: Collection[str], protocol: Mapping[str, Any]) -> list[str]:
    """Return which of the files `held` by a run folder the judge's view is made from, in order."""
    wanted = {FILES[field] for field in visible(judge, protocol) if field in FILES}
    return sorted(name for name in held if name in wanted or f"{name.partition('/')[0]}/" in wanted)


def view_packet(
    entry: str,
    judge: str,
    folder: Path,
    held: Collection[str],
    evidence: Mapping[str, Any],
    protocol: Mapping[str, Any],
) -> dict[str, Any]:
    """Build the packet of one judge for one run.

    `folder` is the run folder, `held` the names of its files, `evidence` the Objective document. Raises UserError when
    a file is not sound, or what may never be left out does not fit into the packet.
    """
    files = files_of_view(judge, held, protocol)
    metrics, claims, classes = Metrics(), ClaimsFold(), ClassFold()
    run, problems = read_run(folder, str(folder), (metrics, claims, classes), files)
    if run is None:
        raise UserError(listing(problems))
    objective = Objective(evidence["score"], evidence["anchor"], evidence["bundle"])
    settled = settle(claims.claims, evidence["bundle"]["suites"])
    scored = Scored(run, objective, metrics.result(protocol), settled, classes.classes)
    return {
        "format": VIEW_PACKET,
        "entry": entry,
        "judge": judge,
        "scale": SCALE,
        **table(judge, protocol),
        "shown": judge_view(scored, judge, protocol),
    }


def table(judge: str, protocol: Mapping[str, Any]) -> dict[str, Any]:
    """Return a judge's table of the specification: criteria, or for Integrity the triggers that a model may raise."""
    row = next(row for row in protocol["judges"] if row["id"] == judge)
    if row["kind"] != "adjustment":
        return {"title": row["title"], "criteria": row["criteria"]}
    names = ("id", "kind", "title", "points", "worst", "severity")
    raised = [trigger for trigger in protocol["integrity"]["triggers"] if trigger["by"] != "detector"]
    return {
        "title": row["title"],
        "triggers": [{name: trigger[name] for name in names if name in trigger} for trigger in raised],
    }
