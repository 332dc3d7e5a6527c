"""What differs between two finished runs, and why: captures, verdicts, scores and conclusions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from assay.archive import diff_recorded
from assay.archive.contents import CONFIG, PROJECT
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
from assay.canonical import canonical, plain, sha256
from assay.documents import read_yaml
from assay.files import read_json
from assay.problems import UserError
from assay.protocol import PROTOCOLS, rubric
from assay.protocols import implementation
from assay.report.scores import place
from assay.run import DEFAULTS

# What a packet's field is called as a reason; every field that is not here came from the sheets.
_REASONS = {"answer": "answer", "visual": "visual", "prompt": "prompt", "specification": "specification"}
_REASONS |= {"rubric": "rubric", "format": "protocol"}
_ORDER = ("answer", "visual", "prompt", "specification", "sheet", "rubric", "judge", "protocol", "captures")
_HASHED = frozenset({"answer", "visual", "prompt", "specification", "rubric"})
# A published number that is no mean of a ledger column of its own name, and the column that it rests on.
_CONCLUSIONS = {"public_failure_rate": "failure", "failures": "failure", "public_cost_per_100_usd": "cost_usd"}
_CONCLUSIONS |= {"public_mean_minutes": "minutes", "judged": "", "unscorable": ""}


@dataclass(frozen=True)
class Snapshot(Finished):
    """A finished run as it is compared, with its protocol and the packet of each scored capture."""

    protocol: Mapping
    packets: Mapping[Key, Mapping]


def read_snapshot(folder: Path) -> Snapshot | diff_recorded.Snapshot:
    """Read the finished run in a work directory or an unpacked archive. Raises UserError where a file is missing."""
    intake, panel = read_json(folder / "results/intake.json"), read_json(folder / "results/panel.json")
    judges = {entry["identity"]["judge"]: entry["identity"] for entry in panel["judges"]}
    protocol = _protocol(folder, panel["protocol"])
    if panel["protocol"] != "performance":
        return diff_recorded.read_snapshot(folder, protocol, judges, intake)
    packets = {
        (capture["entry"], capture["configuration"]): read_json(folder / f"results/packets/{place(capture)}.json")
        for capture in intake["scored"]
    }
    return Snapshot(protocol=protocol, packets=packets, **read_parts(folder, judges, intake))


def _protocol(folder: Path, name: str) -> Mapping:
    """Return the protocol that the run used: the archive's own, else this project's, with the run's overrides."""
    inside = folder / "workflow" / PROTOCOLS.relative_to(PROJECT) / f"{name}.yaml"
    specified = read_yaml(inside if inside.is_file() else PROTOCOLS / f"{name}.yaml")
    config = {**DEFAULTS, **read_yaml(folder / CONFIG)}
    return implementation(name).override(specified, config["overrides"], CONFIG)[0]


def compare(before: Snapshot | diff_recorded.Snapshot, after: Snapshot | diff_recorded.Snapshot) -> list[Row]:
    """Return every difference as a row (COLUMNS), kind by kind; no row = nothing differs.

    Raises UserError for runs of two protocols, whose scores mean different things.
    """
    if type(before) is not type(after):
        raise UserError("these are runs of two different protocols: their scores mean different things")
    if isinstance(before, diff_recorded.Snapshot):
        return diff_recorded.compare(before, after)
    rows = [*_protocol_rows(before, after), *judge_rows(before.judges, after.judges), *_capture_rows(before, after)]
    causes = {key: _causes(before, after, key) for key in sorted(before.packets.keys() & after.packets.keys())}
    for key in causes:
        rows += _verdict_rows(before, after, key, causes[key])
    for key in causes:
        rows += _score_rows(before, after, key, causes[key])
    return rows + list(_conclusion_rows(before, after, causes))


def _row(kind: str, where: str, what: str, before: str, after: str, why: Collection[str] = ()) -> Row:
    return row(kind, where, what, before, after, _ordered(why))


def _ordered(why: Collection[str]) -> list[str]:
    return [name for name in _ORDER if name in why]


def _protocol_rows(before: Snapshot, after: Snapshot) -> Iterator[Row]:
    a, b = (terms(run.protocol) for run in (before, after))
    for name in changed_keys(a, b):
        yield _row("protocol", "", name, *cells(a, b, name))


def terms(protocol: Mapping) -> dict[str, str]:
    """Return what of a protocol turns verdicts into numbers, and the hash of the rubric that the judges are shown."""
    weights = {f"weight of {c['id']}": plain(Decimal(c["weight"])) for c in protocol["criteria"]}
    fixed = {"cap": protocol["cap"] or "none", "failure_threshold": plain(Decimal(protocol["failure_threshold"]))}
    return {**weights, **fixed, "rubric": sha256(rubric(protocol))[:12]}


