"""The tables of a run of the five-judge protocol: ledger, agents with their spread, quarantined runs, disputes."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from typing import Any

from assay.canonical import plain
from assay.fivejudge.exact import rounded
from assay.fivejudge.reviews import outcome_of, quarantining

KEYS = ["entry", "family", "id", "configuration"]
PARTS = ("objective", "process", "strategy", "recovery", "efficiency")
ADJUSTMENTS = ("calibration", "anchor", "integrity_bonus", "integrity_penalty", "clamp")
SPREAD = ("mean", "min", "max", "sd")
QUARANTINED = ["entry", "configuration", "final", "trigger", "points", "sources", "evidence", "words", "review"]
DISPUTES = ["entry", "configuration", "rule", "reason", "judges", "state", "first", "fresh", "counted"]
COUNTS = ["runs", "ranked", "quarantined", "incomplete", "unscorable", "rejected", "missing", "human_review"]
Row = dict[str, str]


def number(value: Decimal | int | None) -> str:
    """Write an exact number for a table, '' for None."""
    return "" if value is None else plain(Decimal(value))


def ledger_columns(panel: Sequence[str], judges: Sequence[str]) -> list[str]:
    """Return the columns of the ledger: every addend with its score and weight, then where each came from.

    `panel` are the roles of the Strategy panel, `judges` all model judges.
    """
    weighed = [f"{part}_{what}" for part in PARTS for what in ("score", "weight", "points")]
    return [
        *(*KEYS, "state", "final", "weighted", "anchored", "anchor_active", "weight_set"),
        *weighed,
        *(f"{name}_points" for name in ADJUSTMENTS),
        *("integrity_adjustment", "integrity_bonus_uncapped", "integrity_penalty_uncapped", "integrity_state"),
        *("triggers", "panel_case", "panel_dropped", "panel_flags", *panel),
        *("disputes", "adjudication", "review", "reason", "cost_usd", "minutes"),
        *(f"{judge}_exchange" for judge in judges),
    ]


def ledger_row(capture: Mapping[str, str], record: Mapping[str, Any], overall: Mapping, exchanges: Mapping) -> Row:
    """Return the ledger's row of one run.

    `capture` is its part of intake.json, `overall` the panel's scores by role, `exchanges` the exchange by judge.
    """
    addends = {addend["id"]: addend for addend in record["addends"]}
    integrity = record["integrity"] or {}
    row = {name: capture[name] for name in (*KEYS, "cost_usd", "minutes")}
    row |= {name: number(record[name]) for name in ("final", "weighted", "anchored")}
    row |= {name: record[name] for name in ("state", "reason", "weight_set")}
    row["anchor_active"] = "yes" if record["anchor_active"] else "no"
    for part in PARTS:
        for what in ("score", "weight", "points"):
            row[f"{part}_{what}"] = number(addends[part][what]) if part in addends else ""
    if not addends:
        row |= {f"{part}_score": number(score) for part, score in record["scores"].items()}
        row["objective_score"] = number(record["objective"])
    row |= {f"{name}_points": number(addends[name]["points"]) if name in addends else "" for name in ADJUSTMENTS}
    row["integrity_adjustment"] = number(integrity.get("adjustment"))
    row["integrity_bonus_uncapped"] = number(integrity.get("bonus_uncapped"))
    row["integrity_penalty_uncapped"] = number(integrity.get("penalty_uncapped"))
    row["integrity_state"] = integrity.get("state", "")
    row["triggers"] = " ".join(f"{one['trigger']}:{number(one['points'])}" for one in _used(integrity))
    row["panel_case"] = str(record["panel"]["case"])
    row["panel_dropped"], row["panel_flags"] = record["panel"]["dropped"], " ".join(record["panel"]["flags"])
    row |= {role: number(score) for role, score in overall.items()}
    row["disputes"] = " ".join(dispute["rule"] for dispute in record["disputes"])
    row["adjudication"] = " ".join(f"{one['judge']}:{one['outcome']}" for one in record["settlements"])
    row["review"] = outcome_of(record)
    return row | {f"{judge}_exchange": exchange for judge, exchange in exchanges.items()}


def _used(integrity: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for row in integrity.get("rows", ()) if row["points"]]


def agents_columns() -> list[str]:
    """Return the columns of the agents' table: counts, and mean, min, max and SD of final and of every judge."""
    values = [f"{name}_{what}" for name in ("final", *PARTS[:4], "integrity") for what in SPREAD]
    return ["rank", "configuration", "title", *COUNTS, *values]


