"""What the first command makes, and that a second one does nothing."""

import csv
import io
import re
import shutil
import time

import pytest
from workdirs import ROOT, bytes_of, exchanges, snakemake

from assay.canonical import loads
from assay.files import read_json
from assay.sheets import read_tsv

OUTPUTS = ["report.html", "summary.md", "methodology.md", "ledger.csv", "summary.csv", "captures"]


def test_the_first_run_makes_the_three_outputs_and_says_where_they_are(finished_example):
    text = (finished_example / "first-run.txt").read_text()
    for name in OUTPUTS:
        assert (finished_example / "results/report" / name).stat().st_size > 100
    assert re.search(rf"^Results are in /.*/results/report: {', '.join(OUTPUTS)}$", text, re.MULTILINE)


def test_the_picture_in_the_readme_is_the_one_that_the_first_run_draws(finished_example):
    drawn = finished_example / "results/report/figures/overall.svg"
    assert drawn.read_bytes() == (ROOT / "example/performance/overall.svg").read_bytes()
    assert "(example/performance/overall.svg)" in (ROOT / "README.md").read_text("utf-8")


def test_the_formula_is_stated_before_anything_is_judged(finished_example):
    text = (finished_example / "first-run.txt").read_text()
    formula = "overall = min(weighted, fidelity); failure when overall < 4.0"
    assert formula in text
    assert text.index(formula) < text.index("judging: ") and text.index(formula) < text.index("judge check of")
    assert formula in (finished_example / "logs/panel.log").read_text()
    assert formula in (finished_example / "results/report/methodology.md").read_text()


def test_every_scored_capture_has_two_verdicts_and_a_row(finished_example):
    scored = read_json(finished_example / "results/intake.json")["scored"]
    rows = read_tsv(finished_example / "results/tables/ledger.tsv")
    assert len(scored) == len(rows) == 37
    verdicts = sorted((finished_example / "results/verdicts").rglob("*.json"))
    assert len(verdicts) == 74
    packets = {str(path) for path in (finished_example / "results/packets").rglob("*.json")}
    assert {str(path.parent).replace("verdicts", "packets") + ".json" for path in verdicts} == packets
    with open(finished_example / "results/report/ledger.csv", newline="", encoding="utf-8") as file:
        assert [row["entry"] for row in csv.DictReader(file)] == [row["entry"] for row in rows]


def test_every_verdict_is_backed_by_a_stored_exchange(finished_example):
    names = exchanges(finished_example)
    assert len(names) == 74 + 2
    for path in (finished_example / "results/verdicts").rglob("*.json"):
        assert loads(path.read_bytes())["exchange"] in names


def test_every_page_says_that_the_baseline_is_no_model_judge(finished_example):
    for name in ("summary.md", "methodology.md"):
        assert "no model judge" in (finished_example / "results/report" / name).read_text()


def test_nothing_is_dropped_in_silence(finished_example):
    note = (finished_example / "results/report/methodology.md").read_text()
    intake = read_json(finished_example / "results/intake.json")
    assert len(intake["aside"]) == 5 and len(intake["missing"]) == 1
    for aside in intake["aside"]:
        named = aside["entry"] if aside["kind"] == "unscorable" else f"{aside['entry']} by {aside['configuration']}"
        assert named in note
    assert "lens:hanlons-razor by single-model" in note


def test_a_second_run_does_nothing(example):
    before = bytes_of(example, "results", "store")
    start = time.monotonic()
    assert snakemake(example).nothing
    assert time.monotonic() - start < 60  # 1.5 s on an idle machine; this one may be busy
    assert bytes_of(example, "results", "store") == before


@pytest.mark.parametrize(
    "environment", [{"LC_ALL": "C", "TZ": "Asia/Kathmandu", "LANG": "C", "PYTHONHASHSEED": "7", "PYTHONUTF8": "0"}]
)
def test_another_machine_locale_time_zone_and_cores_give_the_same_bytes(finished_example, tmp_path, environment):
    work = tmp_path / "elsewhere with 'quotes' and ünïcode"
    work.mkdir()
    for name in ("bundle", "config"):
        shutil.copytree(finished_example / name, work / name)
    done = snakemake(work, cores=1, **environment)
    assert done.code == 0, done.text
    first, second = bytes_of(finished_example, "results"), bytes_of(work, "results")
    dated = ("tables/answered.tsv", "report/methodology.md")  # they say on which day it was judged
    if read_tsv(work / "results/tables/answered.tsv") == read_tsv(finished_example / "results/tables/answered.tsv"):
        dated = ()
    days = [name for name in first if name.startswith("results/verdicts") or name.endswith(dated)] if dated else []
    assert {n: h for n, h in first.items() if n not in days} == {n: h for n, h in second.items() if n not in days}
    assert exchanges(work) == exchanges(finished_example)


def test_the_ledger_survives_a_spreadsheet(finished_example):
    text = (finished_example / "results/report/ledger.csv").read_bytes().decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert len({len(row) for row in rows}) == 1
    assert len(set(rows[0])) == len(rows[0])
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)
