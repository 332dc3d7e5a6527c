"""The table of named checks, and how it is gone through."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assay.checks.finished import FinishedRun, Judged

COLUMNS = ["check", "title", "result", "looked_at", "unit", "findings", "first_finding"]

Findings = Iterator[str]


@dataclass(frozen=True)
class Check:
    """One named check. `of_run` looks at the run as a whole, `of_capture` at one capture; both yield what they find.

    `unit` is what it counts: `verdicts`, `packets`, `captures` or `ledger rows`.
    """

    id: str
    title: str
    unit: str
    of_run: Callable[[FinishedRun], Findings]
    of_capture: Callable[[FinishedRun, Judged], Findings] | None = None


def run_checks(checks: Sequence[Check], run: FinishedRun) -> list[dict[str, str]]:
    """Return a row (COLUMNS) for each check, in the order of the table: pass, or fail with the first finding."""
    findings = {check.id: list(check.of_run(run)) for check in checks}
    counts = {"captures": 0, "packets": 0, "verdicts": 0, "ledger rows": len(run.ledger)}
    for judged in run.judged():
        counts["captures"] += 1
        counts["packets"] += len(judged.packets)
        counts["verdicts"] += len(judged.verdicts)
        for check in checks:
            if check.of_capture:
                findings[check.id] += check.of_capture(run, judged)
    return [_row(check, findings[check.id], counts[check.unit]) for check in checks]


def _row(check: Check, findings: Sequence[str], count: int) -> dict[str, str]:
    return {
        "check": check.id,
        "title": check.title,
        "result": "fail" if findings else "pass",
        "looked_at": str(count),
        "unit": check.unit,
        "findings": str(len(findings)),
        "first_finding": findings[0] if findings else "",
    }
