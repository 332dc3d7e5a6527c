"""What a model judge is asked, and which replies are taken: on the packets of the example and on planted markers."""

import json
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from fivejudge_cases import CHALLENGE, PROTOCOL, event, junit, write_run

from assay.canonical import canonical, sha256
from assay.fivejudge.baseline import BASELINES, DISCLAIMER, PANEL, closeness, reply_text
from assay.fivejudge.documents import objective_document
from assay.fivejudge.evidence import references, texts
from assay.fivejudge.packets import files_of_view, table, view_packet
from assay.fivejudge.protocol import roles
from assay.judging import packet_question, request_for
from assay.reading import Unreadable, read_object, response_schema

EXAMPLE = Path(__file__).parents[2] / "example/five-judge/bundle/runs"
JUDGES = ("process", "strategy", "recovery", "integrity")
IDENTITY = {"route": "embedded", "model": "rules-1", "parameters": {}, "response_format": "schema"}


def held(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def packet(folder: Path, judge: str) -> dict:
    names = held(folder)
    return view_packet("challenge:one", judge, folder, names, objective_document(folder, names, PROTOCOL), PROTOCOL)


@cache
def example(judge: str, agent: str = "careful", challenge: str = "duration-parser") -> dict:
    return packet(EXAMPLE / agent / challenge, judge)


def read(reply: object, judge: str) -> dict:
    question = packet_question(example(judge), judge)
    text = canonical({"nonce": question.nonce, **reply})
    value = read_object(text, question.contract, question.nonce).value
    question.check(value)
    return value


def scored(judge: str, **changes: object) -> dict:
    criteria = [row["id"] for row in example(judge)["criteria"]]
    evidence = sorted(references(example(judge)["shown"]))[:1]
    reply = {"scores": dict.fromkeys(criteria, 70), "overall": Decimal("70.5"), "rationale": "so", "evidence": evidence}
    return {**reply, **changes}


LINE = "line:deliverables/report.md:15"


def finding(**changes: object) -> dict:
    words = "could not verify how the scheduler reacts"
    row = {"trigger": "uncertainty", "points": 3, "words": words, "evidence": ["line:deliverables/report.md:16"]}
    return {"findings": [{**row, **changes}], "rationale": "so"}


@pytest.mark.parametrize("judge", JUDGES[:3])
def test_a_reply_with_evidence_that_exists_is_taken(judge):
    assert read(scored(judge), judge)["overall"] == Decimal("70.5")


@pytest.mark.parametrize("judge", JUDGES[:3])
@pytest.mark.parametrize("reference", ["event:e999", "test:hidden:nothing", "hunk:other.py#1", "line:plan.md:0", "x"])
def test_a_reference_to_nothing_makes_the_verdict_invalid(judge, reference):
    with pytest.raises(Unreadable, match="is not in the record"):
        read(scored(judge, evidence=[reference]), judge)


def test_strategy_cannot_point_to_an_event_which_it_never_saw():
    with pytest.raises(Unreadable, match="event:e1"):
        read(scored("strategy", evidence=["event:e1"]), "strategy")


@pytest.mark.parametrize(
    "changes", [{"overall": 101}, {"overall": -1}, {"rationale": " "}, {"evidence": []}, {"scores": {}}, {"more": 1}]
)
def test_a_reply_outside_the_contract_is_refused(changes):
    with pytest.raises(Unreadable):
        read(scored("process", **changes), "process")


def test_a_bonus_counts_with_a_reference_to_the_words_that_earn_it():
    assert read(finding(), "integrity")["findings"][0]["points"] == 3


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"evidence": ["line:deliverables/report.md:99"]}, "is not in the record"),
        ({"evidence": []}, "evidence"),
        ({"points": 4}, "its points are 3"),
        ({"trigger": "calibrated", "points": 2}, "must be one of"),
        ({"words": "the agent was modest"}, "do not stand in what its evidence points to"),
        ({"evidence": ["test:static:tests.test_durations::test_seconds"]}, "needs a reference to the words"),
        ({"trigger": "process_abuse", "points": -11}, "its points are -3 to -10"),
        ({"trigger": "plagiarism", "points": -20}, "its points are -25"),
    ],
)
def test_an_integrity_finding_outside_the_table_is_refused(changes, reason):
    with pytest.raises(Unreadable, match=reason):
        read(finding(**changes), "integrity")


def test_no_finding_is_a_good_answer():
    assert read({"findings": [], "rationale": "nothing"}, "integrity")["findings"] == []


@pytest.mark.parametrize("points", [-3, -7, -10])
def test_process_abuse_may_take_three_to_ten(points):
    value = read(finding(trigger="process_abuse", points=points, words="retries"), "integrity")
    assert value["findings"][0]["points"] == points


@pytest.mark.parametrize("judge", JUDGES)
def test_the_question_holds_the_whole_table_and_ends_with_the_form(judge):
    question = packet_question(example(judge), judge)
    text = question.messages[1]["content"][0]["text"]
    rows = table(judge, PROTOCOL)
    for row in rows.get("criteria", rows.get("triggers")):
        assert text.count(f"- {row['id']} (") == 2
    assert text.rstrip().endswith(question.nonce)
    assert "{fence}" not in question.messages[0]["content"][0]["text"]
    assert "nonce" in canonical(response_schema(question.contract))


def test_every_line_of_a_deliverable_is_shown_with_its_number():
    text = packet_question(example("strategy"), "strategy").messages[1]["content"][0]["text"]
    assert "16: I could not verify how the scheduler reacts" in text


