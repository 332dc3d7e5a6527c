"""What people read of a five-judge run: a page for each recorded run, the summary of the agents, the disputes."""

from collections.abc import Mapping, Sequence
from os.path import relpath
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assay.fivejudge.reviews import outcome_of
from assay.fivejudge.tables import number
from assay.report.markdown import safe, table
from assay.scoring.numbers import exact, public

_PLACES = {"event": "telemetry.jsonl", "sandbox": "sandbox.jsonl", "hunk": "changes.diff", "security": "security.sarif"}
_ADDED = {
    "calibration": "Calibration",
    "anchor": "Anchor",
    "integrity_bonus": "Integrity: bonus, capped",
    "integrity_penalty": "Integrity: penalty, capped",
    "clamp": "Kept within 0 to 100",
}


class Links:
    """Links from one run's page to the files of the run and of the results, relative to the page's folder."""

    def __init__(self, folder: Path, page: Path) -> None:
        self.folder, self.page = folder, page

    def to(self, path: Path, text: str, mark: str = "") -> str:
        """Return a link to a file."""
        return f"[{safe(text)}]({quote(relpath(path, self.page.parent))}{mark})"

    def evidence(self, reference: str) -> str:
        """Return a link to where a reference stands, with its line where the reference says it."""
        kind, _, rest = reference.partition(":")
        if kind == "line":
            name, _, line = rest.rpartition(":")
            return self.to(self.folder / name, reference, f"#L{line}")
        if kind == "test":
            return self.to(self.folder / "tests" / f"{rest.partition(':')[0]}.xml", reference)
        return self.to(self.folder / _PLACES[kind], reference, f"#L{rest}" if kind == "sandbox" else "")

    def all(self, references: Sequence[str]) -> str:
        """Return links to all references."""
        return ", ".join(map(self.evidence, references)) or "none"


def run_page(
    capture: Mapping[str, str],
    record: Mapping[str, Any],
    documents: Mapping[str, Mapping[str, Any]],
    titles: Mapping[str, str],
    links: Links,
    notes: Sequence[str],
) -> str:
    """Return the breakdown of one run as Markdown.

    `documents` holds `objective`, `detected` and every judge's verdict (first or fresh, as it counts); `titles` are the
    names of entry and agent; `notes` stand above everything.
    """
    name = f"{titles['entry']} by {titles['agent']}"
    parts = [
        f"# {safe(name)}: breakdown",
        *(f"**{safe(note)}**" for note in notes),
        _verdict(record),
        f"![Timeline of the session]({quote(capture['id'])}.svg)",
        "## Every addend",
        _addends(record),
        "## Objective",
        _objective(documents["objective"], links),
        "## Metrics",
        _metrics(documents["detected"]["metrics"]),
        *_judges(documents, links),
        "## Strategy panel",
        safe(record["panel"]["text"]) + _flags(record["panel"]["flags"]),
        "## Integrity",
        _integrity(record["integrity"], links),
        "## Disputes",
        _disputes(record),
        *_left(documents["detected"]["notes"]),
    ]
    return "\n\n".join(parts) + "\n"


def _verdict(record: Mapping[str, Any]) -> str:
    final = "no score" if record["final"] is None else f"{number(record['final'])} of 100"
    reason = f" ({safe(record['reason'])})" if record["reason"] else ""
    return f"Final: **{final}**. State: **{record['state']}**{reason}. Weight set: {safe(record['weight_set'])}."


def _addends(record: Mapping[str, Any]) -> str:
    if not record["addends"]:
        return "None: the run has no composite."
    rows = [
        [
            _ADDED.get(one["id"], one["id"].capitalize()),
            number(one["score"]),
            f"{number(one['weight'])} %" if one["weight"] is not None else "",
            number(one["points"]),
            safe(one["text"]),
        ]
        for one in record["addends"]
    ]
    rows.append(["**Final**", "", "", f"**{number(record['final'])}**", ""])
    return table(["Addend", "Score", "Weight", "Points", "Why"], rows)


