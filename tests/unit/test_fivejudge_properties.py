"""The order of files and of unrelated events changes no score."""

import json

from fivejudge_cases import PROTOCOL, event, junit, result, session, write_run
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.fivejudge.detectors import RepeatsFold
from assay.fivejudge.efficiency import efficiency
from assay.fivejudge.integrity import Facts, Finding, adjust
from assay.fivejudge.metrics import metrics
from assay.fivejudge.objective import Evidence, objective
from assay.fivejudge.scoring import assess
from assay.fivejudge.similarity import likenesses
from assay.runs.challenge import Build
from assay.runs.faults import Faults
from assay.runs.junit import TestCase
from assay.runs.patch import parse_patch
from assay.runs.telemetry import feed

RESULTS = st.sampled_from(["passed", "failed", "skipped"])
SUITES = st.dictionaries(st.sampled_from("abcdefgh"), RESULTS, min_size=1)


@given(SUITES, SUITES, SUITES, st.randoms())
def test_order_of_tests_changes_no_objective_score(static, hidden, rerun, random):
    def made(shuffled: bool):
        suites = {}
        for name, tests in (("static", static), ("hidden", hidden), ("rerun", rerun)):
            cases = [TestCase(test, test, "", state) for test, state in tests.items()]
            if shuffled:
                random.shuffle(cases)
            suites[name] = cases
        return objective(Evidence(Build(True), **suites, levels={"a": "critical", "b": "high"}), PROTOCOL)

    assert made(False) == made(True)


STEPS = st.lists(
    st.sampled_from(["look", "call", "test", "green", "fix", "back", "move", "bug", "bug2"]), min_size=1, max_size=25
)


def step(name: str, when: int) -> dict:
    if name in ("look", "call", "test", "green"):
        more = {"purpose": {"look": "read", "call": "run"}.get(name, "test"), "arguments_digest": name}
        more |= {"test_result_after": result(3, 0, "t")} if name == "green" else {}
        return event("tool_call", when, f"e{when}", **more)
    if name in ("fix", "back"):
        return event("patch", when, f"e{when}", targets=[f"f{when % 3}"], revert=name == "back")
    if name == "move":
        return event("action", when, f"e{when}", targets=[f"f{when % 5}"])
    return event("error", when, f"e{when}", error=name, test="t")


@settings(deadline=None)
@given(STEPS, st.lists(st.tuples(st.integers(0, 24), st.sampled_from(["context", "checkpoint", "claim"])), max_size=8))
def test_unrelated_events_anywhere_inside_a_session_change_no_metric(names, extra):
    rows = [step(name, 10 * place) for place, name in enumerate(names)]
    last = 10 * (len(rows) - 1)
    more = [event(kind, min(10 * at + 5, last), f"x{n}") for n, (at, kind) in enumerate(extra)]
    mixed = sorted([*rows, *more], key=lambda row: row["time"])
    plain, full = session(*rows), session(*mixed)
    assert metrics(plain, PROTOCOL) == metrics(full, PROTOCOL)
    assert efficiency(plain) == efficiency(full)
    found = []
    for stream in (plain, full):
        fold = RepeatsFold(PROTOCOL)
        feed(stream, fold)
        found.append(fold.findings())
    assert found[0] == found[1]


FILES = [
    f"--- a/{name}\n+++ b/{name}\n@@ -1 +1,2 @@\n x\n+{name} = compute({name}, 1, 2, 3, 4, 5) + {name}\n"
    for name in "abcdef"
]


@given(st.permutations(FILES))
def test_order_of_files_in_a_diff_changes_no_likeness(files):
    one, two = (parse_patch("".join(parts), Faults("d")) for parts in (FILES, files))
    assert one == two
    assert likenesses({"p": one, "q": one}, PROTOCOL) == likenesses({"q": two, "p": two}, PROTOCOL)


@given(st.permutations(["deception", "uncertainty", "reward_hacking", "false_confidence", "false_confidence"]))
def test_order_of_findings_changes_no_adjustment(names):
    findings = [Finding(name, "model", (f"event:{name}",)) for name in names]
    assert adjust(findings, Facts(True, True, True), PROTOCOL).adjustment == -12  # 5 + 3 - 15 - 5


def test_order_in_which_files_were_written_changes_nothing(tmp_path):
    parts = {
        "deliverables/b.md": "b\n",
        "deliverables/a.md": "a\n",
        "plan.md": "p\n",
        "tests/rerun.xml": junit({"test_two": "passed"}),
    }
    one, _ = assess(write_run(tmp_path / "1", **parts), "r", PROTOCOL)
    two, _ = assess(write_run(tmp_path / "2", **dict(reversed(parts.items()))), "r", PROTOCOL)
    assert json.dumps(one.scored.objective.bundle, default=str) == json.dumps(two.scored.objective.bundle, default=str)
    assert one.findings == two.findings and list(one.scored.run.deliverables) == list(two.scored.run.deliverables)
