"""Reviews of quarantined runs: who may stand in rankings again, and what a review cannot change."""

import shutil
from pathlib import Path

import pytest
from fivejudge_cases import PROTOCOL

from assay.bundle.read import read_bundle
from assay.bundle.scored_set import scored_set
from assay.documents import read_yaml
from assay.fivejudge.reviews import review_of, review_problems, reviewed
from assay.problems import UserError
from assay.protocols import performance
from assay.protocols.five_judge import read
from assay.run import open_run

EXAMPLE = Path(__file__).parents[2] / "example/five-judge"
BUNDLE = EXAMPLE / "bundle"
REVIEW = {
    "entry": "challenge:duration-parser",
    "configuration": "cheater",
    "decision": "released",
    "triggers": ["test_access", "judge_injection"],
    "by": "A. Reader",
    "reason": "a public sample",
}
REASON = "left out of rankings until a person reviews it"


def row(trigger, points, severity="quarantine"):
    return {"trigger": trigger, "points": points, "severity": severity}


def record(*rows, state="quarantined", reason=REASON):
    integrity = {"state": "quarantined", "adjustment": -25, "rows": list(rows)}
    return {"state": state, "reason": reason, "rankable": state == "scored", "final": 40, "integrity": integrity}


def test_a_release_lets_the_run_stand_in_rankings_and_touches_no_number():
    before = record(row("test_access", -25), row("plagiarism", 0), row("false_confidence", -5, "warning"))
    after = reviewed(before, REVIEW)
    assert (after["state"], after["rankable"], after["review"]["outcome"]) == ("scored", True, "released")
    assert after["reason"] == "released by A. Reader: a public sample"
    assert (after["final"], after["integrity"]) == (before["final"], before["integrity"])


def test_an_upheld_quarantine_stays_with_the_reason():
    after = reviewed(record(row("test_access", -25)), {**REVIEW, "decision": "upheld"})
    assert (after["state"], after["review"]["outcome"]) == ("quarantined", "upheld")
    assert after["reason"] == "upheld by A. Reader: a public sample"


@pytest.mark.parametrize("decision", ["released", "upheld"])
def test_a_review_that_has_not_seen_a_trigger_does_not_hold(decision):
    after = reviewed(record(row("test_access", -25), row("plagiarism", -25)), {**REVIEW, "decision": decision})
    assert (after["state"], after["rankable"], after["review"]["outcome"]) == ("quarantined", False, "not covered")
    assert after["reason"] == f"{REASON}; the review by A. Reader does not name plagiarism"


@pytest.mark.parametrize("state", ["scored", "incomplete", "unscorable"])
def test_a_review_of_a_run_that_is_not_quarantined_has_no_effect(state):
    before = record(row("test_access", 0), state=state, reason="no score of process")
    after = reviewed(before, REVIEW)
    assert after["review"]["outcome"] == "without effect"
    assert {**after, "review": None} == {**before, "review": None}


def test_a_run_without_a_review_is_as_it_was():
    before = record(row("test_access", -25))
    assert reviewed(before, None) == {**before, "review": None}
    capture = {"entry": "challenge:duration-parser", "configuration": "careful"}
    assert review_of([REVIEW], capture) is None
    assert review_of([REVIEW], {**capture, "configuration": "cheater"}) == REVIEW


def test_all_that_is_wrong_with_reviews_is_said_at_once():
    bundle, problems = read_bundle(BUNDLE, read())
    judged = scored_set(bundle)
    assert not problems and review_problems([REVIEW], judged, PROTOCOL, "config.yaml") == []
    wrong = [
        {**REVIEW, "configuration": "nobody"},
        {**REVIEW, "triggers": ["false_confidence", "no_such"]},
        REVIEW,
    ]
    said = [problem.text for problem in review_problems(wrong, judged, PROTOCOL, "config.yaml")]
    assert said == [
        "reviews, number 1: challenge:duration-parser by nobody is not among the runs to judge",
        "reviews, number 2: false_confidence is no trigger that quarantines a run",
        "reviews, number 2: no_such is no trigger that quarantines a run",
        "reviews, number 3: it is the second review of challenge:duration-parser by cheater",
    ]


def test_the_performance_protocol_has_nothing_to_review():
    assert performance.review_problems([], None, {}, "config.yaml") == []
    (problem,) = performance.review_problems([REVIEW], None, {}, "config.yaml")
    assert problem.text == "the performance protocol has no quarantine, so nothing can be reviewed"


@pytest.mark.parametrize("reviews", [[], [REVIEW]])
def test_a_sheet_that_names_what_is_not_there_is_told_before_any_review(tmp_path, monkeypatch, reviews):
    work = Path(shutil.copytree(EXAMPLE, tmp_path / "work"))
    monkeypatch.chdir(work)
    sheet = work / "bundle/captures.tsv"
    text = sheet.read_text("utf-8").replace("\tcareful\t", "\tnobody\t", 1)
    sheet.write_text(text.replace("challenge:audit-log\tthrasher", "challenge:unknown\tthrasher"), "utf-8")
    with pytest.raises(UserError) as told:
        open_run({**read_yaml(Path("config/config.yaml")), "reviews": reviews})
    assert "nobody" in str(told.value) and "challenge:unknown" in str(told.value)
