"""Small ledgers for the tests of the report, and finished work directories made without the jobs of a run."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

from assay.canonical import canonical
from assay.protocol import read_protocol
from assay.report.scores import Scores, scores_of
from assay.scoring.average import averaged_columns
from assay.scoring.cap import cap
from assay.scoring.classify import classify
from assay.scoring.numbers import exact, mean, text

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "example/performance"
PROTOCOL = read_protocol("performance")
CRITERIA = [criterion["id"] for criterion in PROTOCOL["criteria"]]
JUDGES = ["big1", "big2"]
CAPTIONS = {path.stem: path.read_text("utf-8").strip() for path in (ROOT / "report").glob("*.rst")}
PICTURES = ["overall", "differences", "criteria", "families", "distribution", "cost", "minutes"]
PICTURES += [f"judges-{criterion}" for criterion in CRITERIA]


def row(entry: str, configuration: str, given: Mapping[str, list[str]], **changes: str) -> dict[str, str]:
    """Return a ledger row; `given` maps each judge to its five scores."""
    cells = dict.fromkeys(averaged_columns(list(given), CRITERIA), "")
    family, _, id_ = entry.partition(":")
    cells |= {"entry": entry, "family": family, "id": id_, "configuration": configuration, "answer_characters": "1000"}
    for judge, scores in given.items():
        cells |= {f"{judge}_{c}": score for c, score in zip(CRITERIA, scores, strict=True)}
    cells |= {c: text(mean(exact(cells[f"{judge}_{c}"]) for judge in given)) for c in CRITERIA}
    weights = [{"id": c["id"], "weight": c["weight"]} for c in PROTOCOL["criteria"]]
    return {**classify(cap(cells, weights, "fidelity"), "4.0"), **changes}


def flat(score: str) -> list[str]:
    return [score] * len(CRITERIA)


def scores(rows: list[dict[str, str]], judges: list[str] = JUDGES, titles: Mapping[str, str] | None = None) -> Scores:
    """Return these rows as the scores of a run of the performance protocol."""
    names = titles or {name: name.capitalize() for name in dict.fromkeys(r["configuration"] for r in rows)}
    intake = {
        "judges": [{"judge": judge} for judge in judges],
        "configurations": [{"id": name, "title": title} for name, title in names.items()],
    }
    return scores_of(rows, PROTOCOL, intake)


def grid(configurations: Mapping[str, float], entries: int = 12) -> list[dict[str, str]]:
    """Return rows of `entries` entries by each configuration, about its mean, in halves; big2 half a point lower."""
    rows = []
    for configuration, level in configurations.items():
        for number in range(entries):
            family = ("mode", "visual", "lens")[number % 3]
            high = Fraction(round(2 * (level + (number * 7 % 5 - 2) / 2)), 2)
            given = {
                "big1": flat(text(min(Fraction(10), high))),
                "big2": flat(text(max(Fraction(0), high - Fraction(1, 2)))),
            }
            rows.append(row(f"{family}:e{number:02}", configuration, given))
    return rows


def _run(work: Path, script: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / script, *arguments], cwd=work, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def judged(work: Path, change: Callable[[Path], None] = lambda bundle: None) -> Path:
    """Copy the example to `work`, change its bundle, and judge it in one process."""
    ignored = shutil.ignore_patterns("results", "store", "logs", ".snakemake")
    shutil.copytree(EXAMPLE, work, ignore=ignored)
    change(work / "bundle")
    _run(work, "tests/bench/judge_at_once.py", ".", "--twist")
    return work


def reported(work: Path) -> Path:
    """Compute the statistics, draw the pictures and write the report of a judged work directory; return report.html."""
    common = ["--protocol", canonical(PROTOCOL), "--intake", "results/intake.json", "--panel", "results/panel.json"]
    paths = ["--ledger", "results/tables/ledger.tsv"]
    _run(work, "scripts/compute_statistics.py", *common, *paths, "--seed", "1", "--output", "results/tables/statistics")
    _run(work, "scripts/figures.py", *common, "--tables", "results/tables", "--output", "results/report/figures")
    page = ["--captions", canonical(CAPTIONS), "--pictures", *PICTURES, "--seed", "1", "--results", "results"]
    _run(work, "scripts/report_page.py", *common[:2], *page, "--output", "results/report")
    return work / "results/report/report.html"