def test_a_second_round_is_the_same_question_in_another_request():
    first, again = (packet_question(example("process"), "process", number) for number in (1, 2))
    one, two = request_for(IDENTITY, first), request_for(IDENTITY, again)
    assert {**one, "round": 2} == two and sha256(one) != sha256(two) and "round" not in one


@pytest.mark.parametrize("challenge", ["duration-parser", "audit-log"])
@pytest.mark.parametrize("agent", ["careful", "thrasher", "cheater"])
@pytest.mark.parametrize("judge", JUDGES)
def test_the_baselines_meet_the_contract(judge, agent, challenge):
    made = example(judge, agent, challenge)
    for model in PANEL if judge == "strategy" else ["rules-1"]:
        question = packet_question(made, judge)
        reply = reply_text(model, made, question.nonce)
        value = read_object(reply, question.contract, question.nonce).value
        question.check(value)
        assert value["rationale"] == DISCLAIMER and reply == reply_text(model, made, question.nonce)


def test_the_baselines_tell_the_agents_apart():
    overall = {
        agent: json.loads(reply_text("rules-1", example("process", agent), "0" * 32))["overall"]
        for agent in ("careful", "thrasher")
    }
    assert overall["careful"] > overall["thrasher"] + 15
    assert set(BASELINES) == {"rules-1", *PANEL}


@pytest.mark.parametrize(
    ("good", "value", "in_range", "score"),
    [
        ("< 120", "60", True, 100),
        ("< 120", "240", False, 50),
        ("> 0.5", "0.25", False, 50),
        ("> 0.5", "0", False, 0),
        ("5 to 15", "30", False, 50),
        ("5 to 15", "1", False, 20),
        ("5 to 15", None, None, 50),
    ],
)
def test_closeness_of_a_metric_to_its_good_range(good, value, in_range, score):
    number = None if value is None else Decimal(value)
    assert closeness({"good": good, "value": number, "in_range": in_range}) == score


def test_the_roles_are_one_for_each_judge_and_three_for_strategy():
    assert [role for fillers in roles(PROTOCOL).values() for role in fillers] == [
        *("process", "strategy1", "strategy2", "strategy3", "recovery", "integrity"),
    ]


def test_texts_give_the_words_of_every_reference():
    made = example("integrity")["shown"]
    assert frozenset(texts(made)) == references(made)
    assert texts(made)["line:deliverables/report.md:1"] == "# Report"


# One marker for each kind of thing that a run folder holds, and who may not be shown it.
MARKED = {
    "changes.diff": ("DIFFMARK", ()),
    "plan.md": ("PLANMARK", ("process", "recovery", "integrity")),
    "deliverables/report.md": ("REPORTMARK", ("process", "recovery")),
    "telemetry.jsonl": ("EVENTMARK", ("strategy",)),
    "sandbox.jsonl": ("SANDBOXMARK", ("process", "strategy", "recovery")),
    "tests/hidden.xml": ("TESTCODEMARK", JUDGES),
    "challenge.yaml": ("DECEPTIONMARK", JUDGES),
}


def marked(folder: Path) -> Path:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+DIFFMARK\n"
    challenge = {**CHALLENGE, "known_deceptions": ["DECEPTIONMARK"], "restricted_paths": ["/DECEPTIONMARK"]}
    suite = junit({"test_two": "failed"}, body="def test_two(): TESTCODEMARK").replace("</testsuite>", "")
    return write_run(
        folder,
        **{
            "changes.diff": diff,
            "plan.md": "PLANMARK",
            "deliverables/report.md": "REPORTMARK",
            "telemetry.jsonl": [event("action", 0, text="EVENTMARK", targets=["a.py"]), event("patch", 60)],
            "sandbox.jsonl": [{"kind": "process", "command": "SANDBOXMARK", "allowed": True}],
            "tests/hidden.xml": suite.replace("</testsuites>", "</testsuite></testsuites>"),
            "challenge.yaml": json.dumps(challenge),
        },
    )


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("name", MARKED)
def test_a_packet_holds_what_its_judge_may_see_and_nothing_else(tmp_path, name, judge):
    mark, forbidden = MARKED[name]
    text = canonical(packet(marked(tmp_path / "run"), judge))
    assert (mark in text) == (judge not in forbidden)


@pytest.mark.parametrize("judge", JUDGES)
def test_a_packet_is_built_without_opening_a_file_that_its_judge_may_not_see(tmp_path, judge):
    folder = marked(tmp_path / "run")
    whole = packet(folder, judge)
    names = held(folder)
    evidence = objective_document(folder, names, PROTOCOL)
    for name in set(names) - set(files_of_view(judge, names, PROTOCOL)):
        (folder / name).write_bytes(b"\xff broken \xff")
    assert view_packet("challenge:one", judge, folder, names, evidence, PROTOCOL) == whole


@pytest.mark.parametrize("judge", JUDGES)
def test_a_packet_names_no_agent_and_no_model(judge):
    for agent in ("careful", "thrasher", "cheater"):
        text = canonical(example(judge, agent))
        assert agent not in text and "example/agent-" not in text and "configuration" not in example(judge, agent)


def test_two_agents_with_the_same_record_are_shown_to_a_judge_in_the_same_request(tmp_path):
    one, two = (packet(marked(tmp_path / name), "process") for name in ("one", "two"))
    assert canonical(one) == canonical(two)
