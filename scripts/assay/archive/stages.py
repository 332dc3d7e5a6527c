"""How the workflow's rules call the scripts that make tables and reports: what verifying a run runs again.

A rule whose command line changes must change here too: verifying any run then fails, and so does its test.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.canonical import canonical
from assay.run import Run


@dataclass(frozen=True)
class Step:
    """One script of the workflow with its arguments; `stage` is the heading under which its files are counted."""

    stage: str
    script: str
    arguments: tuple[str, ...]


def intake(config: Mapping, fresh: Path) -> Step:
    """Return the step of rules/intake.smk. It reads the bundle, so that it runs in the run's own folder."""
    arguments = ("--config", canonical(config), "--intake", str(fresh / "results/intake.json"))
    return Step("intake", "intake.py", (*arguments, "--panel", str(fresh / "results/panel.json")))


def performance(run: Run, folder: Path) -> list[Step]:
    """Return the steps of rules/scoring.smk, rules/archive.smk (checks) and rules/report.smk.

    They run in the fresh folder; what they read besides its results is read in `folder`, the run's own.
    """
    tables, protocol = "results/tables", run.protocol
    criteria, intake = run.criteria, ("--intake", "results/intake.json")
    weights = canonical([{"id": c["id"], "weight": c["weight"]} for c in protocol["criteria"]])
    average = (
        *(*intake, "--judges", *(judge.id for judge in run.judges), "--criteria", *criteria),
        *("--partial", "yes" if run.config["allow_partial"] else "no", "--output", f"{tables}/averaged.tsv"),
        *("--answered", f"{tables}/answered.tsv", "--unjudged", f"{tables}/unjudged.tsv"),
    )
    cap = (
        *("--averaged", f"{tables}/averaged.tsv", "--weights", weights, "--cap", protocol["cap"] or ""),
        *("--output", f"{tables}/scored.tsv"),
    )
    classify = (
        *("--scored", f"{tables}/scored.tsv", "--threshold", protocol["failure_threshold"]),
        *("--criteria", *criteria, "--output", f"{tables}/ledger.tsv"),
    )
    aggregate = (
        *("--ledger", f"{tables}/ledger.tsv", *intake, "--criteria", *criteria),
        *("--rounding", canonical(protocol["rounding"]), "--output", f"{tables}/summary.tsv"),
    )
    checks = (
        *("--protocol", canonical(protocol), "--bundle", str(folder / run.bundle.folder)),
        *("--store", str(folder / "store"), "--output", f"{tables}/checks.tsv"),
    )
    report = (
        *("--protocol", canonical(protocol), "--tables", tables, *intake),
        *("--software", "results/software.json", "--output", "results/report"),
    )
    return [
        Step("tables", "average.py", average),
        Step("tables", "cap.py", cap),
        Step("tables", "classify.py", classify),
        Step("tables", "aggregate.py", aggregate),
        Step("checks", "check_run.py", checks),
        Step("reports", "report.py", report),
    ]


STAGES: dict[str, Callable[[Run, Path], list[Step]]] = {"performance": performance}
