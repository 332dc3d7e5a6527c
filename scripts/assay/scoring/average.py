"""Average the judges: one row per capture, per criterion the mean over the panel (specification, Phase 3)."""

from collections.abc import Mapping, Sequence

from assay.canonical import plain
from assay.scoring.numbers import exact, mean, text
from assay.words import counted

KEYS = ["entry", "family", "id", "configuration"]
ANSWERED_COLUMNS = [
    *("judge", "route", "model", "model_answered", "provider", "fingerprint"),
    *("verdicts", "first_day", "last_day", "repaired", "asked_again", "cost_usd", "unknown_cost"),
]
UNJUDGED_COLUMNS = ["entry", "configuration", "judge", "state", "reason"]
CARRIED = ["flags", "cost_usd", "minutes", "answer_characters"]


def averaged_columns(judges: Sequence[str], criteria: Sequence[str]) -> list[str]:
    """Return the columns of averaged.tsv: the capture, every judge's scores, their means, and the judges' words."""
    scores = [f"{judge}_{criterion}" for judge in judges for criterion in criteria]
    notes = [name for judge in judges for name in (*(f"{judge}_note_{c}" for c in criteria), f"{judge}_impression")]
    exchanges = [f"{judge}_exchange" for judge in judges]
    return [*KEYS, *scores, *criteria, *CARRIED, *notes, "packet_sha256", *exchanges]


def unjudged(capture: Mapping, verdicts: Mapping[str, Mapping]) -> list[dict[str, str]]:
    """Return a row (UNJUDGED_COLUMNS) for each judge whose verdict of this capture could not be had."""
    return [
        {
            "entry": capture["entry"],
            "configuration": capture["configuration"],
            "judge": judge,
            "state": verdict["state"],
            "reason": verdict["reason"],
        }
        for judge, verdict in verdicts.items()
        if verdict["format"] == "assay-no-verdict-1"
    ]


def refusal(missing: Sequence[Mapping[str, str]]) -> str:
    """Say which verdicts are missing (rows of `unjudged`), and what to do."""
    named = "\n".join(f"  {row['entry']} by {row['configuration']}, {row['judge']}: {row['reason']}" for row in missing)
    return (
        f"There are no tables, since the run lacks {counted(len(missing), 'verdict')}:\n{named}\n"
        "Run again to ask for them, or set allow_partial: true to have tables without these captures."
    )


def answered(verdicts: Sequence[Mapping]) -> list[dict[str, str]]:
    """Return a row (ANSWERED_COLUMNS) for each model, as it named itself, that gave verdicts.

    Several rows of one judge mean that several snapshots answered. cost_usd sums the known costs (US dollars);
    unknown_cost counts the verdicts without one.
    """
    groups: dict[tuple[str, ...], list[Mapping]] = {}
    names = ANSWERED_COLUMNS[:6]
    for verdict in verdicts:
        key = (verdict["judge"], verdict["route"], verdict["judge_model"], *(verdict[name] for name in names[3:]))
        groups.setdefault(key, []).append(verdict)
    return [{**dict(zip(names, key, strict=True)), **_answered(group)} for key, group in sorted(groups.items())]


def _answered(group: Sequence[Mapping]) -> dict[str, str]:
    known = [exact(plain_number(v["cost_usd"])) for v in group if v["cost_usd"] is not None]
    return {
        "verdicts": str(len(group)),
        "first_day": min(v["judged_on"] for v in group),
        "last_day": max(v["judged_on"] for v in group),
        "repaired": str(sum(bool(v["repairs"]) for v in group)),
        "asked_again": str(sum(v["asks"] > 1 for v in group)),
        "cost_usd": text(sum(known, start=exact("0"))),
        "unknown_cost": str(len(group) - len(known)),
    }


def average(capture: Mapping, verdicts: Mapping[str, Mapping], judges: Sequence[str], criteria: Sequence[str]) -> dict:
    """Return the row of one capture.

    `capture` is its record in intake.json; `verdicts` maps every judge of the panel to its verdict. The mean is
    exact: with two judges, no digit is lost.
    """
    row = {name: capture[name] for name in (*KEYS, *CARRIED)}
    for judge in judges:
        verdict = verdicts[judge]
        row.update({f"{judge}_{c}": plain_number(verdict["scores"][c]) for c in criteria})
        row.update({f"{judge}_note_{c}": verdict["notes"][c] for c in criteria})
        row[f"{judge}_impression"] = verdict["impression"]
        row[f"{judge}_exchange"] = verdict["exchange"]
    row.update({c: text(mean(exact(row[f"{judge}_{c}"]) for judge in judges)) for c in criteria})
    row["packet_sha256"] = verdicts[judges[0]]["packet_sha256"]
    return row


def plain_number(value: object) -> str:
    """Write a score as read from a verdict (int or Decimal) as plain decimal text."""
    return str(value) if isinstance(value, int) else plain(value)
