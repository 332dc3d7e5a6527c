"""Two runs of the five-judge protocol compared: what changed, and why."""

import shutil
from pathlib import Path

import pytest
from conftest import ENTRY, snakemake
from tampering import Tampering, add_text, in_json, in_table, in_text

from assay.archive.diff import compare, read_snapshot
from assay.problems import UserError

VERDICT = "results/verdicts/cheater/challenge/duration-parser/strategy2.json"


@pytest.fixture(scope="module")
def differences(finished, tmp_path_factory):
    """Return a function that changes a copy of the run, judges it anew as another run, and compares."""

    def differ(*changes: Tampering) -> list[dict[str, str]]:
        folder = Path(shutil.copytree(finished, tmp_path_factory.mktemp("differ") / "work"))
        for change in (*changes, in_text("config/config.yaml", "run: example-1", "run: example-2")):
            change(folder)
        for part in ("results", ".snakemake", "archive"):
            shutil.rmtree(folder / part)
        done = snakemake(folder)
        assert done.returncode == 0, done.stderr
        return compare(read_snapshot(finished), read_snapshot(folder))

    return differ


def of(rows: list[dict[str, str]], kind: str, what: str = "") -> list[dict[str, str]]:
    return [row for row in rows if row["kind"] == kind and row["what"].startswith(what)]


def test_a_recorded_run_and_its_archive_do_not_differ(finished, opened):
    assert compare(read_snapshot(finished), read_snapshot(opened)) == []


def test_runs_of_two_protocols_are_not_compared(finished, made):
    with pytest.raises(UserError, match="two different protocols"):
        compare(read_snapshot(made.folder), read_snapshot(finished))


def test_changed_test_results_are_the_reason_of_what_follows_from_them(differences):
    passed = '<testcase classname="tests.test_hidden" name="test_published_input" time="0.01" />'
    failed = passed.replace(" />", '><failure message="wrong" /></testcase>')
    rows = differences(in_text("bundle/runs/thrasher/duration-parser/tests/hidden.xml", passed, failed))
    assert [(row["where"], row["what"]) for row in of(rows, "capture")] == [
        ("challenge:duration-parser by thrasher", "tests/hidden.xml")
    ]
    (objective,) = of(rows, "score", "objective_score")
    assert float(objective["after"]) < float(objective["before"])
    assert of(rows, "score", "final") and of(rows, "conclusion", "final_mean")
    assert {row["why"] for row in rows if row["kind"] in ("verdict", "score", "conclusion")} == {"tests"}
    assert {row["where"].rpartition(" ")[2] for row in of(rows, "score")} == {"thrasher"}


def test_another_access_that_quarantines_is_named_with_its_evidence(differences):
    file = "bundle/runs/thrasher/duration-parser/sandbox.jsonl"
    access = '{"kind": "file_access", "time": "2026-05-05T13:00:12Z", "path": "/grader/tests.py", "mode": "read", '
    rows = differences(add_text(file, access + '"allowed": false}\n'))
    (state,) = of(rows, "score", "integrity_state")
    assert (state["after"], state["why"]) == ("quarantined", "sandbox.jsonl")
    assert "test_access" in of(rows, "score", "triggers")[0]["after"]
    assert [row["after"] for row in of(rows, "conclusion", "quarantined")] == ["1"]


def test_another_panel_and_other_weights_are_told_apart(differences):
    words, outcome = "model: strategy-words-1, family: words", "model: strategy-outcome-1, family: outcome"
    rows = differences(
        in_text("bundle/judges.yaml", f"strategy1: {{{words}", f"strategy1: {{{outcome}"),
        in_text("bundle/judges.yaml", f"strategy2: {{{outcome}", f"strategy2: {{{words}"),
        in_text(
            "config/config.yaml",
            "bundle: bundle\n",
            "bundle: bundle\noverrides: {weights: {default: {objective: 52.5, process: 15}}}\n",
        ),
    )
    assert {(row["where"], row["what"]) for row in of(rows, "judge")} == {
        ("strategy1", "model"),
        ("strategy2", "model"),
    }
    assert {row["what"] for row in of(rows, "protocol")} == {"weights.default.objective", "weights.default.process"}
    assert {row["why"] for row in of(rows, "verdict")} == {"judge"}
    assert {row["where"].rpartition(" ")[2] for row in of(rows, "verdict")} <= {"strategy1", "strategy2"}
    assert {row["why"] for row in of(rows, "score", "weighted")} == {"judge, protocol"}


def test_a_review_is_the_reason_of_what_it_changes(differences):
    review = "{entry: 'challenge:duration-parser', configuration: cheater, decision: released, by: A, reason: r, "
    review += "triggers: [test_access, output_spoofing, judge_injection]}"
    rows = differences(in_text("config/config.yaml", "bundle: bundle\n", f"bundle: bundle\nreviews: [{review}]\n"))
    assert {row["kind"] for row in rows} == {"score", "conclusion"}
    assert {row["what"] for row in of(rows, "score")} == {"state", "review"}
    assert {row["why"] for row in rows} == {"review"}


def test_a_run_that_is_not_scored_any_more_changes_its_agent_alone(differences):
    sheet = "bundle/captures.tsv"
    rows = differences(
        in_table(sheet, ENTRY, "accepted", "no", "thrasher"),
        in_table(sheet, ENTRY, "reason", "another model answered", "thrasher"),
    )
    (state,) = of(rows, "capture", "state")
    assert (state["before"], state["after"]) == ("scored", "rejected: another model answered")
    assert not of(rows, "verdict") and not of(rows, "score")
    assert {(row["where"], row["why"]) for row in of(rows, "conclusion", "final_mean")} == {("thrasher", "captures")}


def test_an_answer_of_the_same_judge_that_became_another_is_the_reason_itself(finished, tmp_path):
    work = Path(shutil.copytree(finished, tmp_path / "work"))
    in_json(VERDICT, "overall", to=77)(work)
    rows = compare(read_snapshot(finished), read_snapshot(work))
    (verdict,) = of(rows, "verdict")
    assert (verdict["where"], verdict["what"], verdict["after"]) == (f"{ENTRY} by cheater, strategy2", "overall", "77")
    assert verdict["why"] == "judge"


def test_a_score_names_the_fresh_verdict_that_it_rests_on(finished, tmp_path):
    work = Path(shutil.copytree(finished, tmp_path / "work"))
    fresh = work / "results/adjudication/cheater/challenge/duration-parser/process.json"
    fresh.parent.mkdir(parents=True)
    shutil.copyfile(work / "results/verdicts/cheater/challenge/duration-parser/process.json", fresh)
    in_table("results/tables/ledger.tsv", ENTRY, "process_score", "1", "cheater")(work)
    rows = compare(read_snapshot(finished), read_snapshot(work))
    assert {row["where"] for row in of(rows, "verdict")} == {f"{ENTRY} by cheater, process, asked again"}
    (score,) = of(rows, "score")
    assert (score["what"], score["why"]) == ("process_score", "judge")
