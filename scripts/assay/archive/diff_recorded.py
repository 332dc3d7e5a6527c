"""What differs between two finished runs of the five-judge protocol, and why.

A reason is a part of the evidence (a file or folder of the run's folder, such as telemetry.jsonl or tests), `challenge`
(the entry's own files), `review` (of a quarantined run), `sheet`, `protocol`, `judge` (another judge, or another answer
of the same) or `captures`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.archive.diff_rows import (
    Finished,
    Key,
    Row,
    by_configuration,
    capture_name,
    cells,
    changed_keys,
    judge_rows,
    one_line,
    order_row,
    other_captures,
    read_parts,
    row,
    state_row,
)
from assay.canonical import sha256
from assay.files import read_json
from assay.report.scores import place

# What of a verdict does not say what the judge said: who was asked, how, and at what price.
_ABOUT = {"asks", "configuration", "cost_usd", "entry", "exchange", "fingerprint", "format", "judge", "judge_model"}
_ABOUT |= {"judged_on", "packet_sha256", "provider", "repairs", "route", "usage"}
_SCORES = ("state", "final", "weighted", "anchor_active", "weight_set", "objective_score", "process_score")
_SCORES += ("strategy_score", "recovery_score", "integrity_adjustment", "integrity_state", "triggers", "panel_dropped")
_SCORES += ("disputes", "adjudication", "review", "cost_usd", "minutes")
_FOUND = ("objective", "detected")
_FROM_SHEETS = ("cost_usd", "minutes")
_FROM_REVIEWS = ("state", "review")
# The judge on whose verdicts a column of the ledger rests; all others rest on the whole row.
_RESTS_ON = {"process_score": "process", "recovery_score": "recovery", "strategy_score": "strategy"}
_RESTS_ON |= {"panel_dropped": "strategy"}


@dataclass(frozen=True)
class Snapshot(Finished):
    """A finished run as it is compared.

    `protocol`: its values by their dotted paths; `evidence`: of every scored capture the SHA-256 of each file of its
    run folder; `found`: that of what follows from the evidence without a model (Objective, detectors).
    """

    protocol: Mapping
    evidence: Mapping[Key, Mapping[str, str]]
    found: Mapping[Key, Mapping[str, str]]


def read_snapshot(folder: Path, protocol: Mapping, judges: Mapping[str, Mapping], intake: Mapping) -> Snapshot:
    """Read the finished run in a folder. Raises UserError where a file is missing."""
    parts, evidence, found = read_parts(folder, judges, intake), {}, {}
    for capture in intake["scored"]:
        key = (capture["entry"], capture["configuration"])
        where = place(capture)
        evidence[key] = _files(folder / capture["run"])
        found[key] = {what: sha256(read_json(folder / f"results/{what}/{where}.json")) for what in _FOUND}
        again = {judge: folder / f"results/adjudication/{where}/{judge}.json" for judge in judges}
        fresh = {f"{judge}, asked again": read_json(path) for judge, path in again.items() if path.is_file()}
        parts["verdicts"][key] |= fresh
    return Snapshot(protocol=_leaves(protocol), evidence=evidence, found=found, **parts)


def _files(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, by its name there."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()) for path in paths}


def compare(before: Snapshot, after: Snapshot) -> list[Row]:
    """Return every difference as a row (diff_rows.COLUMNS), kind by kind; no row = nothing differs."""
    rows = [*_protocol_rows(before, after), *judge_rows(before.judges, after.judges), *_capture_rows(before, after)]
    both = sorted(before.evidence.keys() & after.evidence.keys())
    causes = {key: _causes(before, after, key) for key in both}
    verdicts = {key: list(_verdict_rows(before, after, key, causes[key])) for key in both}
    scores = {key: list(_score_rows(before, after, key, causes[key], verdicts[key])) for key in both}
    for part in (verdicts, scores):
        rows += [found for key in both for found in part[key]]
    return rows + list(_conclusion_rows(before, after, scores))


def _protocol_rows(before: Snapshot, after: Snapshot) -> Iterator[Row]:
    a, b = before.protocol, after.protocol
    for name in changed_keys(a, b):
        yield row("protocol", "", name, one_line(a.get(name, "none")), one_line(b.get(name, "none")))


def _leaves(value: object, path: str = "") -> dict[str, object]:
    """Return every value in nested mappings, by its dotted path."""
    if not isinstance(value, Mapping):
        return {path: value}
    parts = (_leaves(part, f"{path}.{name}" if path else str(name)) for name, part in value.items())
    return {name: leaf for part in parts for name, leaf in part.items()}


def _capture_rows(before: Snapshot, after: Snapshot) -> Iterator[Row]:
    for key in by_configuration(before.captures.keys() | after.captures.keys()):
        yield from state_row(before.captures, after.captures, key)
        if key in before.evidence and key in after.evidence:
            a, b = before.evidence[key], after.evidence[key]
            for file in changed_keys(a, b):
                yield row("capture", capture_name(key), file, *(run.get(file, "none")[:12] for run in (a, b)))


def _causes(before: Snapshot, after: Snapshot, key: Key) -> list[str]:
    """Return why what is derived from a capture's evidence may differ: its files, the protocol, else its challenge."""
    files = changed_keys(before.evidence[key], after.evidence[key])
    found = list(dict.fromkeys(file.partition("/")[0] for file in files))
    if changed_keys(before.protocol, after.protocol):
        found.append("protocol")
    return found or ["challenge"]


