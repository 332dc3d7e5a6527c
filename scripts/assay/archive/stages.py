"""How the workflow's rules call the scripts that make evidence, tables and reports: what verifying a run runs again.

A rule whose command line changes must change here too: verifying any run then fails, and so does its test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.bundle.model import Capture
from assay.canonical import canonical
from assay.panel import Judge
from assay.report.captions import PICTURES, captions, scatters
from assay.run import Run


@dataclass(frozen=True)
class Step:
    """One script of the workflow with its arguments; `stage` is the heading under which its files are counted."""

    stage: str
    script: str
    arguments: tuple[str, ...]


def intake(run: Run) -> Step:
    """Return the step of rules/intake.smk."""
    return Step("intake", "intake.py", ("--bundle", str(run.bundle.folder), "--output", "results/intake.json"))


def checks(run: Run) -> Step:
    """Return the step of rules/archive.smk that goes through the named checks."""
    arguments = ("--protocol", canonical(run.protocol), "--bundle", str(run.bundle.folder))
    return Step("checks", "check_run.py", (*arguments, "--output", "results/tables/checks.tsv"))


def evidence(run: Run) -> list[Step]:
    """Return the steps of rules/evidence.smk but the packets: what is computed of recorded runs without a judge."""
    from assay.fivejudge.documents import objective_files  # late: only recorded runs need it
    from assay.fivejudge.intake import start_files

    protocol, steps, agents = ("--protocol", canonical(run.protocol)), [], {}
    for capture in run.set.scored:
        held, place = run.files(capture), place_of(capture)
        folder = ("--folder", str(run.bundle.folder / capture.run), *protocol)
        files = ("--files", *(held[name] for name in objective_files(held)))
        steps.append(Step("evidence", "objective.py", (*folder, *files, "--output", f"results/objective/{place}.json")))
        picture = ("--timeline", f"results/report/runs/{place}.svg")
        steps.append(Step("evidence", "detect.py", (*folder, "--output", f"results/detected/{place}.json", *picture)))
        agents.setdefault(capture.entry, {})[capture.configuration] = held["changes.diff"]
    for entry, changes in agents.items():
        compared = ("--agents", *changes, "--changes", *changes.values())
        start = ("--start", *start_files(run.bundle, run.bundle.entries[entry]))
        output = ("--output", f"results/likeness/{entry.replace(':', '/')}.json")
        steps.append(Step("evidence", "compare.py", (*compared, *start, *protocol, *output)))
    return steps


def place_of(capture: Capture) -> str:
    """Return where the files of a capture stand below the folders of results/."""
    return f"{capture.configuration}/{capture.entry.replace(':', '/')}"


def adjudicated(run: Run, folder: Path) -> list[tuple[Capture, Judge, str]]:
    """Return the fresh verdicts that the run in `folder` has: the capture, the judge, the file."""
    found = [
        (capture, judge, f"results/adjudication/{place_of(capture)}/{judge.id}.json")
        for capture in run.set.scored
        for judge in run.judges
    ]
    return [one for one in found if (folder / one[2]).is_file()]


def five_judge(run: Run, folder: Path) -> list[Step]:
    """Return the steps of rules/composite.smk, rules/archive.smk (checks) and rules/breakdown.smk."""
    tables, results = "results/tables", ("--intake", "results/intake.json", "--protocol", canonical(run.protocol))
    judges = ("--judges", *(judge.id for judge in run.judges))
    compose = (
        *(*results, *judges, "--partial", "yes" if run.config["allow_partial"] else "no"),
        *("--flagged", f"{tables}/flagged.tsv", "--unjudged", f"{tables}/unjudged.tsv"),
    )
    fresh = (name for _, _, name in adjudicated(run, folder))
    breakdown = (
        *(*results, "--panel", "results/panel.json", "--software", "results/software.json"),
        *("--results", "results", "--output", "results/report"),
    )
    return [
        Step("tables", "compose.py", compose),
        Step("tables", "settle.py", (*results, *judges, "--fresh", *fresh, "--output", tables)),
        checks(run),
        Step("reports", "breakdown.py", breakdown),
    ]


def performance(run: Run, folder: Path) -> list[Step]:
    """Return the steps of rules/scoring.smk, rules/archive.smk (checks) and rules/report.smk."""
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
    report = (
        *("--protocol", canonical(protocol), "--tables", tables, *intake, "--panel", "results/panel.json"),
        *("--software", "results/software.json", "--output", "results/report"),
    )
    statistics = (
        *("--protocol", canonical(protocol), "--ledger", f"{tables}/ledger.tsv", *intake),
        *("--panel", "results/panel.json", "--seed", str(run.config["seed"]), "--output", f"{tables}/statistics"),
    )
    figures = (
        *("--protocol", canonical(protocol), *intake, "--panel", "results/panel.json", "--tables", tables),
        *("--output", "results/report/figures"),
    )
    page = (
        *("--protocol", canonical(protocol), "--captions", canonical(captions()), "--pictures", *PICTURES),
        *(*scatters(criteria, run.judges), "--seed", str(run.config["seed"])),
        *("--results", "results", "--output", "results/report"),
    )
    return [
        Step("tables", "average.py", average),
        Step("tables", "cap.py", cap),
        Step("tables", "classify.py", classify),
        Step("tables", "aggregate.py", aggregate),
        Step("tables", "compute_statistics.py", statistics),
        checks(run),
        Step("reports", "report.py", report),
        Step("reports", "figures.py", figures),
        Step("reports", "report_page.py", page),
    ]


# The steps from the verdicts on, by protocol: they take the run and its own folder, and run in the fresh folder.
STAGES: dict[str, Callable[[Run, Path], list[Step]]] = {"performance": performance, "five-judge": five_judge}
