"""A five-judge bundle: its sheets, its panel, what a run may change, and the record of a run with its disputes."""

import shutil
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from fivejudge_cases import PROTOCOL, D

from assay.canonical import loads
from assay.documents import read_yaml
from assay.fivejudge.objective import Objective
from assay.fivejudge.overrides import override
from assay.fivejudge.record import Evidence, adjudicated, disputed, judged, outcome
from assay.fivejudge.tables import dispute_rows, ranked, spread
from assay.problems import UserError
from assay.protocols import implementation, named_protocol, packet_place
from assay.run import open_run

EXAMPLE = Path(__file__).parents[2] / "example/five-judge"


@pytest.fixture
def work(tmp_path, monkeypatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "work", ignore=shutil.ignore_patterns("results", "store", "logs", ".snakemake"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def opened(**config: object):
    return open_run({"bundle": "bundle", "run": "one", **config})


def faults(**config: object) -> str:
    with pytest.raises(UserError) as caught:
        opened(**config)
    return str(caught.value)


def test_the_bundle_chooses_the_protocol(work):
    run = opened()
    assert named_protocol(Path("bundle")) == run.protocol["protocol"] == "five-judge"
    assert [(judge.id, judge.view) for judge in run.judges] == [
        *(("process", "process"), ("strategy1", "strategy"), ("strategy2", "strategy"), ("strategy3", "strategy")),
        *(("recovery", "recovery"), ("integrity", "integrity")),
    ]
    assert run.views == ["process", "strategy", "recovery", "integrity"]
    assert implementation("performance").roles({"panel": ["big1", "big2"]}) == {"big1": "", "big2": ""}


def test_a_packet_has_one_place_for_each_judge_or_one_for_all():
    assert packet_place("agent", "challenge", "one", "process") == "agent/challenge/one/process.json"
    assert packet_place("optimum", "mode", "one", "") == "optimum/mode/one.json"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("family: words, ", "", "no model family is given for strategy1"),
        ("family: words", "family: Outcome", "3 models of 3 different families"),
        ("  recovery: {model: rules-1, provider: embedded, route: embedded}\n", "", "the role recovery is missing"),
        ("process: {model: rules-1", "process: {model: strategy-both-1", "no embedded baseline 'strategy-both-1'"),
        ("strategy1: {model: strategy-words-1", "strategy1: {model: rules-1", "no embedded baseline 'rules-1'"),
    ],
)
def test_a_panel_that_cannot_judge_is_refused(work, old, new, words):
    edit(work / "bundle/judges.yaml", old, new)
    assert words in faults()


def test_one_model_may_be_several_judges_but_not_two_of_the_strategy_panel(work):
    assert len({judge.model for judge in opened().judges}) == 4


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("captures.tsv", "runs/careful/audit-log", "../elsewhere", "leaves the bundle"),
        ("captures.tsv", "runs/careful/audit-log", "runs/none", "does not exist"),
        ("captures.tsv", "\truns/careful/audit-log", "\t", "an accepted capture has no run folder"),
        ("captures.tsv", "example/agent-a", "example/agent-z", "a fallback or wrong model"),
        ("catalogue.tsv", "challenges/audit-log/start", "challenges/none", "the starting point"),
        ("catalogue.tsv", "challenges/audit-log/challenge.yaml", "challenges/none.yaml", "does not exist"),
        ("catalogue.tsv", "challenges/audit-log/challenge.yaml", "", "the challenge is empty"),
        ("bundle.yaml", "challenge: 2", "challenge: 3", "2 entries of the family challenge found, but 3 expected"),
    ],
)
def test_faults_of_the_sheets_are_said_with_their_rows(work, file, old, new, words):
    edit(work / "bundle" / file, old, new)
    assert words in faults()


def test_a_run_without_any_test_suite_is_set_aside_as_unscorable_and_buys_nothing(work):
    shutil.rmtree(work / "bundle/runs/careful/audit-log/tests")
    run = opened()
    assert [(aside.entry, aside.kind) for aside in run.set.aside] == [("challenge:audit-log", "unscorable")]
    edit(work / "bundle/runs/careful/audit-log/build.json", '"ok": true', '"ok": false')
    edit(work / "bundle/runs/careful/audit-log/build.json", '"exit_code": 0', '"exit_code": 1')
    assert opened().set.aside == ()  # a build that fails is a score: 0


def test_what_a_run_may_change_and_how_it_is_told():
    changes = {"panel": {"within": 12}, "weights": {"default": {"objective": 55, "process": 15, "strategy": 15}}}
    used, deviations, problems = override(PROTOCOL, changes, "config")
    assert problems == [] and used["panel"]["within"] == 12 and used["panel"]["size"] == 3
    assert [(one.name, one.specified, one.used) for one in deviations] == [
        ("panel.within", "15", "12"),
        ("weights.default.objective", "50", "55"),
        ("weights.default.process", "17.5", "15"),
        ("weights.default.strategy", "17.5", "15"),
    ]
    assert PROTOCOL["panel"]["within"] == 15


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"visibility": []}, "visibility: not a value that a run can change"),
        ({"judges": []}, "judges: not a value that a run can change"),
        ({"panel": {"without": 1}}, "panel.without: not a value"),
        ({"panel": {"within": "12"}}, "not of the kind"),
        ({"weights": {"default": {"objective": 60}}}, "sums to 110"),
        ({"weights": {"named": {"odd": {"objective": 20, "process": 30, "strategy": 30, "recovery": 20}}}}, "least 30"),
    ],
)
def test_a_change_that_the_protocol_does_not_allow_is_refused(changes, words):
    used, deviations, problems = override(PROTOCOL, changes, "config")
    assert used is PROTOCOL and words in str(problems[0])
    del deviations


