"""The methodology note: by whom, when, what and how it was judged, and what was left out (Phase 7)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.embedded import DISCLAIMER, EMBEDDED
from assay.protocol import formula
from assay.report.markdown import safe, table

CHOICES = [
    "A verdict's number may have decimals; it is read exactly and never clamped, rescaled or defaulted.",
    "Means are exact fractions; `unrounded` values whose decimals do not end are written with 12 of them.",
    "Cost and minutes are means over the judged captures, the same rows as the ratings.",
    "A capture needs every judge's verdict; with one missing it has no score and is in no mean.",
    "The scoring date is the day on which the judge's answer was received, as stored with it (UTC).",
    "`impression` is one sentence on the whole, beside the criterion notes.",
]


def run_notes(intake: Mapping, unjudged: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the sentences that every page of the run must carry: partial, baseline judges, substituted judges."""
    notes = []
    if unjudged:
        captures = len({(row["entry"], row["configuration"]) for row in unjudged})
        notes.append(f"Partial run: {len(unjudged)} verdicts are missing, so {captures} captures have no score.")
    if any(judge["route"] == EMBEDDED for judge in intake["judges"]):
        notes.append(DISCLAIMER)
    if any(judge["substituted"] for judge in intake["judges"]):
        notes.append("A different judging panel: not the Big 1 and Big 2 of the frozen role map.")
    return notes


def methodology(
    protocol: Mapping,
    intake: Mapping,
    answered: Sequence[Mapping[str, str]],
    unjudged: Sequence[Mapping[str, str]],
    checks: Sequence[Mapping[str, str]],
    versions: Mapping[str, str],
) -> str:
    """Return the methodology note as Markdown.

    `intake` is intake.json; `answered`, `unjudged` and `checks` are the tables of these names; `versions` maps
    software to its version.
    """
    bundle = intake["bundle"]
    parts = [
        f"# {safe(bundle['title'])}: methodology note",
        *(f"**{safe(note)}**" for note in run_notes(intake, unjudged)),
        f"Run `{intake['run']}` of the bundle `{bundle['id']}`, judged by: {safe(protocol['specification'])}.",
        "## Judges",
        _judges(intake["judges"], answered),
        "## Formula",
        f"`{formula(protocol)}`",
        "Per criterion, the score of a capture is the mean of the judges' scores.",
        "## Scored set",
        _counts(intake, unjudged),
        *_lists(intake, unjudged),
        "## Deviations",
        _deviations(intake),
        "## Checks of the finished run",
        _checks(checks),
        "## Choices where the specification is silent",
        "\n".join(f"- {choice}" for choice in CHOICES),
        "## Software",
        "\n".join(f"- {name} {version}" for name, version in versions.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _judges(judges: Sequence[Mapping], answered: Sequence[Mapping[str, str]]) -> str:
    roles = [
        f"- {judge['judge']}: `{judge['model']}` of {safe(judge['provider'])} by the route {judge['route']}"
        + (f"; substituted: {safe(judge['substituted'])}" if judge["substituted"] else "")
        for judge in judges
    ]
    days = [row[name] for row in answered for name in ("first_day", "last_day")]
    dates = f"Scoring date: {_span(min(days), max(days))}." if days else "Scoring date: nothing was scored."
    columns = ["Judge", "Model as answered", "Provider", "Fingerprint", "Verdicts", "Dates", "Asked again", "Repaired"]
    body = [
        [
            row["judge"],
            safe(row["model_answered"]),
            safe(row["provider"] or "not said"),
            safe(row["fingerprint"] or "not said"),
            row["verdicts"],
            _span(row["first_day"], row["last_day"]),
            row["asked_again"],
            row["repaired"],
        ]
        for row in answered
    ]
    several = [judge for judge, count in Counter(row["judge"] for row in answered).items() if count > 1]
    warning = [f"**More than one snapshot answered for: {', '.join(several)}.**"] if several else []
    return "\n\n".join(["\n".join(roles), dates, table(columns, body), *warning])


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def _counts(intake: Mapping, unjudged: Sequence[Mapping[str, str]]) -> str:
    kinds = Counter(aside["kind"] for aside in intake["aside"])
    lost = len({(row["entry"], row["configuration"]) for row in unjudged})
    scored = {capture["entry"] for capture in intake["scored"]}
    lines = [
        f"{intake['entries']} entries x {len(intake['configurations'])} configurations = "
        f"{intake['possible']} possible captures",
        f"{intake['possible'] - len(intake['missing'])} captures held, {len(intake['missing'])} not held",
        f"{kinds['rejected']} rejected by the capture run, {kinds['unscorable']} of entries without a specification, "
        f"{kinds['shared-id']} of entries excluded for a shared id",
        f"{len(intake['scored']) - lost} captures scored, of {len(scored)} scored entries",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _lists(intake: Mapping, unjudged: Sequence[Mapping[str, str]]) -> list[str]:
    aside = {kind: [a for a in intake["aside"] if a["kind"] == kind] for kind in ("rejected", "shared-id")}
    sections = {
        "Captures not held": [f"{entry} by {configuration}" for entry, configuration in intake["missing"]],
        "Rejected captures (capture audit; in no rate)": [_aside(a) for a in aside["rejected"]],
        "Unscorable entries": [f"{key}: no specification text" for key in intake["unscorable_entries"]],
        "Excluded entries (shared ids)": [
            f"{k}: counts once, as {kept}" for k, kept in intake["excluded_entries"].items()
        ],
        "Captures of excluded entries": [_aside(a) for a in aside["shared-id"]],
        "Missing verdicts": [
            f"{row['entry']} by {row['configuration']}, {row['judge']}: {row['state']}: {row['reason']}"
            for row in unjudged
        ],
    }
    return [
        f"### {title}\n\n" + ("\n".join(f"- {safe(item)}" for item in items) if items else "None.")
        for title, items in sections.items()
    ]


def _aside(aside: Mapping[str, str]) -> str:
    return f"{aside['entry']} by {aside['configuration']}: {aside['reason']}"


def _deviations(intake: Mapping) -> str:
    lines = [f"{d['name']}: {d['used']} (specified: {d['specified']})" for d in intake["deviations"]]
    lines += [f"judge {j['judge']}: {j['model']}; {j['substituted']}" for j in intake["judges"] if j["substituted"]]
    lines += [
        f"judge {j['judge']}: the embedded baseline, no model judge" for j in intake["judges"] if j["route"] == EMBEDDED
    ]
    return "\n".join(f"- {safe(line)}" for line in lines) if lines else "None."


def _checks(checks: Sequence[Mapping[str, str]]) -> str:
    body = [
        [
            safe(row["title"]),
            row["result"] if row["result"] == "pass" else f"**{row['result']}**",
            f"{row['looked_at']} {row['unit']}",
            f"{row['findings']}: {safe(row['first_finding'])}" if row["first_finding"] else "none",
        ]
        for row in checks
    ]
    return table(["Failure mode", "Result", "Looked at", "Findings"], body)
