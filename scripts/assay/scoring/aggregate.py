"""Aggregate the ledger: one row per configuration with the statistics of Phase 6, unrounded and as published."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from assay.scoring.numbers import exact, mean, public, text

COUNTS = ["judged", "unscorable", "rejected", "shared_id", "missing", "unjudged"]


def summary_columns(criteria: Sequence[str]) -> list[str]:
    """Return the columns of summary.tsv: exact values first, then (`public_`) as the paper rounds them."""
    values = [*(f"mean_{name}" for name in ("overall", *criteria)), *("failures", "failure_rate")]
    values += ["cost_per_100_usd", "mean_minutes"]
    rounded = [f"public_{name}" for name in values if name != "failures"]
    return ["configuration", "title", *COUNTS, *values, "unknown_cost", "unknown_minutes", *rounded]


def summarise(
    rows: Sequence[Mapping[str, str]], counts: Mapping[str, int], criteria: Sequence[str], rounding: Mapping[str, int]
) -> dict[str, str]:
    """Return the statistics of one configuration (specification, Phase 6).

    `rows` are its ledger rows: only judged captures, so invalid ones are in no rate. Means are over these rows.
    Cost is the mean in US dollars times 100, minutes the mean; if one row's is unknown, so is the mean.
    failure_rate is a share of 0..1; its public form is a whole percentage.
    """
    names = ["overall", *criteria]
    values: dict[str, Fraction | None] = {f"mean_{n}": mean(exact(row[n]) for row in rows) for n in names}
    failures = sum(row["failure"] == "yes" for row in rows)
    values["failure_rate"] = Fraction(failures, len(rows)) if rows else None
    cost, minutes = known_mean(rows, "cost_usd"), known_mean(rows, "minutes")
    values["cost_per_100_usd"] = None if cost is None else 100 * cost
    values["mean_minutes"] = minutes
    result = {name: text(value) for name, value in values.items()}
    result |= {f"public_mean_{n}": public(values[f"mean_{n}"], rounding["rating"]) for n in names}
    rate = values["failure_rate"]
    result["public_failure_rate"] = public(None if rate is None else 100 * rate, rounding["failure_percent"])
    result["public_cost_per_100_usd"] = public(values["cost_per_100_usd"], rounding["cost_per_100"])
    result["public_mean_minutes"] = public(minutes, rounding["minutes"])
    result |= {name: str(counts.get(name, 0)) for name in COUNTS}
    result |= {"judged": str(len(rows)), "failures": str(failures)}
    result |= {
        f"unknown_{name}": str(sum(not row[column] for row in rows))
        for name, column in (("cost", "cost_usd"), ("minutes", "minutes"))
    }
    return result


def known_mean(rows: Sequence[Mapping[str, str]], column: str) -> Fraction | None:
    """Return the exact mean of an amount, or None if there is no row or the amount of any row is unknown."""
    if not rows or any(not row[column] for row in rows):
        return None
    return mean(exact(row[column]) for row in rows)
