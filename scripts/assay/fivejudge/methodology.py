"""The methodology note of a five-judge run: the shared sections, and what is the protocol's own."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.canonical import plain
from assay.fivejudge.baseline import DISCLAIMER
from assay.fivejudge.protocol import formula, triggers, weight_sets
from assay.report.markdown import safe, table
from assay.report.methodology import (
    checks_section,
    counts_section,
    deviations_section,
    judges_section,
    list_sections,
    run_notes,
)

CHOICES = [
    "Numbers are exact; what has no finite decimal is rounded once, half to even, to six places, where it is born.",
    "A missing verdict is never averaged away: the run stays incomplete until it is judged.",
    "A judge's packet is built from the files that its row of the visibility table allows; the others are not opened.",
    "Evidence that a model judge points to must stand in its packet, and the words of a bonus in what is pointed to; "
    "otherwise the verdict is invalid and the judge is asked again.",
    "Adjudication compares overall scores; for Integrity it compares the adjustments.",
    "A bonus or penalty that several saw counts once; a finding without evidence counts nothing.",
    "A person's review decides whether a quarantined run stands in rankings, and changes no score; a release holds "
    "only while it names every trigger that quarantines the run.",
    "Likeness leaves out every token run that stands in the starting point or in the unchanged lines of a diff.",
]


def notes(facts: Mapping[str, Any], unjudged: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the sentences that every page of the run carries."""
    return run_notes(facts, unjudged, DISCLAIMER, "A different judging panel: not the one of the frozen role map.")


def methodology(
    protocol: Mapping[str, Any],
    facts: Mapping[str, Any],
    answered: Sequence[Mapping[str, str]],
    unjudged: Sequence[Mapping[str, str]],
    checks: Sequence[Mapping[str, str]],
    software: Mapping[str, str],
    runs: Sequence[Mapping[str, Any]],
) -> str:
    """Return the methodology note as Markdown.

    `facts` are those of report.facts; `answered`, `unjudged` and `checks` the tables of these names; `software` maps
    software to its version; `runs` are those of runs.json.
    """
    bundle = facts["bundle"]
    parts = [
        f"# {safe(bundle['title'])}: methodology note",
        *(f"**{safe(note)}**" for note in notes(facts, unjudged)),
        f"Run `{facts['run']}` of the bundle `{bundle['id']}`, judged by: {safe(protocol['specification'])}.",
        "## Judges",
        "The Objective judge is deterministic: it runs no model. The others are models:",
        judges_section(facts["judges"], answered),
        "## Who sees what",
        _visibility(protocol),
        "## Formula",
        f"`{formula(protocol)}`",
        _weights(protocol),
        "## Integrity",
        _triggers(protocol),
        "## Reviews of quarantined runs",
        _reviews(runs),
        "## Disputes",
        _disputes(protocol),
        "## Scored set",
        counts_section(facts, unjudged),
        *list_sections(facts, unjudged),
        "## Deviations",
        deviations_section(facts),
        "## Checks of the finished run",
        checks_section(checks),
        "## Choices where the specification is silent",
        "\n".join(f"- {choice}" for choice in CHOICES),
        "## Software",
        "\n".join(f"- {name} {version}" for name, version in software.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _visibility(protocol: Mapping[str, Any]) -> str:
    models = [judge["id"] for judge in protocol["judges"] if judge["kind"] != "evidence"]
    rows = [
        [safe(", ".join(row["fields"])), *("yes" if model in row["judges"] else "no" for model in models)]
        for row in protocol["visibility"]
    ]
    return table(["In the packet", *(model.capitalize() for model in models)], rows)


def _weights(protocol: Mapping[str, Any]) -> str:
    sets = weight_sets(protocol)
    parts = list(dict.fromkeys(part for made in sets.values() for part in made.weights))
    rows = [
        [
            safe(name),
            *(plain(made.weights[part]) if part in made.weights else "" for part in parts),
            plain(made.calibration),
        ]
        for name, made in sets.items()
    ]
    return table(["Weight set", *(part.capitalize() for part in parts), "Calibration within"], rows)


def _triggers(protocol: Mapping[str, Any]) -> str:
    rows = [
        [
            safe(trigger.title),
            plain(trigger.points) + (f" to {plain(trigger.worst)}" if trigger.worst is not None else ""),
            trigger.severity or "bonus",
            "detector and model" if trigger.by == "both" else trigger.by,
        ]
        for trigger in triggers(protocol).values()
    ]
    values = protocol["integrity"]
    caps = f"Bonuses add up to at most +{values['bonus_cap']}, penalties to at least {values['penalty_cap']}."
    return table(["Trigger", "Points", "Severity", "Seen by"], rows) + f"\n\n{caps}"


def _reviews(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return every review with what it came to; what is still quarantined without one stands in the summary."""
    lines = []
    for one in runs:
        review = one["record"]["review"]
        if review:
            name = f"{one['capture']['entry']} by {one['capture']['configuration']}"
            seen = f"{', '.join(review['triggers'])}: {review['reason']}"
            lines.append(f"- {safe(name)}: {review['outcome']}. {safe(review['by'])} on {safe(seen)}")
    return "\n".join(lines) or "None."


def _disputes(protocol: Mapping[str, Any]) -> str:
    values = protocol["disputes"]
    return (
        f"A run is flagged when two of Process, Strategy and Recovery differ by more than {values['judges_apart']}, "
        f"when Integrity is {values['integrity_at_most']} or worse, when Strategy is over "
        f"{values['strategy_over']} while "
        f"Objective is under {values['objective_under']}, and when all three of the Strategy panel disagree. "
        "`snakemake adjudicate` buys fresh verdicts from the same packets; within "
        f"{values['first_stands_within']} of the first, the first stands. Nothing is adjudicated unasked."
    )
