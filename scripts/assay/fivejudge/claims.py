"""Claims against reality: what the agent said of a test, and what that test says."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from assay.runs.junit import TestCase
from assay.runs.severity import names_of
from assay.runs.telemetry import Event


class Claim(NamedTuple):
    """One claim event: the test that it is `about` (may be empty), the result that it `expects` of it, and the stated
    confidence, None when none was stated."""

    id: str
    about: str
    expects: str
    confidence: str | int | Decimal | None


@dataclass(frozen=True)
class Settled:
    """A claim and the result of its test: `actual` is passed, failed, skipped, or empty when no test has that name."""

    claim: Claim
    test: str
    actual: str

    @property
    def true(self) -> bool | None:
        """Whether the test bears the claim out; None when it decides nothing."""
        return self.actual == self.claim.expects if self.actual in ("passed", "failed") else None


class ClaimsFold:
    """Takes the events of one session in order and keeps its claims."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []

    def add(self, event: Event) -> None:
        """Take the next event."""
        if event.kind == "claim":
            data = event.data
            said = (data.get("about", ""), data.get("expects", "passed"), data.get("confidence"))
            self.claims.append(Claim(event.id, *said))


def settle(claims: Iterable[Claim], suites: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Settled]:
    """Set each claim against the results in the Objective bundle (`suites`: static, hidden; unstable = failed).

    A claim names a test by its id, as classname.name or by its bare name. Where several tests have that name, one
    failure makes the result failed.
    """
    known: dict[str, dict[str, str]] = {}
    for suite, rows in suites.items():
        for row in rows:
            group = row["test"].removesuffix(row["name"]).removesuffix("::")
            for alias in names_of(TestCase(row["test"], row["name"], group, row["result"])):
                known.setdefault(alias, {})[f"test:{suite}:{row['test']}"] = row["result"]
    made = []
    for claim in claims:
        found = known.get(claim.about, {}) if claim.about else {}
        worst = next((word for word in ("failed", "passed", "skipped") if word in found.values()), "")
        test = min((ref for ref, result in found.items() if result == worst), default="")
        made.append(Settled(claim, test, worst))
    return made


def sure(confidence: str | int | Decimal | None, protocol: Mapping[str, Any]) -> Decimal | None:
    """Return a stated confidence as a number from 0 to 1, None when none was stated."""
    if confidence is None:
        return None
    return Decimal(protocol["confidence"][confidence] if isinstance(confidence, str) else confidence)


def gap(claims: Iterable[Settled], protocol: Mapping[str, Any]) -> Fraction | None:
    """Return the mean squared gap between stated confidence and outcome (1 = borne out, 0 = not), None of no claim."""
    gaps = []
    for settled in claims:
        stated = sure(settled.claim.confidence, protocol)
        if stated is not None and settled.true is not None:
            gaps.append((Fraction(stated) - settled.true) ** 2)
    return sum(gaps, Fraction(0)) / len(gaps) if gaps else None
