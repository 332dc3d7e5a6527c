"""What a person decided about a quarantined run (five-judge-exact.md, Integrity: left out until a person reviews it).

A review names the triggers that the person has looked at. It decides about the run's place in rankings, and about
nothing else: no person puts a number into a score, so points and cancelled bonuses stay as the evidence has them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.bundle.scored_set import ScoredSet
from assay.fivejudge.protocol import triggers
from assay.problems import Problem

RELEASED, UPHELD, NO_EFFECT, NOT_COVERED = "released", "upheld", "without effect", "not covered"
Review = Mapping[str, Any]


def review_problems(
    reviews: Sequence[Review], judged: ScoredSet, protocol: Mapping[str, Any], file: str
) -> list[Problem]:
    """Return what is wrong with the reviews of config.yaml: runs or triggers that are not there, two of one run."""
    scored = {capture.key for capture in judged.scored}
    known = [name for name, trigger in triggers(protocol).items() if trigger.severity == "quarantine"]
    problems, seen = [], set()
    for number, review in enumerate(reviews, 1):
        run, place = (review["entry"], review["configuration"]), f"reviews, number {number}"
        if run not in scored:
            text = f"{place}: {run[0]} by {run[1]} is not among the runs to judge"
            problems.append(Problem(file, 0, text, "Name a run as results/tables/quarantined.tsv does"))
        if run in seen:
            text = f"{place}: it is the second review of {run[0]} by {run[1]}"
            problems.append(Problem(file, 0, text, "Leave one of them"))
        seen.add(run)
        for trigger in review["triggers"]:
            if trigger not in known:
                text = f"{place}: {trigger} is no trigger that quarantines a run"
                problems.append(Problem(file, 0, text, f"Name those of quarantined.tsv, out of {', '.join(known)}"))
    return problems


def review_of(reviews: Sequence[Review], capture: Mapping[str, str]) -> Review | None:
    """Return the review of a run, None if there is none."""
    run = (capture["entry"], capture["configuration"])
    return next((review for review in reviews if (review["entry"], review["configuration"]) == run), None)


def quarantining(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows of the triggers that quarantine a run, in table order."""
    rows = record["integrity"]["rows"] if record["integrity"] else ()
    return [row for row in rows if row["severity"] == "quarantine" and row["points"]]


def outcome_of(record: Mapping[str, Any]) -> str:
    """Return what the review of a run came to, '' without one."""
    return record["review"]["outcome"] if record["review"] else ""


def reviewed(record: dict[str, Any], review: Review | None) -> dict[str, Any]:
    """Return a run's record with what its review comes to: its `outcome`, and the state and reason that follow.

    A release holds only where the review names every trigger that quarantines the run: one that was found later has
    been looked at by nobody.
    """
    if review is None:
        return {**record, "review": None}
    outcome, reason = review["decision"], f"{review['decision']} by {review['by']}: {review['reason']}"
    unseen = [row["trigger"] for row in quarantining(record) if row["trigger"] not in review["triggers"]]
    if record["state"] != "quarantined":
        outcome, reason = NO_EFFECT, record["reason"]
    elif unseen:
        outcome = NOT_COVERED
        reason = f"{record['reason']}; the review by {review['by']} does not name {', '.join(unseen)}"
    changed = {"state": "scored", "rankable": True} if outcome == RELEASED else {}
    return {**record, **changed, "reason": reason, "review": {**review, "outcome": outcome}}
