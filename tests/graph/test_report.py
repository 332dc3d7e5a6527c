"""The report on the real graph: what makes it anew, that it costs nothing, and that it is the same everywhere."""

import re
import shutil
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from markupsafe import escape
from workdirs import ROOT, bytes_of, exchanges, snakemake

from assay.sheets import read_tsv
from assay.stats import DEFINITIONS

REPORT = "results/report/report.html"
PAPER = (
    "| Configuration | Overall | Fidelity | Soundness | Completeness | Relevance | Calibration | Failures | USD per 100"
)


def test_every_picture_has_its_data_and_every_statistic_its_table(finished_example):
    figures = finished_example / "results/report/figures"
    names = {path.stem for path in figures.glob("*.svg")}
    assert names == {path.stem for path in figures.glob("*.tsv")} and len(names) == 12
    tables = finished_example / "results/tables/statistics"
    assert len(list(tables.glob("*.tsv"))) == 11
    sentences = [row["sentence"] for row in read_tsv(tables / "conclusions.tsv")]
    page = (finished_example / REPORT).read_text("utf-8")
    assert len(sentences) == 5 and all(str(escape(sentence)) in page for sentence in sentences)


def test_the_page_is_one_file_that_asks_no_network_and_says_what_was_judged_by_whom(finished_example):
    page = (finished_example / REPORT).read_text("utf-8")
    assert len(re.findall(r'<template id="capture:', page)) == 37
    assert "Embedded baseline" in page.partition("<ul")[0]
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    for name in ("methodology.md", "ledger.csv", "summary.csv"):
        assert f'href="{name}"' in page and (finished_example / "results/report" / name).is_file()


def test_the_methodology_note_defines_every_statistic_and_summary_keeps_the_papers_form(finished_example):
    note = (finished_example / "results/report/methodology.md").read_text("utf-8")
    for name in DEFINITIONS:
        assert f"**{name.replace('_', ' ').capitalize()}.**" in note
    summary = (finished_example / "results/report/summary.md").read_text("utf-8")
    assert PAPER in summary and len([line for line in summary.splitlines() if line.startswith("| ")]) == 5


@pytest.fixture
def project(tmp_path) -> Path:
    """Return a copy of the project, to change captions in."""
    copied = tmp_path / "project"
    for name in ("rules", "scripts", "config", "schemas", "envs", "profiles", "report"):
        shutil.copytree(ROOT / name, copied / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", copied)
    return copied


def test_a_new_caption_makes_the_page_anew_and_nothing_else(example, project):
    run = ("--snakefile", str(project / "Snakefile"))
    assert snakemake(example, *run).nothing
    before, stored = bytes_of(example, "results"), exchanges(example)
    (project / "report/overall.rst").write_text("A caption <b>of my own</b>.\n")
    done = snakemake(example, *run)
    assert done.jobs == Counter({"report_page": 1, "all": 1}) and exchanges(example) == stored
    after = bytes_of(example, "results")
    assert {name for name in after if after[name] != before.get(name)} == {REPORT}
    assert "A caption &lt;b&gt;of my own&lt;/b&gt;." in (example / REPORT).read_text("utf-8")


def test_another_seed_makes_statistics_and_reports_anew_and_judges_nothing(example):
    ledger = example / "results/tables/ledger.tsv"
    scores, verdicts, stored = ledger.read_bytes(), bytes_of(example, "results/verdicts"), exchanges(example)
    with open(example / "config/config.yaml", "a") as config:
        config.write("\nseed: 5\n")
    done = snakemake(example)
    assert done.jobs == Counter({"statistics": 1, "figures": 1, "report_page": 1, "all": 1})
    assert ledger.read_bytes() == scores
    assert bytes_of(example, "results/verdicts") == verdicts and exchanges(example) == stored
    assert "fixed by the seed 5." in (example / REPORT).read_text("utf-8")


def test_another_locale_time_zone_and_hash_seed_give_the_same_bytes(example):
    before = bytes_of(example, "results")
    for name in ("results/report", "results/tables"):
        shutil.rmtree(example / name)
    odd = {"LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "77"}
    assert snakemake(example, cores=1, **odd).code == 0
    assert bytes_of(example, "results") == before


def test_snakemakes_own_report_holds_tables_and_pictures_with_captions(example, tmp_path):
    made = tmp_path / "report.zip"
    done = snakemake(example, "--report", str(made))
    if "AssetDownloadError" in done.text or "Failed to download" in done.text:
        pytest.skip("SNAKEMAKE'S REPORT NOT MADE: this Snakemake lacks the parts that it would load from the network")
    assert done.code == 0, done.text
    zipfile.ZipFile(made).extractall(tmp_path / "out")
    text = "".join(path.read_text("utf-8", "replace") for path in (tmp_path / "out").rglob("*.html"))
    for words in ("Configurations", "Judges", "Scores", "Paired differences", "Largest disagreements", "Ledger"):
        assert words in text, words
    assert "Captures left of the line are failures" in text
    names = {path.name for path in (tmp_path / "out").rglob("*")}
    assert {"overall.svg", "judges-fidelity.svg", "ranking.tsv", "ledger.csv", "summary.csv"} <= names