def _verdict_rows(before: Snapshot, after: Snapshot, key: Key, causes: Sequence[str]) -> Iterator[Row]:
    a, b = before.verdicts[key], after.verdicts[key]
    for judge in sorted(a.keys() | b.keys()):
        one, other = (_said(run.get(judge, {})) for run in (a, b))
        why = _verdict_causes(before, after, key, causes, judge)
        for what in changed_keys(one, other):
            shown = [one_line(said.get(what, "nothing")) for said in (one, other)]
            yield row("verdict", f"{capture_name(key)}, {judge}", what, *shown, why)


def _said(verdict: Mapping) -> dict[str, object]:
    """Return what a judge said, or why there is no verdict: text by its hash, the rest part by part."""
    kept = _leaves({name: value for name, value in verdict.items() if name not in _ABOUT})
    return {name: sha256(value)[:12] if name == "rationale" else value for name, value in kept.items() if name}


def _verdict_causes(before: Snapshot, after: Snapshot, key: Key, causes: Sequence[str], judge: str) -> list[str]:
    """Return why a verdict differs: what the judge was shown, who the judge is, or another answer of the same judge."""
    name = judge.partition(",")[0]  # a fresh verdict is of the judge of the first one, and shown the same
    a, b = (run.verdicts[key].get(judge, run.verdicts[key].get(name, {})) for run in (before, after))
    shown = causes if a.get("packet_sha256") != b.get("packet_sha256") else []
    other = before.judges.get(name) != after.judges.get(name) or not shown
    return [*shown, *(["judge"] if other else [])]


def _score_rows(
    before: Snapshot, after: Snapshot, key: Key, causes: Sequence[str], verdicts: Sequence[Row]
) -> Iterator[Row]:
    a, b = before.ledger.get(key, {}), after.ledger.get(key, {})
    for column in _SCORES:
        values = cells(a, b, column)
        if values[0] != values[1]:
            why = _score_causes(before, after, key, causes, column, verdicts)
            yield row("score", capture_name(key), column, *(value or "nothing" for value in values), why)


def _score_causes(
    before: Snapshot, after: Snapshot, key: Key, causes: Sequence[str], column: str, verdicts: Sequence[Row]
) -> list[str]:
    """Return why a cell of the ledger differs: the verdicts that it rests on, the evidence, the protocol."""
    if column in _FROM_SHEETS:
        return ["sheet"]
    if column in _FROM_REVIEWS and len(set(cells(before.ledger.get(key, {}), after.ledger.get(key, {}), "review"))) > 1:
        return ["review"]
    verdicts_of = f"{capture_name(key)}, {_RESTS_ON.get(column, '')}"  # fresh verdicts, "asked again", among them
    given = [found for found in verdicts if found["where"].startswith(verdicts_of)]
    why = {name for found in given for name in found["why"].split(", ")} if column != "objective_score" else set()
    if before.found[key] != after.found[key] or not why:
        why |= set(causes)
    return sorted(why | ({"protocol"} & set(causes)))


def _conclusion_rows(before: Snapshot, after: Snapshot, scores: Mapping[Key, Sequence[Row]]) -> Iterator[Row]:
    overall: set[str] = set()
    for configuration in sorted(before.summary.keys() | after.summary.keys()):
        a, b = before.summary.get(configuration, {}), after.summary.get(configuration, {})
        why = other_captures(before, after, configuration)
        mine = [found for key, rows in scores.items() if key[1] == configuration for found in rows]
        why |= {name for found in mine for name in found["why"].split(", ")}
        overall |= why
        for column in changed_keys(a, b):
            if column not in ("rank", "title"):  # an agent's rank also depends on the others: it is told by the order
                yield row("conclusion", configuration, column, *cells(a, b, column), sorted(why))
    yield from order_row(before, after, "final_mean", "order by mean final score", sorted(overall))
