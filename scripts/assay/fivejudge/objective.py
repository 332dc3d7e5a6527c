"""Judge 1, Objective: a score from evidence alone (five-judge-exact.md, Objective)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from assay.fivejudge.exact import clamped, product, rounded, total
from assay.runs.challenge import Benchmarks, Build, Crash
from assay.runs.junit import TestCase
from assay.runs.sarif import SecurityFinding
from assay.runs.severity import level_of


@dataclass(frozen=True)
class Evidence:
    """What the Objective judge looks at. A suite is None when the run has none; `rerun` is the hidden suite again."""

    build: Build
    static: Sequence[TestCase] | None = None
    hidden: Sequence[TestCase] | None = None
    rerun: Sequence[TestCase] | None = None
    levels: Mapping[str, str] | None = None
    crashes: Sequence[Crash] = ()
    security: Sequence[SecurityFinding] = ()
    benchmarks: Benchmarks | None = None


@dataclass(frozen=True)
class Objective:
    """The Objective score (0 to 100, None = unscorable) and its evidence bundle, ready to be written as JSON.

    `anchor` says that the build failed or every hidden critical test failed. The bundle lists every test with level,
    weight and result, every addend in order, the unstable tests, and notes on what was left out.
    """

    score: Decimal | None
    anchor: bool
    bundle: dict[str, Any]


def objective(evidence: Evidence, protocol: Mapping[str, Any]) -> Objective:
    """Score a run from its evidence. Base is rounded half to even to six places; nothing else is rounded."""
    hidden, unstable, notes = _reproduced(evidence.hidden, evidence.rerun)
    rows = {
        "static": _rows("static", evidence.static, evidence.levels or {}, protocol),
        "hidden": _rows("hidden", hidden, evidence.levels or {}, protocol),
    }
    rates = {suite: _rate(tests) for suite, tests in rows.items()}
    for suite, tests in rows.items():
        skipped = sum(row["result"] == "skipped" for row in tests)
        notes += [f"{skipped} skipped tests of the {suite} suite are left out"] if skipped else []
        notes += [] if rates[suite] is not None else [f"the {suite} suite has no test that counts"]
    base = _base(rates, protocol["objective"])
    scorable = base is not None or not evidence.build.ok
    notes += [] if base is not None else ["neither suite has a test that counts"]
    addends = _addends(evidence, base, protocol["objective"]) if scorable else []
    score = total(addend["points"] for addend in addends) if scorable else None
    bundle = {
        "suites": rows,
        "rates": {suite: None if rate is None else rounded(rate) for suite, rate in rates.items()},
        "unstable": unstable,
        "build": asdict(evidence.build),
        "crashes": [asdict(crash) for crash in evidence.crashes],
        "security": _security(evidence.security),
        "benchmarks": list(evidence.benchmarks.measurements) if evidence.benchmarks else [],
        "addends": addends,
        "score": score,
        "state": "scored" if scorable else "unscorable",
        "notes": sorted(notes),
    }
    return Objective(score, anchored(evidence.build, rows["hidden"]), bundle)


def anchored(build: Build, hidden: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether the anchor rule is active: the build failed, or there are hidden critical tests and all fail."""
    critical = [row["result"] for row in hidden if row["level"] == "critical" and row["result"] != "skipped"]
    return not build.ok or bool(critical and all(result == "failed" for result in critical))