def _capture_rows(before: Snapshot, after: Snapshot) -> Iterator[Row]:
    for key in by_configuration(before.captures.keys() | after.captures.keys()):
        yield from state_row(before.captures, after.captures, key)
        for field in _changed_fields(before, after, key):
            values = [run.packets[key][field] for run in (before, after)]
            shown = [sha256(value)[:12] if field in _HASHED else one_line(value) for value in values]
            yield _row("capture", capture_name(key), field, *shown)


def _changed_fields(before: Snapshot, after: Snapshot, key: Key) -> list[str]:
    a, b = before.packets.get(key), after.packets.get(key)
    return [] if a is None or b is None else changed_keys(a, b)


def _causes(before: Snapshot, after: Snapshot, key: Key) -> list[str]:
    """Return why the verdicts of a capture may differ: changed parts of its packet, changed judges."""
    found = [_REASONS.get(field, "sheet") for field in _changed_fields(before, after, key)]
    return [*found, "judge"] if canonical(before.judges) != canonical(after.judges) else found


def _verdict_rows(before: Snapshot, after: Snapshot, key: Key, causes: Sequence[str]) -> Iterator[Row]:
    a, b = before.verdicts[key], after.verdicts[key]
    for judge in sorted(a.keys() | b.keys()):
        one, other = a.get(judge, {}), b.get(judge, {})
        why = causes or (["judge"] if one.get("exchange") == other.get("exchange") else ["protocol"])
        said = [_said(verdict) for verdict in (one, other)]
        for name in changed_keys(*said):
            shown = [found.get(name, "nothing") for found in said]
            yield _row("verdict", f"{capture_name(key)}, {judge}", name, *shown, why)


def _said(verdict: Mapping) -> dict[str, str]:
    """Return what of a verdict is compared: its scores and who gave them, or why there is none."""
    if "scores" not in verdict:
        return {"state": f"{verdict['state']}: {verdict['reason']}"} if verdict else {}
    scores = {name: canonical(score) for name, score in verdict["scores"].items()}
    return {**scores, "model_answered": verdict["model_answered"], "notes": sha256(verdict["notes"])[:12]}


def _score_rows(before: Snapshot, after: Snapshot, key: Key, causes: Sequence[str]) -> Iterator[Row]:
    a, b = before.ledger.get(key, {}), after.ledger.get(key, {})
    for name in ("overall", "capped", "failure"):
        values = cells(a, b, name)
        if values[0] != values[1]:
            yield _row("score", capture_name(key), name, *values, _cell_causes(before, after, key, causes, name))


def _cell_causes(before: Snapshot, after: Snapshot, key: Key, causes: Sequence[str], column: str) -> set[str]:
    """Return why a cell of the ledger differs; nothing if it does not."""
    a, b = before.ledger.get(key), after.ledger.get(key)
    if a is None or b is None or a[column] == b[column]:
        return set()
    if column in ("cost_usd", "minutes"):
        return {"sheet"}
    found = {name for row in _verdict_rows(before, after, key, causes) for name in row["why"].split(", ")}
    one, other = (terms(run.protocol) for run in (before, after))
    changed = {name.partition(" ")[0] for name in one if one[name] != other.get(name)}
    concerned = {"overall": {"weight", "cap"}, "capped": {"weight", "cap"}}
    concerned["failure"] = {"weight", "cap", "failure_threshold"}
    return found | ({"protocol"} if changed & concerned.get(column, set()) else set())


def _conclusion_rows(before: Snapshot, after: Snapshot, causes: Mapping[Key, Sequence[str]]) -> Iterator[Row]:
    overall: set[str] = set()
    for configuration in sorted(before.summary.keys() | after.summary.keys()):
        a, b = before.summary.get(configuration, {}), after.summary.get(configuration, {})
        others = other_captures(before, after, configuration)
        for name in sorted(a.keys() | b.keys()):
            column = _CONCLUSIONS.get(name, name.removeprefix("public_mean_"))
            values = cells(a, b, name)
            if values[0] == values[1] or not (name in _CONCLUSIONS or name.startswith("public_mean_")):
                continue
            mine = [key for key in causes if key[1] == configuration] if column else []
            why = others.union(*(_cell_causes(before, after, key, causes[key], column) for key in mine))
            yield _row("conclusion", configuration, name, *values, sorted(why))
        mine = [key for key in causes if key[1] == configuration]
        overall |= others.union(*(_cell_causes(before, after, key, causes[key], "overall") for key in mine))
    yield from order_row(before, after, "mean_overall", "ranking by Overall", _ordered(overall))
