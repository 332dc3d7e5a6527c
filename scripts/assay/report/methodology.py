"""The methodology note: by whom, when, what and how it was judged, and what was left out (Phase 7)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.embedded import DISCLAIMER
from assay.protocol import formula
from assay.report.markdown import safe, table
from assay.routes import EMBEDDED
from assay.stats import DEFINITIONS
from assay.words import counted

STATISTICS = (
    "Computed from the unrounded ledger; unrounded results are under results/tables/statistics/. The configuration "
    "summary in the paper's form holds none of them."
)
CHOICES = [
    "A verdict's number may have decimals; it is read exactly and never clamped, rescaled or defaulted.",
    "Means are exact fractions; `unrounded` values whose decimals do not end are written with 12 of them.",
    "Cost and minutes are means over the judged captures, the same rows as the ratings.",
    "A capture needs every judge's verdict; with one missing it has no score and is in no mean.",
    "The scoring date is the day on which the judge's answer was received, as stored with it (UTC).",
    "`impression` is one sentence on the whole, beside the criterion notes.",
]


def run_notes(
    intake: Mapping,
    unjudged: Sequence[Mapping[str, str]],
    baseline: str = DISCLAIMER,
    substituted: str = "A different judging panel: not the Big 1 and Big 2 of the frozen role map.",
) -> list[str]:
    """Return the sentences that every page of the run must carry: partial, baseline judges, substituted judges."""
    notes = []
    if unjudged:
        verdicts = counted(len(unjudged), "verdict")
        captures = counted(len({(row["entry"], row["configuration"]) for row in unjudged}), "capture")
        notes.append(f"Partial run: it lacks {verdicts}, and so the scores of {captures}.")
    if any(judge["route"] == EMBEDDED for judge in intake["judges"]):
        notes.append(baseline)
    if any(judge["substituted"] for judge in intake["judges"]):
        notes.append(substituted)
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

    `intake` is what run_facts returns; `answered`, `unjudged` and `checks` are the tables of these names; `versions`
    maps software to its version.
    """
    bundle = intake["bundle"]
    parts = [
        f"# {safe(bundle['title'])}: methodology note",
        *(f"**{safe(note)}**" for note in run_notes(intake, unjudged)),
        f"Run `{intake['run']}` of the bundle `{bundle['id']}`, judged by: {safe(protocol['specification'])}.",
        "## Judges",
        judges_section(intake["judges"], answered),
        "## Formula",
        f"`{formula(protocol)}`",
        "Per criterion, the score of a capture is the mean of the judges' scores.",
        "## Scored set",
        counts_section(intake, unjudged),
        *list_sections(intake, unjudged),
        "## Statistics",
        STATISTICS,
        "\n".join(f"- **{name.replace('_', ' ').capitalize()}.** {safe(said)}" for name, said in DEFINITIONS.items()),
        "## Deviations",
        deviations_section(intake),
        "## Checks of the finished run",
        checks_section(checks),
        "## Choices where the specification is silent",
        "\n".join(f"- {choice}" for choice in CHOICES),
        "## Software",
        "\n".join(f"- {name} {version}" for name, version in versions.items()),
    ]
    return "\n\n".join(parts) + "\n"


def judges_section(judges: Sequence[Mapping], answered: Sequence[Mapping[str, str]]) -> str:
    """Return who judged: the roles, the dates, and which models answered."""
    roles = [
        f"- {judge['judge']}: `{judge['model']}` of {safe(judge['provider'])} by the route {judge['route']}"
        + (f"; substituted: {safe(judge['substituted'])}" if judge["substituted"] else "")
        for judge in judges
    ]
    dates = f"Scoring date: {scoring_dates(answered)}."
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


def scoring_dates(answered: Sequence[Mapping[str, str]]) -> str:
    """Return the days on which the judges' answers were received."""
    days = [row[name] for row in answered for name in ("first_day", "last_day")]
    return _span(min(days), max(days)) if days else "nothing was scored"


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def counts_section(intake: Mapping, unjudged: Sequence[Mapping[str, str]]) -> str:
    """Return the counts of the scored set."""
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


def list_sections(intake: Mapping, unjudged: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a section for each kind of capture or entry that is not scored."""
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


def deviations_section(intake: Mapping) -> str:
    """Return what the run changes of the protocol and of the panel."""
    lines = [f"{d['name']}: {d['used']} (specified: {d['specified']})" for d in intake["deviations"]]
    lines += [f"judge {j['judge']}: {j['model']}; {j['substituted']}" for j in intake["judges"] if j["substituted"]]
    lines += [
        f"judge {j['judge']}: the embedded baseline, no model judge" for j in intake["judges"] if j["route"] == EMBEDDED
    ]
    return "\n".join(f"- {safe(line)}" for line in lines) if lines else "None."


def checks_section(checks: Sequence[Mapping[str, str]]) -> str:
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
