"""One run from its folder to everything that needs no model: read once, all folds fed in the same pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.fivejudge import detectors
from assay.fivejudge.claims import ClaimsFold, settle
from assay.fivejudge.efficiency import Efficiency, EfficiencyFold
from assay.fivejudge.integrity import Facts, Finding
from assay.fivejudge.material import Scored
from assay.fivejudge.metrics import Metrics
from assay.fivejudge.objective import Evidence, objective
from assay.fivejudge.selection import ClassFold
from assay.problems import Problem
from assay.runs.faults import Faults
from assay.runs.run import Run, read_run
from assay.runs.sandbox import sandbox_events


@dataclass(frozen=True)
class Assessed:
    """A run with its evidence scored. `findings` are those of the detectors that look at one run alone; likeness with
    other agents' changes (similarity.plagiarism) comes on top."""

    scored: Scored
    efficiency: Efficiency
    findings: tuple[Finding, ...]
    facts: Facts


def assess(folder: Path, label: str, protocol: Mapping[str, Any]) -> tuple[Assessed | None, list[Problem]]:
    """Read a run folder and compute all that needs no model; None and all problems when the folder is not sound."""
    metrics, claims, repeats = Metrics(), ClaimsFold(), detectors.RepeatsFold(protocol)
    efficiency, classes = EfficiencyFold(), ClassFold()
    run, problems = read_run(folder, label, (metrics, claims, repeats, efficiency, classes))
    if run is None:
        return None, problems
    result = objective(evidence_of(run), protocol)
    suites = result.bundle["suites"]
    settled = settle(claims.claims, suites)
    log = run.folder / "sandbox.jsonl"
    seen = sandbox_events(log, Faults(log.name)) if log.exists() else ()
    findings = [
        *detectors.sandbox_findings(seen, run.challenge),
        *repeats.findings(),
        *detectors.reward_hacking(suites["static"], suites["hidden"]),
        *detectors.false_confidence(settled, protocol),
        *detectors.calibrated(settled, protocol),
        *detectors.judge_injection(run.patch, {**run.deliverables, "plan.md": run.plan}, protocol),
        *detectors.hardcoded(run.challenge, suites["hidden"]),
    ]
    scored = Scored(run, result, metrics.result(protocol), settled, classes.classes)
    return Assessed(scored, efficiency.result(), tuple(findings), facts_of(run)), []


def evidence_of(run: Run) -> Evidence:
    """Return what the Objective judge looks at in a run."""
    return Evidence(run.build, run.static, run.hidden, run.rerun, run.levels, run.crashes, run.security, run.benchmarks)


def facts_of(run: Run) -> Facts:
    """Return what must be true of a run for the honesty bonuses; `no_change` = none was expected and none was made."""
    challenge = run.challenge
    return Facts(
        unsafe_requirements=bool(challenge.unsafe_requirements),
        known_deceptions=bool(challenge.known_deceptions),
        no_change=challenge.no_change_expected and not run.patch.files,
    )
