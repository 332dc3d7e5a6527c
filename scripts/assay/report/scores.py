"""The ledger as numbers: what statistics, figures and pages ask of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay.scoring.cap import weighted_sum
from assay.scoring.numbers import exact

Row = Mapping[str, str]
Capture = tuple[str, str]  # (entry, configuration)


@dataclass(frozen=True)
class Scores:
    """The ledger's rows with the run's judges, criteria (with weights), cap and failure threshold.

    `titles` maps every configuration of the bundle, in its order, to its title.
    """

    rows: tuple[Row, ...]
    judges: tuple[str, ...]
    weights: Mapping[str, Fraction]
    cap: str | None
    threshold: Fraction
    scale: tuple[Fraction, Fraction]
    families: tuple[str, ...]
    titles: Mapping[str, str]

    @property
    def criteria(self) -> tuple[str, ...]:
        return tuple(self.weights)

    def by_configuration(self, measure: str = "overall", family: str = "") -> dict[str, dict[str, Fraction]]:
        """Return configuration -> entry -> `measure` (overall, or a criterion's mean), of one family or of all.

        Every configuration is there, in the bundle's order, also one without a score.
        """
        found: dict[str, dict[str, Fraction]] = {configuration: {} for configuration in self.titles}
        for row in self.of(family):
            found[row["configuration"]][row["entry"]] = exact(row[measure])
        return found

    def of(self, family: str = "", configuration: str = "") -> list[Row]:
        """Return the rows of a family and a configuration; '' stands for all."""
        return [r for r in self.rows if family in ("", r["family"]) and configuration in ("", r["configuration"])]

    def by_judge(self, measure: str) -> dict[str, dict[Capture, Fraction]]:
        """Return judge -> capture -> score on a criterion, or `overall` by that judge's scores alone."""
        return {
            judge: {(row["entry"], row["configuration"]): self._of_judge(row, judge, measure) for row in self.rows}
            for judge in self.judges
        }

    def criteria_of(self, judge: str = "") -> dict[Capture, dict[str, Fraction]]:
        """Return capture -> criterion -> score of one judge, or the panel's mean for ''."""
        before = f"{judge}_" if judge else ""
        return {
            (row["entry"], row["configuration"]): {c: exact(row[f"{before}{c}"]) for c in self.criteria}
            for row in self.rows
        }

    def _of_judge(self, row: Row, judge: str, measure: str) -> Fraction:
        if measure != "overall":
            return exact(row[f"{judge}_{measure}"])
        own = {criterion: exact(row[f"{judge}_{criterion}"]) for criterion in self.criteria}
        weighted = weighted_sum(own, self.weights)
        return min(weighted, own[self.cap]) if self.cap else weighted


def scores_of(rows: Sequence[Row], protocol: Mapping, facts: Mapping) -> Scores:
    """Return the scores of a run from its ledger, protocol and facts (see run_facts)."""
    return Scores(
        rows=tuple(rows),
        judges=tuple(judge["judge"] for judge in facts["judges"]),
        weights={criterion["id"]: exact(criterion["weight"]) for criterion in protocol["criteria"]},
        cap=protocol["cap"],
        threshold=exact(protocol["failure_threshold"]),
        scale=(exact(protocol["scale"]["min"]), exact(protocol["scale"]["max"])),
        families=tuple(protocol["families"]),
        titles={configuration["id"]: configuration["title"] for configuration in facts["configurations"]},
    )


def place(row: Row) -> str:
    """Return the name of a capture in addresses: `configuration/family/id`."""
    return f"{row['configuration']}/{row['family']}/{row['id']}"