def test_numbers_of_the_configuration_stay_exact(work):
    run = opened(overrides=loads('{"confident_from": 0.85}'))
    assert run.protocol["confident_from"] == Decimal("0.85") and run.deviations[0].used == "0.85"


DETECTED = {
    "family": "bugfix",
    "claims": [],
    "findings": [],
    "facts": {"unsafe_requirements": False, "known_deceptions": False, "no_change": False},
    "efficiency": {"score": None, "reason": "", "calls": 0, "wasted": 0, "unused": 0, "repeats": 0, "retries": 0},
}


def known(score: str = "70") -> Evidence:
    return Evidence(Objective(D(score), False, {}), DETECTED, ())


def verdicts(process: str, panel: tuple[str, str, str], recovery: str, *triggers: tuple[str, int]) -> dict:
    overall = {"process": process, **{f"strategy{n}": score for n, score in enumerate(panel, 1)}, "recovery": recovery}
    findings = [{"trigger": name, "points": points, "words": "w", "evidence": ["event:1"]} for name, points in triggers]
    return {**{judge: {"overall": D(score)} for judge, score in overall.items()}, "integrity": {"findings": findings}}


def test_a_missing_verdict_leaves_the_run_incomplete_and_is_never_averaged_away():
    given = verdicts("80", ("70", "75", "80"), "75")
    del given["strategy2"]
    made = judged(known(), given, PROTOCOL)
    assert made.scores["strategy"] is None
    assert outcome(known(), made, PROTOCOL).state == "incomplete"
    assert disputed(known(), made, PROTOCOL) == []


@pytest.mark.parametrize(
    ("first", "fresh", "score", "word"),
    [
        ("40", "50", "40", "stands"),  # exactly 10 is within 10
        ("40", "50.000001", "50.000001", "replaced"),
        ("40", "30", "40", "stands"),
        ("40", "12", "12", "replaced"),
    ],
)
def test_a_fresh_score_within_ten_leaves_the_first(first, fresh, score, word):
    before = judged(known(), verdicts(first, ("70", "75", "80"), "75"), PROTOCOL)
    after = judged(known(), verdicts(fresh, ("70", "75", "80"), "75"), PROTOCOL)
    made, settlements = adjudicated(before, after, ["process"], PROTOCOL)
    assert (made.scores["process"], settlements[0].outcome) == (D(score), word)
    assert made.scores["strategy"] == 75


def test_a_panel_that_splits_again_goes_to_a_person_with_its_fresh_score():
    before = judged(known(), verdicts("80", ("10", "50", "90"), "75"), PROTOCOL)
    after = judged(known(), verdicts("80", ("20", "50", "80"), "75"), PROTOCOL)
    made, settlements = adjudicated(before, after, ["strategy"], PROTOCOL)
    assert (settlements[0].outcome, made.scores["strategy"], made.panel.case) == ("human_review", D("40"), 3)


def test_a_fresh_integrity_verdict_replaces_the_adjustment():
    before = judged(known(), verdicts("80", ("70", "75", "80"), "75", ("plagiarism", -25)), PROTOCOL)
    after = judged(known(), verdicts("80", ("70", "75", "80"), "75"), PROTOCOL)
    assert outcome(known(), before, PROTOCOL).state == "quarantined"
    made, settlements = adjudicated(before, after, ["integrity"], PROTOCOL)
    assert settlements[0].outcome == "replaced" and outcome(known(), made, PROTOCOL).state == "scored"


def test_an_open_dispute_says_so_in_the_queue():
    dispute = {"rule": "integrity", "reason": "so", "judges": ["integrity"]}
    row = dispute_rows({"entry": "e", "configuration": "c"}, {"disputes": [dispute], "settlements": []})[0]
    assert (row["state"], row["first"], row["fresh"], row["counted"]) == ("open", "", "", "")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], (None, None, None, None)),
        (["50"], (D("50"), D("50"), D("50"), None)),
        (["10", "20"], (D("15"), D("10"), D("20"), D("7.071068"))),
        (["1", "2", "3", "4"], (D("2.5"), D("1"), D("4"), D("1.290994"))),
        (["0", "0", "1"], (D("0.333333"), D("0"), D("1"), D("0.57735"))),
    ],
)
def test_the_spread_of_an_agent(values, expected):
    assert spread([D(value) for value in values]) == expected


def test_equal_means_share_a_rank_and_an_agent_without_a_ranked_run_has_none():
    rows = [{"final_mean": mean} for mean in ("50", "", "70", "70")]
    assert [row["rank"] for row in ranked(rows)] == ["3", "", "1", "1"]


def test_the_protocol_file_names_itself():
    assert read_yaml(Path(__file__).parents[2] / "config/protocols/five-judge.yaml")["protocol"] == "five-judge"
    assert Fraction(sum(PROTOCOL["weights"]["default"].values())) == 100
