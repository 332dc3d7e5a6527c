"""What a model judge is shown of a run: the fields of its view, each piece of evidence with its reference."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.canonical import canonical
from assay.fivejudge.claims import Settled
from assay.fivejudge.evidence import numbered
from assay.fivejudge.metrics import Metric
from assay.fivejudge.objective import Objective
from assay.fivejudge.selection import OVERHEAD, SANDBOX, TESTS, byte_limit, choose
from assay.fivejudge.views import EVENT_FIELDS, event_kinds, view, visible
from assay.problems import UserError
from assay.runs.faults import Faults
from assay.runs.patch import Patch
from assay.runs.run import Run
from assay.runs.sandbox import SandboxEvent, sandbox_events
from assay.runs.telemetry import KINDS, pick

_MESSAGE = 300
_SHORTEST = 20
_JOINED = (
    f"Left out to keep the packet short: messages of errors beyond {_MESSAGE} characters. Errors of one name are "
    "joined; each of them is there by its reference."
)
_SHARE = 6
"""Tests, and sandbox events, may each take this part of a packet's limit (1/6)."""


@dataclass(frozen=True)
class Scored:
    """What was computed of a run before any model judge is asked: `classes` come from selection.ClassFold."""

    run: Run
    objective: Objective
    metrics: Mapping[str, Metric]
    claims: Sequence[Settled]
    classes: Sequence[int]


