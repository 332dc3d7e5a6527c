"""The Objective judge: each row of its table, its gate, its clamp, its evidence."""

import pytest
from fivejudge_cases import PROTOCOL, D, suite

from assay.fivejudge.objective import Evidence, objective
from assay.runs.challenge import Benchmarks, Build, Crash
from assay.runs.sarif import SecurityFinding

BUILT = Build(True)


def score(**parts):
    return objective(Evidence(**{"build": BUILT, **parts}), PROTOCOL)


def finding(level="error", severity="9.0"):
    return SecurityFinding("security:1.1", "T", "R", level, D(severity), "a:1", "m")


def test_row_static_test_pass_rate_is_weighted_by_criticality():
    made = score(static=suite(a="passed", b="failed", c="passed"), levels={"a": "critical", "b": "high"})
    assert made.score == D("66.666667")  # (3 + 1) of (3 + 2 + 1), the only suite: 100 * 4/6


def test_row_hidden_adversarial_pass_rate_is_weighted_by_severity_and_twice_the_base():
    made = score(
        static=suite(a="passed", b="failed"),
        hidden=suite(c="passed", d="failed", e="failed"),
        levels={"c": "critical", "d": "high", "e": "medium"},
    )
    assert made.score == 50  # S = 1/2, H = 3/6: 100 * (0.5 + 2 * 0.5) / 3


def test_row_build_success_is_a_gate():
    made = score(build=Build(False), static=suite(a="passed"), hidden=suite(b="passed"))
    assert made.score == 0 and made.anchor
    assert [(a["id"], a["points"]) for a in made.bundle["addends"] if a["points"]] == [("base", 100), ("build", -100)]


def test_failed_build_without_tests_scores_0_not_unscorable():
    assert score(build=Build(False)).score == 0


def test_row_runtime_stability_takes_10_per_crash():
    assert score(hidden=suite(a="passed"), crashes=[Crash("panic", "m")] * 3).score == 70


def test_row_performance_benchmarks_add_up_to_5():
    tests = suite(a="passed", b="failed")
    assert score(hidden=tests, benchmarks=Benchmarks(D("4.25"), ({"name": "t", "value": 1},))).score == D("54.25")
    assert score(hidden=tests, benchmarks=Benchmarks(D("7"), ({"name": "t", "value": 1},))).score == 55


def test_row_security_scanner_takes_5_per_critical_finding():
    findings = [finding(), finding(severity="9.9"), finding(severity="8.9"), finding(level="warning", severity="10")]
    assert score(hidden=suite(a="passed"), security=findings).score == 90


def test_base_of_both_suites():
    made = score(static=suite(a="passed", b="passed", c="failed"), hidden=suite(d="passed", e="failed", f="failed"))
    assert made.score == D("44.444444")  # 100 * (2/3 + 2/3) / 3


def test_one_suite_absent_leaves_the_other_alone_and_says_so():
    made = score(hidden=suite(a="passed", b="failed"))
    assert made.score == 50
    assert "the static suite has no test that counts" in made.bundle["notes"]


def test_both_suites_absent_is_unscorable():
    made = score()
    assert made.score is None and made.bundle["state"] == "unscorable" and made.bundle["addends"] == []


def test_suite_of_skipped_tests_only_counts_as_absent():
    assert score(static=suite(a="skipped")).score is None
    assert score(static=suite(a="skipped"), hidden=suite(b="passed")).score == 100


def test_skipped_tests_are_left_out_and_counted_aloud():
    made = score(hidden=suite(a="passed", b="skipped"))
    assert made.score == 100 and "1 skipped tests of the hidden suite are left out" in made.bundle["notes"]


def test_unstable_test_counts_as_failed_and_is_listed():
    made = score(hidden=suite(a="passed", b="failed", c="passed"), rerun=suite(a="passed", b="passed", c="failed"))
    assert made.score == D("33.333333")
    assert [row["test"] for row in made.bundle["unstable"]] == ["b", "c"]


def test_tests_of_one_run_only_are_said():
    made = score(hidden=suite(a="passed", b="passed"), rerun=suite(a="passed", c="failed"))
    assert made.score == 100 and len([n for n in made.bundle["notes"] if "second run" in n]) == 2


def test_clamp_at_0_and_at_100_is_an_addend():
    low = score(hidden=suite(a="passed", b="failed"), crashes=[Crash("k", "m")] * 7)
    assert low.score == 0 and low.bundle["addends"][4] == {
        "id": "clamp", "text": "kept within 0 to 100", "points": D(20),
    }  # fmt: skip
    high = score(hidden=suite(a="passed"), benchmarks=Benchmarks(D(5), ({"name": "t", "value": 1},)))
    assert high.score == 100 and high.bundle["addends"][4]["points"] == -5


def test_bundle_lists_every_test_with_level_weight_and_result_and_addends_sum_to_the_score():
    made = score(
        static=suite(b="passed", a="failed"),
        hidden=suite(c="passed"),
        levels={"a": "critical"},
        crashes=[Crash("k", "m")],
        security=[finding()],
    )
    rows = [
        (r["ref"], r["level"], r["weight"], r["result"]) for s in ("static", "hidden") for r in made.bundle["suites"][s]
    ]
    assert rows == [
        ("test:static:a", "critical", 3, "failed"),
        ("test:static:b", "medium", 1, "passed"),
        ("test:hidden:c", "medium", 1, "passed"),
    ]
    assert sum(addend["points"] for addend in made.bundle["addends"]) == made.score == D("60")  # 75 - 10 - 5


@pytest.mark.parametrize(
    ("hidden", "levels", "active"),
    [
        (suite(a="failed", b="failed"), {"a": "critical", "b": "critical"}, True),
        (suite(a="failed", b="passed"), {"a": "critical", "b": "critical"}, False),
        (suite(a="failed", b="passed"), {"a": "critical"}, True),
        (suite(a="failed", b="skipped"), {"a": "critical", "b": "critical"}, True),
        (suite(a="failed"), {"a": "high"}, False),
        (suite(a="skipped", b="passed"), {"a": "critical"}, False),
    ],
)
def test_anchor_is_active_when_every_hidden_critical_test_fails(hidden, levels, active):
    assert score(hidden=hidden, levels=levels).anchor is active


def test_unstable_critical_tests_count_for_the_anchor():
    assert score(hidden=suite(a="passed"), rerun=suite(a="failed"), levels={"a": "critical"}).anchor
