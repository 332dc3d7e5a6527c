"""Real answers of four models become a bundle, pass intake whole, and a part of them is judged end to end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from workdirs import ROOT, snakemake

from assay.files import read_json
from assay.sheets import read_tsv
from small_bundle import write

DATA = (ROOT / "../shared/answers/mt_bench").resolve()
CATEGORIES = ("writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"NOT TESTED: the real answers are absent ({DATA})")


def imported(work: Path, answers: list[Path]) -> None:
    """Import answers with scripts/import_answers.py into a work directory."""
    for category in CATEGORIES:
        text = f"# {category}\n\n## Required elements\n\n- the task is answered\n- each step is shown with its reason\n"
        write(work / f"specs/{category}.md", text)
    options = {
        "entry-column": "question_id",
        "configuration-column": "model_id",
        "answer-column": "choices.0.turns.0",
        "prompt-column": "turns.0",
        "category-column": "category",
        "prompts-file": str(DATA / "question.jsonl"),
        "specs-folder": str(work / "specs"),
        "big1": "here/coverage-words-1/embedded",
        "big2": "here/coverage-paragraphs-1/embedded",
        "frozen": "2026-01-01",
    }
    given = [part for name, value in options.items() for part in (f"--{name}", value)]
    command = [
        sys.executable,
        str(ROOT / "scripts/import_answers.py"),
        str(work / "bundle"),
        *map(str, answers),
        *given,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    write(work / "config/config.yaml", "bundle: bundle\nrun: mt-bench-1\n")


def test_all_answers_pass_intake(tmp_path):
    imported(tmp_path, sorted((DATA / "model_answer").glob("*.jsonl")))
    done = snakemake(tmp_path, "results/intake.json")
    assert done.code == 0 and "320 captures to judge, 0 set aside, 0 not held" in done.text
    intake = read_json(tmp_path / "results/intake.json")
    assert (len(intake["scored"]), intake["entries"], intake["possible"]) == (320, 80, 320)
    assert {capture["cost_usd"] for capture in intake["scored"]} == {""}


def test_a_part_of_them_is_judged_end_to_end(tmp_path):
    files = []
    for path in sorted((DATA / "model_answer").glob("*.jsonl")):
        lines = [
            line
            for line in path.read_text("utf-8").split("\n")
            if line and json.loads(line)["question_id"] in (85, 101)
        ]
        files.append(tmp_path / "part" / path.name)
        write(files[-1], "\n".join(lines) + "\n")
    imported(tmp_path, files)
    done = snakemake(tmp_path)
    assert done.code == 0, done.text
    rows = read_tsv(tmp_path / "results/tables/ledger.tsv")
    assert len(rows) == 8 and {row["id"] for row in rows} == {"85", "101"}
    assert [row["flags"] for row in rows if (row["id"], row["configuration"]) == ("85", "mistral-orpo-mix")] == [
        "chat-template"
    ]
    summary = (tmp_path / "results/report/summary.md").read_text()
    assert summary.count("unknown") >= 8 and "$0" not in summary
