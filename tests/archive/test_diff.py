"""Two runs compared: which captures, verdicts and conclusions changed, and why."""

import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, snakemake
from tampering import CAPTURES, add_text, all_of, in_table, in_text

from assay.archive.diff import compare, read_snapshot
from assay.archive.diff_rows import ranking
from finished_runs import finish

DAG = "mode:causal-dag by optimum"


@pytest.fixture
def changed(work):
    """Return a function that changes the work directory, judges it anew as another run, and compares."""
    before = read_snapshot(work)

    def change(tamper):
        tamper(work)
        in_text("config/config.yaml", "run: example-1", "run: example-2")(work)
        shutil.rmtree(work / "results")
        finish(work)
        return compare(before, read_snapshot(work))

    return change


def of(rows, kind, where=""):
    return [row for row in rows if row["kind"] == kind and row["where"].startswith(where)]


def test_a_run_and_its_archive_do_not_differ(made):
    assert compare(read_snapshot(made.folder), read_snapshot(made.unpacked)) == []


def test_a_changed_answer_is_the_reason_of_what_follows_from_it(changed):
    text = "\n\nThis is uncertain, therefore assumed, likely and possibly unclear, because evidence is thin.\n"
    rows = changed(add_text("bundle/answers/optimum/mode-causal-dag.md", text))
    assert [row["what"] for row in of(rows, "capture")] == ["answer"]
    verdicts = of(rows, "verdict", DAG)
    assert {"big1", "big2"} <= {row["where"].rpartition(" ")[2] for row in verdicts}
    assert {row["why"] for row in verdicts} == {"answer"}
    assert {row["why"] for row in of(rows, "score")} == {"answer"}
    assert {row["where"] for row in of(rows, "conclusion")} == {"optimum"}
    assert {row["why"] for row in of(rows, "conclusion")} == {"answer"}
    assert not of(rows, "protocol") and not of(rows, "judge")


def test_a_changed_specification_and_prompt_are_the_reasons(changed):
    rows = changed(
        all_of(
            add_text("bundle/specs/mode-causal-dag.md", "- an arrow to each collider, named\n"),
            add_text("bundle/prompts/mode-causal-dag.md", "Say which collider matters.\n"),
        )
    )
    assert {row["where"] for row in of(rows, "capture")} == {
        f"mode:causal-dag by {c}" for c in ("optimum", "frugal", "single-model")
    }
    assert {row["why"] for row in of(rows, "verdict")} == {"prompt, specification"}


def test_another_judge_is_the_reason(changed):
    rows = changed(
        all_of(
            in_text("bundle/optimum.yaml", "big1: {model: coverage-words-1", "big1: {model: coverage-paragraphs-1"),
            in_text("bundle/optimum.yaml", "big2: {model: coverage-paragraphs-1", "big2: {model: coverage-words-1"),
        )
    )
    assert [(row["where"], row["what"], row["after"]) for row in of(rows, "judge")] == [
        ("big1", "model", "coverage-paragraphs-1"),
        ("big2", "model", "coverage-words-1"),
    ]
    assert {row["why"] for row in of(rows, "verdict")} == {"judge"}
    assert not of(rows, "capture")


def test_a_changed_protocol_is_the_reason_and_changes_no_verdict(changed):
    overrides = "overrides: {failure_threshold: 9, weights: {fidelity: 0.25, soundness: 0.35, completeness: 0.18, "
    rows = changed(add_text("config/config.yaml", overrides + "relevance: 0.12, calibration: 0.1}}\n"))
    assert {row["what"] for row in of(rows, "protocol")} == {
        "failure_threshold",
        "weight of fidelity",
        "weight of soundness",
    }
    assert not of(rows, "verdict")
    failures = [row for row in of(rows, "conclusion") if row["what"] == "failures"]
    assert failures and {row["why"] for row in failures} == {"protocol"}


def test_a_capture_that_was_set_aside_is_named_and_changes_what_is_divided_by(changed):
    rows = changed(
        all_of(
            in_table(CAPTURES, "mode:causal-dag", "accepted", "no"),
            in_table(CAPTURES, "mode:causal-dag", "reason", "prompt drift"),
        )
    )
    assert [(row["where"], row["before"], row["after"]) for row in of(rows, "capture")] == [
        (DAG, "scored", "rejected: prompt drift")
    ]
    judged = next(row for row in of(rows, "conclusion", "optimum") if row["what"] == "judged")
    assert (judged["before"], judged["after"], judged["why"]) == ("4", "3", "captures")


def test_a_changed_cost_is_the_reason_of_a_changed_cost(changed):
    rows = changed(in_table(CAPTURES, "mode:causal-dag", "cost_usd", "9"))
    assert {(row["kind"], row["what"], row["why"]) for row in rows} == {
        ("conclusion", "public_cost_per_100_usd", "sheet")
    }


def test_the_ranking_joins_equals_and_leaves_out_what_has_no_score():
    means = {"a": "1.5", "b": "2", "c": "1.50", "d": ""}
    assert ranking({id_: {"mean_overall": mean} for id_, mean in means.items()}) == "b > a = c"


def test_the_command_takes_archives_and_folders_and_writes_a_table(made, work, tmp_path):
    in_table(CAPTURES, "mode:causal-dag", "cost_usd", "9")(work)
    finish(work)
    command = [sys.executable, ROOT / "scripts/diff.py", made.file, work, "--output", tmp_path / "d.tsv"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "conclusion: 1 difference\n" in done.stdout
    assert "optimum: public_cost_per_100_usd:" in done.stdout and "[sheet]" in done.stdout
    assert len((tmp_path / "d.tsv").read_text().splitlines()) == 2


def test_the_workflow_compares_with_another_run_by_name(made):
    done = snakemake(made.folder, "diff", "--config", f"other={made.file}")
    assert done.returncode == 0, done.stderr
    assert "Nothing differs." in done.stdout + done.stderr
    unnamed = snakemake(made.folder, "diff")
    assert unnamed.returncode != 0
    assert "--config other=PATH" in unnamed.stdout + unnamed.stderr
    verified = snakemake(made.folder, "verify")
    assert verified.returncode == 0
    assert "VERIFIED: everything" in verified.stdout + verified.stderr
