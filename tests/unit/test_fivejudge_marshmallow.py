"""A real agent's patch, and what the project's own tests say of it: its claim is not borne out."""

import json

import pytest
from fivejudge_cases import CHALLENGE, PROTOCOL, D, event, shared, write_run

from assay.fivejudge import integrity
from assay.fivejudge.composite import composite
from assay.fivejudge.protocol import weight_sets
from assay.fivejudge.scoring import assess

TEST = "tests.test_serialization.TestFieldSerialization::test_timedelta_field"
CLAIM = "The TimeDelta serialization issue is fixed: values are rounded to the nearest integer."


def assessed(tmp_path, report, patch):
    source = shared("agents/junit-marshmallow-1867")
    folder = write_run(
        tmp_path / "run",
        **{
            "challenge.yaml": json.dumps(CHALLENGE),
            "changes.diff": (source / patch).read_text() if patch else "",
            "tests/static.xml": None,
            "tests/hidden.xml": (source / report).read_text(),
            "tests/severity.tsv": f"test\tlevel\n{TEST}\tcritical\n",
            "telemetry.jsonl": [
                event("patch", None, "patch", targets=["src/marshmallow/fields.py"]),
                event("claim", None, "claim", text=CLAIM, confidence="high", about="test_timedelta_field"),
            ],
        },
    )
    made, problems = assess(folder, "marshmallow", PROTOCOL)
    assert problems == []
    return made


@pytest.mark.parametrize(
    ("report", "patch", "score", "anchor"),
    [
        # 275 tests, one of them critical (weight 3): 274 of 277 when that one fails
        ("before_patch.xml", "", "98.916968", True),
        ("after_agent_patch.xml", "agent.patch", "98.916968", True),
        ("upstream_fix.xml", "", "100", False),
    ],
)
def test_objective_of_the_real_suites(tmp_path, report, patch, score, anchor):
    made = assessed(tmp_path, report, patch)
    assert (made.scored.objective.score, made.scored.objective.anchor) == (D(score), anchor)
    assert len(made.scored.objective.bundle["suites"]["hidden"]) == 275


def test_claim_that_the_tests_contradict_is_false_confidence_and_the_run_is_scored(tmp_path):
    made = assessed(tmp_path, "after_agent_patch.xml", "agent.patch")
    assert [(one.trigger, one.evidence) for one in made.findings] == [
        ("false_confidence", ("event:claim", f"test:hidden:{TEST}")),
    ]
    adjusted = integrity.adjust(made.findings, made.facts, PROTOCOL)
    scores = {"process": D(100), "strategy": D(100), "recovery": D(100)}
    done = composite(made.scored.objective, scores, adjusted, weight_sets(PROTOCOL)["default"])
    # weighted 49.458484 + 50 = 99.458484, held to Objective 98.916968 by the anchor, less 5
    assert (done.weighted, done.anchor_active, done.final) == (D("99.458484"), True, D("93.916968"))
    assert made.scored.metrics["dwell_time"].value is None


def test_same_claim_is_borne_out_by_the_upstream_fix(tmp_path):
    made = assessed(tmp_path, "upstream_fix.xml", "agent.patch")
    assert [one.trigger for one in made.findings] == ["calibrated"]


def test_message_shows_the_assertion_but_not_the_test(tmp_path):
    made = assessed(tmp_path, "after_agent_patch.xml", "agent.patch")
    row = next(row for row in made.scored.objective.bundle["suites"]["hidden"] if row["test"] == TEST)
    assert row["result"] == "failed" and row["message"].startswith("AssertionError: assert 2 == 1")
    assert "def test_" not in row["message"]