def judge_view(scored: Scored, judge: str, protocol: Mapping[str, Any]) -> dict[str, Any]:
    """Return the view of one model judge: its fields, and `left_out` (sentences on what was left out for length).

    The canonical JSON of the view stays under the protocol's token limit. Raises UserError when what may never be
    left out (errors, failed tests, refused accesses, the diff, the deliverables) does not fit.
    """
    limit = byte_limit(protocol)
    allowed = visible(judge, protocol)
    material, notices = _fixed(scored, protocol, limit // _SHARE)
    if "sandbox" in allowed:
        material["sandbox"], notice = sandbox_field(_log(scored.run), limit // _SHARE)
        notices.append(notice)
    shown = view(material, judge, protocol)
    kinds = event_kinds(judge, protocol)
    if kinds:
        room = limit - len(canonical({**shown, "left_out": notices}).encode()) - 1000
        fields, more = session_fields(scored, kinds, room)
        shown |= view(fields, judge, protocol)
        notices += more
    shown["left_out"] = [notice for notice in notices if notice.startswith("Left out")]
    size = len(canonical(shown).encode())
    if size > limit:
        raise UserError(
            f"the packet of the {judge} judge takes {size} bytes, more than the {limit} allowed, and nothing more of "
            "it may be left out. Raise `telemetry.packet_tokens` of the protocol, or shorten the deliverables."
        )
    return shown


def _fixed(scored: Scored, protocol: Mapping[str, Any], room: int) -> tuple[dict[str, Any], list[str]]:
    run = scored.run
    tests, notice = test_rows(scored.objective.bundle, room)
    chosen = {judge["id"]: judge["metrics"] for judge in protocol["judges"] if "metrics" in judge}
    material = {
        "briefing": run.challenge.briefing,
        "rubric": run.challenge.rubric,
        "test_results": tests,
        "objective": objective_field(scored.objective),
        "diff": diff_field(run.patch),
        "plan": numbered("plan.md", run.plan),
        "deliverables": [numbered(path, run.deliverables[path]) for path in sorted(run.deliverables)],
    }
    for judge, names in chosen.items():
        material[f"{judge}_metrics"] = [metric_row(scored.metrics[name]) for name in names]
    return material, [notice]


def objective_field(objective: Objective) -> dict[str, Any]:
    """Return the Objective result as the other judges see it: score, state, addends, unstable tests, notes."""
    names = ("score", "state", "addends", "unstable", "notes")
    return {**{name: objective.bundle[name] for name in names}, "anchor": objective.anchor}


def test_rows(bundle: Mapping[str, Any], room: int) -> tuple[list[dict[str, Any]], str]:
    """Return the tests as judges see them (name, result, message: never their code), and what was left out."""
    rows = [
        {"ref": row["ref"], "suite": suite, "test": row["test"], "result": row["result"], "message": row["message"]}
        for suite, tests in sorted(bundle["suites"].items())
        for row in tests
    ]
    sizes = [len(canonical(row).encode()) + 1 for row in rows]
    selection = choose([row["result"] != "failed" for row in rows], sizes, room, names=TESTS)
    return [rows[place] for place in selection.places], selection.notice()


def diff_field(patch: Patch) -> list[dict[str, Any]]:
    """Return the diff by file, each hunk with its reference."""
    return [
        {
            "path": change.path,
            "old": change.old,
            "binary": change.binary,
            "hunks": [
                {"ref": f"hunk:{hunk.id}", "header": hunk.header, "text": list(hunk.lines)} for hunk in change.hunks
            ],
        }
        for change in patch.files
    ]


def metric_row(metric: Metric) -> dict[str, Any]:
    """Return a metric as a judge sees it."""
    return {
        "id": metric.id,
        "title": metric.title,
        "unit": metric.unit,
        "value": metric.value,
        "reason": metric.reason,
        "good": metric.good,
        "in_range": metric.in_range,
    }


def session_fields(scored: Scored, kinds: frozenset[str], room: int) -> tuple[dict[str, Any], list[str]]:
    """Return the telemetry fields of the kinds that a judge may see, chosen under `room` bytes, and what was left out.

    Each event has its reference and its line number `n`, so the lists of actions, calls and errors can be read as one
    sequence. A claim also says what its test says (`actual`, empty when no test decides it). Errors that would take
    more than half of the room are joined by name (`joined_errors`); none is ever left out.
    """
    trace, path = scored.run.trace, scored.run.folder / "telemetry.jsonl"
    codes = {KINDS.index(kind) for kind in kinds}
    shown = [place for place, code in enumerate(trace.kinds) if code in codes]
    sizes = [size + OVERHEAD for size in trace.sizes]
    errors = [place for place in shown if scored.classes[place] == 0]
    joined: list[dict[str, Any]] = []
    notices = []
    if sum(sizes[place] for place in errors) > room // 2:
        joined = joined_errors(path, [trace.lines[place] for place in errors], room)
        room -= len(canonical(joined).encode())
        shown = [place for place in shown if scored.classes[place] != 0]
        notices = [_JOINED]
    selection = choose(scored.classes, sizes, room, shown)
    wanted = [trace.lines[place] for place in selection.places]
    fields: dict[str, list[dict[str, Any]]] = {EVENT_FIELDS[kind]: [] for kind in sorted(kinds)}
    settled = {claim.claim.id: claim for claim in scored.claims}
    for line, data in pick(path, wanted):
        row = _event_row(line, data)
        if data["kind"] == "claim":
            claim = settled[data["id"]]
            row |= {"actual": claim.actual, "borne_out": claim.true}
        fields[EVENT_FIELDS[data["kind"]]].append(row)
    if joined:
        fields["errors"] = joined
    return fields, [*notices, selection.notice()]


def _event_row(line: int, data: Mapping[str, Any]) -> dict[str, Any]:
    row = {key: value for key, value in data.items() if key not in ("id", "extra")}
    return row | {"ref": f"event:{data['id']}", "n": line}


def joined_errors(path: Path, lines: Sequence[int], room: int) -> list[dict[str, Any]]:
    """Return the error events on `lines`, those of one name as one row: the first of them with its message cut at 300
    characters, and under `again` the others by reference and line. Raises UserError when even that does not fit."""
    text = (
        f"the {len(lines)} errors of a run do not fit into the {room} bytes of a packet left for them, and none of "
        "them is ever left out. Raise `telemetry.packet_tokens` of the protocol."
    )
    if len(lines) * _SHORTEST > room:
        raise UserError(text)
    rows: dict[str, dict[str, Any]] = {}
    for line, data in pick(path, lines):
        name = data.get("error", data["id"])
        if name in rows:
            rows[name]["again"].append({"ref": f"event:{data['id']}", "n": line})
        else:
            rows[name] = {**_event_row(line, data), "message": data["message"][:_MESSAGE], "again": []}
    made = list(rows.values())
    if len(canonical(made).encode()) > room:
        raise UserError(text)
    return made


def sandbox_field(log: Iterable[SandboxEvent], room: int) -> tuple[list[dict[str, Any]], str]:
    """Return the sandbox log chosen under `room` bytes (refused events always), and what was left out."""
    rows = [{**event.data, "ref": event.ref} for event in log]
    sizes = [len(canonical(row).encode()) + 1 for row in rows]
    selection = choose([int(row["allowed"]) for row in rows], sizes, room, names=SANDBOX)
    return [rows[place] for place in selection.places], selection.notice()


def _log(run: Run) -> Iterable[SandboxEvent]:
    path = run.folder / "sandbox.jsonl"
    return sandbox_events(path, Faults(path.name)) if path.exists() else ()