def agent_row(rows: Sequence[Mapping[str, str]], counts: Mapping[str, int]) -> Row:
    """Return the statistics of one agent over its ledger `rows`; only runs that may be ranked are in them.

    The mean is exact to six places; SD is the sample standard deviation (divisor n - 1), empty for one run.
    """
    states = [row["state"] for row in rows]
    ranked = [row for row in rows if row["state"] == "scored"]
    row = {name: str(counts.get(name, states.count(name))) for name in COUNTS}
    row |= {"runs": str(len(rows)), "ranked": str(len(ranked))}
    row["human_review"] = str(sum("human_review" in one["adjudication"] for one in rows))
    columns = {"final": "final", "integrity": "integrity_adjustment"} | {p: f"{p}_score" for p in PARTS[:4]}
    for name, column in columns.items():
        values = [Decimal(one[column]) for one in ranked]
        row |= {f"{name}_{what}": number(value) for what, value in zip(SPREAD, spread(values), strict=True)}
    return row


def spread(values: Sequence[Decimal]) -> tuple[Decimal | None, ...]:
    """Return mean, smallest, largest and sample standard deviation; None where there are too few values."""
    if not values:
        return None, None, None, None
    mean = sum(map(Fraction, values), Fraction(0)) / len(values)
    deviation = None
    if len(values) > 1:
        variance = sum((Fraction(value) - mean) ** 2 for value in values) / (len(values) - 1)
        deviation = _root(variance)
    return rounded(mean), min(values), max(values), deviation


def _root(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        context.rounding = ROUND_HALF_EVEN
        root = (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()
    return rounded(root)


def ranked(agents: Iterable[Row]) -> list[Row]:
    """Return the agents' rows with `rank` filled in (1 = highest mean; equal means share a rank; none without a
    run to rank), in the order given."""
    rows = list(agents)
    means = [Decimal(row["final_mean"]) if row["final_mean"] else None for row in rows]
    order = sorted((mean for mean in means if mean is not None), reverse=True)
    ranks = ["" if mean is None else str(order.index(mean) + 1) for mean in means]
    return [{**row, "rank": rank} for row, rank in zip(rows, ranks, strict=True)]


def quarantined_rows(capture: Mapping[str, str], record: Mapping[str, Any]) -> list[Row]:
    """Return a row for each quarantine trigger of one run: points, who saw it, the evidence, what a review came to."""
    if record["final"] is None:
        return []
    return [
        {
            "entry": capture["entry"],
            "configuration": capture["configuration"],
            "final": number(record["final"]),
            "trigger": row["trigger"],
            "points": number(row["points"]),
            "sources": " ".join(row["sources"]),
            "evidence": " ".join(row["evidence"]),
            "words": "; ".join(row["words"]),
            "review": outcome_of(record),
        }
        for row in quarantining(record)
    ]


def dispute_rows(capture: Mapping[str, str], record: Mapping[str, Any]) -> list[Row]:
    """Return the queue's rows of one run: each reason, and what became of it (`open` until it is adjudicated)."""
    settled = {one["judge"]: one for one in record["settlements"]}
    rows = []
    for dispute in record["disputes"]:
        mine = [settled[judge] for judge in dispute["judges"] if judge in settled]
        row = {
            "entry": capture["entry"],
            "configuration": capture["configuration"],
            "rule": dispute["rule"],
            "reason": dispute["reason"],
            "judges": " ".join(dispute["judges"]),
            "state": " ".join(one["outcome"] for one in mine) or "open",
        }
        row |= {new: " ".join(number(one[old]) for one in mine) for new, old in _SETTLED.items()}
        rows.append(row)
    return rows


_SETTLED = {"first": "first", "fresh": "fresh", "counted": "score"}
