"""A grid that is not whole (1,173 of 1,176): every denominator is right, and the note says what is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

from assay.archive.verify import verify
from assay.canonical import loads
from assay.documents import read_yaml
from assay.protocol import read_protocol
from assay.report.facts import run_facts
from assay.report.methodology import methodology
from assay.sheets import read_tsv
from bench.make_bundle import make_bundle
from finished_runs import finish


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A finished run of 4 entries x 6 configurations of which 23 are held."""
    folder = tmp_path_factory.mktemp("small") / "work"
    assert make_bundle(folder, captures=23)["captures"] == 23
    finish(folder)
    return folder


def test_every_configuration_is_divided_by_what_was_judged_in_it(small):
    summary = read_tsv(small / "results/tables/summary.tsv")
    assert [(row["judged"], row["missing"]) for row in summary] == [("4", "0")] * 5 + [("3", "1")]
    ledger = read_tsv(small / "results/tables/ledger.tsv")
    assert len(ledger) == 23
    for row in summary:
        mine = [line for line in ledger if line["configuration"] == row["configuration"]]
        assert int(row["judged"]) == len(mine)
        failures = sum(line["failure"] == "yes" for line in mine)
        assert (int(row["failures"]), float(row["failure_rate"])) == (failures, pytest.approx(failures / len(mine)))


def test_the_note_says_which_capture_is_missing_and_the_run_verifies(small):
    note = (small / "results/report/methodology.md").read_text()
    assert "4 entries x 6 configurations = 24 possible captures" in note
    assert "23 captures held, 1 not held" in note
    assert "23 captures scored, of 4 scored entries" in note
    assert "- lens:adverse-selection by local-small" in note or "- lens:" in note.partition("Captures not held")[2]
    assert verify(small).passed


def test_the_reference_grid_counts_1173_of_1176_and_names_the_three(tmp_path):
    make_bundle(tmp_path / "work")
    config = read_yaml(tmp_path / "work/config/config.yaml")
    arguments = ["--bundle", config["bundle"], "--output", "results/intake.json"]
    script = Path(__file__).parents[2] / "scripts/intake.py"
    subprocess.run([sys.executable, script, *arguments], cwd=tmp_path / "work", check=True)
    intake = loads((tmp_path / "work/results/intake.json").read_bytes())
    assert (intake["entries"], intake["possible"], len(intake["scored"])) == (196, 1176, 1173)
    assert sorted(intake["missing"]) == [
        ["mode:passion-exploration", "local-large"],
        ["mode:passion-exploration", "local-small"],
        ["mode:structured-output", "local-small"],
    ]
    facts = run_facts(intake, {"run": "bench-1", "deviations": [], "judges": []})
    note = methodology(read_protocol("performance"), facts, [], [], [], {})
    assert "196 entries x 6 configurations = 1176 possible captures" in note
    assert "1173 captures held, 3 not held" in note
    assert "1173 captures scored, of 196 scored entries" in note
    assert "- mode:passion-exploration by local-large" in note