def _reproduced(
    hidden: Sequence[TestCase] | None, rerun: Sequence[TestCase] | None
) -> tuple[Sequence[TestCase] | None, list[dict[str, str]], list[str]]:
    """Return the hidden suite with unstable tests failed, the unstable tests, and notes."""
    if hidden is None or rerun is None:
        return hidden, [], [] if hidden is None else ["no reproducibility check: the hidden suite was not run again"]
    again = {test.id: test for test in rerun}
    first = {test.id for test in hidden}
    made, unstable = [], []
    for test in hidden:
        second = again.get(test.id)
        if second is not None and second.result != test.result:
            unstable.append(
                {"test": test.id, "ref": f"test:hidden:{test.id}", "first": test.result, "again": second.result}
            )
            words = f"unstable: {test.result}, then {second.result}"
            test = TestCase(test.id, test.name, test.classname, "failed", words, test.copies, test.mixed, test.flaky)
        made.append(test)
    notes = [f"hidden test {name!r} is missing from the second run" for name in sorted(first - set(again))]
    notes += [
        f"hidden test {name!r} is only in the second run; it is not counted" for name in sorted(set(again) - first)
    ]
    return made, sorted(unstable, key=lambda row: row["test"]), notes


def _rows(
    suite: str, tests: Sequence[TestCase] | None, levels: Mapping[str, str], protocol: Mapping[str, Any]
) -> list[dict[str, Any]]:
    rows = []
    for test in sorted(tests or ()):
        level = level_of(test, levels, protocol["default_level"])
        row = {
            "ref": f"test:{suite}:{test.id}",
            "test": test.id,
            "name": test.name,
            "level": level,
            "weight": protocol["levels"][level],
            "result": test.result,
            "message": test.message,
        }
        said = [f"{test.copies} results of this name"] if test.copies > 1 else []
        said += ["they disagree"] if test.mixed else []
        said += ["a repeated try went otherwise"] if test.flaky else []
        rows.append({**row, "note": "; ".join(said)})
    return rows


def _rate(rows: Sequence[Mapping[str, Any]]) -> Fraction | None:
    counted = [(Fraction(row["weight"]), row["result"] == "passed") for row in rows if row["result"] != "skipped"]
    whole = sum(weight for weight, _ in counted)
    return sum((weight for weight, passed in counted if passed), Fraction(0)) / whole if whole else None


def _base(rates: Mapping[str, Fraction | None], weights: Mapping[str, Any]) -> Decimal | None:
    """Base = 100 · (1·S + 2·H) / 3; with one suite absent, the other alone; None with both absent."""
    present = {suite: rate for suite, rate in rates.items() if rate is not None}
    whole = sum(Fraction(weights[f"{suite}_weight"]) for suite in present)
    if not present:
        return None
    return rounded(100 * sum(Fraction(weights[f"{suite}_weight"]) * rate for suite, rate in present.items()) / whole)


def _addends(evidence: Evidence, base: Decimal | None, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every addend in order; their sum is the score. The gate and the clamp are addends too."""
    critical = sum(finding.critical for finding in evidence.security)
    stated = evidence.benchmarks.bonus if evidence.benchmarks else Decimal(0)
    bonus = clamped(stated, 0, values["benchmark_bonus_max"])
    rows = [
        ("base", "weighted pass rate of the tests" if base is not None else "no test ran", base or Decimal(0)),
        ("crashes", f"{len(evidence.crashes)} crashes", product(values["per_crash"], len(evidence.crashes))),
        ("security", f"{critical} critical findings", product(values["per_critical_finding"], critical)),
        ("benchmarks", f"benchmark bonus (stated {stated})", bonus),
    ]
    raw = total(points for _, _, points in rows)
    held = clamped(raw)
    rows.append(("clamp", "kept within 0 to 100", total([held, -raw])))
    if not evidence.build.ok:
        rows.append(("build", "the build failed: the score is 0", -held))
    return [{"id": name, "text": text, "points": points + 0} for name, text, points in rows]


def _security(findings: Sequence[SecurityFinding]) -> list[dict[str, Any]]:
    return [
        {
            "ref": finding.id,
            "tool": finding.tool,
            "rule": finding.rule,
            "level": finding.level,
            "severity": finding.severity,
            "place": finding.place,
            "message": finding.message,
            "critical": finding.critical,
        }
        for finding in sorted(findings, key=lambda finding: finding.id)
    ]