def _objective(document: Mapping[str, Any], links: Links) -> str:
    bundle = document["bundle"]
    addends = [[safe(one["id"]), number(one["points"]), safe(one["text"])] for one in bundle["addends"]]
    score = "unscorable" if document["score"] is None else number(document["score"])
    tests = [
        [links.evidence(row["ref"]), row["level"], str(row["weight"]), row["result"], safe(row["note"])]
        for suite in ("static", "hidden")
        for row in bundle["suites"][suite]
    ]
    failed = [f"- {links.evidence(row['ref'])}: {safe(row['message'])}" for row in _failed(bundle)]
    return "\n\n".join(
        [
            f"Score: **{score}**. Anchor rule: {'active' if document['anchor'] else 'not active'}.",
            table(["Addend", "Points", "Why"], addends) if addends else "No addends.",
            table(["Test", "Level", "Weight", "Result", "Note"], tests) if tests else "No tests.",
            *(["Failures:\n\n" + "\n".join(failed)] if failed else []),
            *(["Notes:\n\n" + "\n".join(f"- {safe(note)}" for note in bundle["notes"])] if bundle["notes"] else []),
        ]
    )


def _failed(bundle: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for suite in ("static", "hidden") for row in bundle["suites"][suite] if row["result"] == "failed"]


def _metrics(rows: Sequence[Mapping[str, Any]]) -> str:
    words = {True: "yes", False: "no", None: ""}
    body = [
        [
            safe(row["title"]),
            number(row["value"]) or f"none: {safe(row['reason'])}",
            safe(row["unit"]),
            safe(row["good"]),
            words[row["in_range"]],
        ]
        for row in rows
    ]
    return table(["Metric", "Value", "Unit", "Good", "In range"], body)


def _judges(documents: Mapping[str, Mapping[str, Any]], links: Links) -> list[str]:
    parts = []
    for judge, document in documents.items():
        if judge in ("objective", "detected"):
            continue
        parts.append(f"## Judge {judge}")
        if "rationale" not in document:
            parts.append(f"No verdict ({document['state']}): {safe(document['reason'])}")
            continue
        head = f"{safe(document['judge_model'])} by the route {document['route']}; "
        where = Path("results/verdicts", document["configuration"], *document["entry"].split(":"), f"{judge}.json")
        head += links.to(where, "first verdict")
        if "scores" in document:
            cells = [[safe(name), number(score)] for name, score in document["scores"].items()]
            parts += [head, table(["Criterion", "Score"], [*cells, ["**Overall**", number(document["overall"])]])]
            parts += [safe(document["rationale"]), "Evidence: " + links.all(document["evidence"])]
        else:
            parts += [head, safe(document["rationale"])]
    return parts


def _flags(flags: Sequence[str]) -> str:
    return f" Flags: {', '.join(flags)}." if flags else ""


def _integrity(integrity: Mapping[str, Any] | None, links: Links) -> str:
    if integrity is None:
        return "No verdict of the integrity judge yet."
    rows = [
        [
            safe(row["title"]),
            number(row["points"]),
            row["severity"] or "bonus",
            ", ".join(row["sources"]),
            links.all(row["evidence"]) if row["evidence"] else "",
            safe("; ".join([*row["words"], *([row["reason"]] if row["reason"] else [])])),
        ]
        for row in integrity["rows"]
        if row["sources"]
    ]
    bonus, penalty = (f"{number(integrity[n])} (before the caps {number(integrity[f'{n}_uncapped'])})" for n in _SIGNS)
    head = (
        f"Adjustment: **{number(integrity['adjustment'])}** = bonus {bonus} + penalty {penalty}. "
        f"State: {integrity['state']}. It is added to the quality score, never averaged into it."
    )
    if not rows:
        return f"{head}\n\nNo trigger was seen."
    return head + "\n\n" + table(["Trigger", "Points", "Severity", "Seen by", "Evidence", "Words"], rows)


_SIGNS = ("bonus", "penalty")


