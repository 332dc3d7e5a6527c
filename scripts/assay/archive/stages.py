"""How the workflow's rules call the scripts that make tables and reports: what verifying a run runs again.

A rule whose command line changes must change here too: verifying any run then fails, and so does its test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.canonical import canonical
from assay.fivejudge.documents import objective_files
from assay.report.captions import PICTURES, captions, scatters
from assay.run import Run


@dataclass(frozen=True)
class Step:
    """One script of the workflow with its arguments; `stage` is the heading under which its files are counted."""

    stage: str
    script: str
    arguments: tuple[str, ...]


def intake(run: Run, fresh: Path) -> Step:
    """Return the step of rules/intake.smk. It reads the bundle, so that it runs in the run's own folder."""
    arguments = ("--bundle", str(run.bundle.folder), "--output", str(fresh / "results/intake.json"))
    return Step("intake", "intake.py", arguments)


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
        _check(run, folder),
        Step("reports", "report.py", report),
        Step("reports", "figures.py", figures),
        Step("reports", "report_page.py", page),
    ]


def _check(run: Run, folder: Path) -> Step:
    """Return the step of rules/archive.smk that looks for the failure modes."""
    arguments = ("--protocol", canonical(run.protocol), "--bundle", str(folder / run.bundle.folder))
    arguments += ("--store", str(folder / "store"), "--output", "results/tables/checks.tsv")
    return Step("checks", "check_run.py", arguments)


def five_judge(run: Run, folder: Path) -> list[Step]:
    """Return the steps of rules/evidence.smk, rules/composite.smk and rules/breakdown.smk, in the same way."""
    from assay.fivejudge.intake import start_files

    protocol = ("--protocol", canonical(run.protocol))
    steps, agents = [], {}
    for capture in run.set.scored:
        family, id_ = capture.entry.split(":")
        place = f"{capture.configuration}/{family}/{id_}"
        agents.setdefault(capture.entry, []).append(capture)
        held, root = run.files(capture), str(folder / run.bundle.folder / capture.run)
        evidence = [str(folder / held[name]) for name in objective_files(held)]
        objective = ("--folder", root, *protocol, "--files", *evidence, "--output", f"results/objective/{place}.json")
        drawn = ("--output", f"results/detected/{place}.json", "--timeline", f"results/report/runs/{place}.svg")
        steps.append(Step("evidence", "objective.py", objective))
        steps.append(Step("evidence", "detect.py", ("--folder", root, *protocol, *drawn)))
    for entry, captures in agents.items():
        changes = [str(folder / run.files(capture)["changes.diff"]) for capture in captures]
        start = [str(folder / path) for path in start_files(run.bundle, run.bundle.entries[entry])]
        compare = ("--agents", *(capture.configuration for capture in captures), "--changes", *changes)
        compare += ("--start", *start, *protocol, "--output", f"results/likeness/{entry.replace(':', '/')}.json")
        steps.append(Step("evidence", "compare.py", compare))
    return steps + _composite(run, folder, protocol, sorted(folder.glob("results/adjudication/**/*.json")))


def _composite(run: Run, folder: Path, protocol: tuple[str, ...], fresh: Sequence[Path]) -> list[Step]:
    tables, judges = "results/tables", ("--judges", *(judge.id for judge in run.judges))
    common = ("--intake", "results/intake.json", *protocol, *judges)
    partial = ("--partial", "yes" if run.config["allow_partial"] else "no")
    flagged = ("--flagged", f"{tables}/flagged.tsv", "--unjudged", f"{tables}/unjudged.tsv")
    reviews = ("--reviews", canonical(run.config["reviews"]))
    report = (
        *(*protocol, "--intake", "results/intake.json", "--panel", "results/panel.json"),
        *("--software", "results/software.json", "--results", "results", "--output", "results/report"),
    )
    return [
        Step("tables", "compose.py", (*common, *partial, *flagged)),
        Step("tables", "settle.py", (*common, *reviews, "--fresh", *map(str, fresh), "--output", tables)),
        _check(run, folder),
        Step("reports", "breakdown.py", report),
    ]


STAGES: dict[str, Callable[[Run, Path], list[Step]]] = {"performance": performance, "five-judge": five_judge}
