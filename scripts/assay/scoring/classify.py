"""Classify failures: a scored capture fails when its Overall is under the threshold (specification, Phase 5)."""

from collections.abc import Mapping, Sequence

from assay.scoring.cap import ADDED
from assay.scoring.numbers import exact


def classify(row: Mapping[str, str], threshold: str) -> dict[str, str]:
    """Return `row` with failure = yes when overall < threshold, strictly: exactly the threshold is no failure."""
    return {**row, "failure": "yes" if exact(row["overall"]) < exact(threshold) else "no"}


def ledger_columns(scored: Sequence[str], criteria: Sequence[str]) -> list[str]:
    """Return the columns of the ledger: those of scored.tsv with the scores of Phases 4 and 5 behind the means."""
    columns = [column for column in scored if column not in ADDED]
    after = columns.index(criteria[-1]) + 1
    return [*columns[:after], *ADDED, "failure", *columns[after:]]