def _disputes(record: Mapping[str, Any]) -> str:
    lines = [f"- {safe(one['reason'])}" for one in record["disputes"]]
    lines += [
        f"- {one['judge']}: first {number(one['first'])}, fresh {number(one['fresh'])}: "
        f"{one['outcome'].replace('_', ' ')}; {number(one['score'])} counts"
        for one in record["settlements"]
    ]
    return "\n".join(lines) or "None."


def _left(notes: Sequence[str]) -> list[str]:
    return ["## What the run folder does not hold", "\n".join(f"- {safe(note)}" for note in notes)] if notes else []


def summary_page(
    title: str, notes: Sequence[str], agents: Sequence[Mapping[str, str]], runs: Sequence[Mapping[str, Any]]
) -> str:
    """Return the summary: agents by rank with their spread, all runs with links, quarantined runs apart.

    `runs` are those of runs.json.
    """
    columns = ["Rank", "Agent", "Mean", "Min", "Max", "SD", "Objective", "Process", "Strategy", "Recovery", "Integrity"]
    names = ("final_mean", "final_min", "final_max", "final_sd")
    names += tuple(f"{part}_mean" for part in ("objective", "process", "strategy", "recovery", "integrity"))
    body = [
        [row["rank"], safe(row["title"]), *(_short(row[name]) for name in names), row["ranked"], row["quarantined"]]
        for row in sorted(agents, key=lambda row: (not row["rank"], int(row["rank"] or 0), row["configuration"]))
    ]
    apart = [one for one in runs if one["record"]["state"] == "quarantined"]
    unfinished = [one for one in runs if one["record"]["state"] in ("incomplete", "unscorable")]
    parts = [
        f"# {safe(title)}: agents",
        *(f"**{safe(note)}**" for note in notes),
        table([*columns, "Ranked runs", "Quarantined"], body),
        LEGEND,
        "## Runs",
        _runs([one for one in runs if one["record"]["state"] == "scored"]),
        "## Quarantined runs",
        "Shown with their score, and left out of every rank, mean and spread until a person has reviewed them and "
        "released them (`reviews` in config.yaml).",
        _runs(apart),
        *(["## Runs without a score", _runs(unfinished)] if unfinished else []),
        "## Disputes",
        _queue(runs),
    ]
    return "\n\n".join(parts) + "\n"


LEGEND = (
    "Scores are 0 to 100; Integrity is the mean adjustment (-25 to +10). SD is the sample standard deviation over an "
    "agent's ranked runs, empty for one run. Two decimals here; unrounded values: summary.csv and ledger.csv. How it "
    "was judged: methodology.md."
)


def _short(value: str) -> str:
    return public(exact(value), 2) if value else ""


def _runs(runs: Sequence[Mapping[str, Any]]) -> str:
    if not runs:
        return "None."
    body = []
    for one in runs:
        capture, record, integrity = one["capture"], one["record"], one["record"]["integrity"] or {}
        place = f"runs/{capture['configuration']}/{capture['family']}/{capture['id']}.md"
        name = f"[{safe(capture['entry'])} by {safe(capture['configuration'])}]({quote(place)})"
        scores = [record["scores"][judge] for judge in ("process", "strategy", "recovery")]
        numbers = [record["final"], record["objective"], *scores, integrity.get("adjustment")]
        flag = ", ".join(filter(None, (integrity.get("state", ""), outcome_of(record))))
        body.append([name, *map(number, numbers), flag])
    return table(["Run", "Final", "Objective", "Process", "Strategy", "Recovery", "Integrity", "Flag"], body)


def _queue(runs: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for one in runs:
        done = {s["judge"]: s["outcome"].replace("_", " ") for s in one["record"]["settlements"]}
        for dispute in one["record"]["disputes"]:
            state = ", ".join(f"{judge}: {done[judge]}" for judge in dispute["judges"] if judge in done) or "open"
            name = f"{one['capture']['entry']} by {one['capture']['configuration']}"
            lines.append(f"- {safe(name)}: {safe(dispute['reason'])} ({state})")
    return "\n".join(lines) or "None."
