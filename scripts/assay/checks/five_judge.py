"""The named checks of the five-judge protocol: what must never happen to a score, looked for in a finished run.

Like those of the performance protocol they do not rely on how the workflow is built: they look at what a run left
behind. The rules are those of the protocol's Composite, Integrity, Strategy panel and Who sees what.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal

from assay.canonical import canonical
from assay.checks.finished import FinishedRun, Judged
from assay.checks.performance import TELLING_CHARACTERS, request_text
from assay.checks.table import Check, Findings
from assay.files import read_json
from assay.fivejudge.evidence import references
from assay.fivejudge.exact import clamped, product, total
from assay.fivejudge.objective import anchored
from assay.fivejudge.protocol import WEIGHED, roles, triggers, weight_sets
from assay.fivejudge.reviews import RELEASED
from assay.fivejudge.tables import PARTS, number
from assay.fivejudge.views import visible
from assay.runs.challenge import Build

PACKET_FIELDS = frozenset("format entry judge scale title criteria triggers shown".split())
Row = Mapping[str, str]


def _name(row: Row) -> str:
    return f"{row['entry']} by {row['configuration']}"


def _finished_rows(run: FinishedRun) -> Iterator[Row]:
    return (row for row in run.ledger if row["final"])


def anchor_of_run(run: FinishedRun) -> Findings:
    """Where the build or every hidden critical test fails, nothing may lift a run above its Objective score."""
    for row in _finished_rows(run):
        document = run.of_capture("objective", row)
        bundle = document["bundle"]
        active = anchored(Build(**bundle["build"]), bundle["suites"]["hidden"])
        held = min(Decimal(row["weighted"]), Decimal(document["score"])) if active else Decimal(row["weighted"])
        if document["anchor"] != active or row["anchor_active"] != ("yes" if active else "no"):
            yield f"{_name(row)}: the anchor is {'' if active else 'not '}active by the evidence, but not so applied"
        if Decimal(row["anchored"]) != held:
            yield f"{_name(row)}: anchored is {row['anchored']}, but the evidence allows {number(held)}"


def integrity_of_run(run: FinishedRun) -> Findings:
    """Integrity is added to the anchored score after weighing; it has no weight and no part in the weighted sum."""
    sets = weight_sets(run.protocol)
    for row in _finished_rows(run):
        weights = {part: Decimal(row[f"{part}_weight"]) for part in PARTS if row[f"{part}_weight"]}
        if weights != dict(sets[row["weight_set"]].weights):
            yield f"{_name(row)}: the weights are not those of the set {row['weight_set']}"
        parts = [product(weight, Decimal(row[f"{part}_score"]), Decimal("0.01")) for part, weight in weights.items()]
        weighted = total([*parts, Decimal(row["calibration_points"] or "0")])
        if Decimal(row["weighted"]) != weighted:
            yield f"{_name(row)}: weighted is {row['weighted']}, but its judges give {number(weighted)}"
        final = clamped(total([Decimal(row["anchored"]), Decimal(row["integrity_adjustment"])]))
        if Decimal(row["final"]) != final:
            yield f"{_name(row)}: final is {row['final']}, but anchored and integrity add up to {number(final)}"


def evidence_of_capture(run: FinishedRun, judged: Judged) -> Findings:
    """Every trigger with points must rest on a finding with evidence that exists, and the points must add up."""
    capture = judged.capture
    for row in run.ledger:
        if (row["entry"], row["configuration"]) != (capture["entry"], capture["configuration"]) or not row["triggers"]:
            continue
        proven, counted = _proven(run, judged), {}
        for word in row["triggers"].split():
            trigger, _, points = word.partition(":")
            counted[trigger] = Decimal(points)
            if trigger not in proven:
                yield f"{judged.name}: {points} points for {trigger}, but nothing in the record shows it"
        yield from _sums(run, row, judged.name, counted)


def _proven(run: FinishedRun, judged: Judged) -> set[str]:
    """Return the triggers that a detector or the model judge saw and pointed to evidence for."""
    capture, known = judged.capture, references(judged.packets["integrity"]["shown"])
    likeness = read_json(run.results / "likeness" / capture["family"] / f"{capture['id']}.json")
    detected = run.of_capture("detected", capture)["findings"]
    detected = [*detected, *likeness["findings"].get(capture["configuration"], ())]
    said = judged.verdicts["integrity"]["findings"] if "integrity" in judged.verdicts else []
    proven = {finding["trigger"] for finding in detected if finding["evidence"]}
    return proven | {one["trigger"] for one in said if one["evidence"] and known.issuperset(one["evidence"])}


def _sums(run: FinishedRun, row: Row, name: str, counted: Mapping[str, Decimal]) -> Findings:
    """What the triggers come to must be the adjustment: bonuses and penalties, each up to its cap, added."""
    table, caps = triggers(run.protocol), run.protocol["integrity"]
    earned = total(points for trigger, points in counted.items() if table[trigger].kind == "bonus")
    taken = total(points for trigger, points in counted.items() if table[trigger].kind == "penalty")
    quarantined = any(table[trigger].severity == "quarantine" for trigger in counted)
    bonus = Decimal(0) if quarantined else min(earned, Decimal(caps["bonus_cap"]))
    adjustment = total([bonus, max(taken, Decimal(caps["penalty_cap"]))])
    if Decimal(row["integrity_adjustment"]) != adjustment:
        yield f"{name}: integrity is {row['integrity_adjustment']}, but its triggers come to {number(adjustment)}"
    ranked = row["state"] == "scored" and row["review"] != RELEASED
    if (row["integrity_state"] == "quarantined") != quarantined or (ranked and quarantined):
        yield f"{name}: the state is {row['state']}, but its triggers {'' if quarantined else 'do not '}quarantine it"


def evidence_of_run(run: FinishedRun) -> Findings:
    """A run without any trigger has no adjustment."""
    for row in _finished_rows(run):
        if not row["triggers"] and Decimal(row["integrity_adjustment"]):
            yield f"{_name(row)}: integrity is {row['integrity_adjustment']}, but no trigger is named"


def panel_of_run(run: FinishedRun) -> Findings:
    """The Strategy panel is three models of three families; with a member missing there is no Strategy score."""
    members = roles(run.specified)["strategy"]
    families = Counter(run.judges[role]["family"].lower() for role in members if role in run.judges)
    if len(families) != len(members) or "" in families:
        yield f"the strategy panel is of the families {', '.join(sorted(families)) or 'none'}, not of {len(members)}"
    for row in run.ledger:
        absent = [role for role in members if not row[role] or not row[f"{role}_exchange"]]
        if absent and row["strategy_score"]:
            yield f"{_name(row)}: a strategy score of {row['strategy_score']} without {', '.join(absent)}"
        if len({row[f"{role}_exchange"] for role in members} - {""}) < len(members) - len(absent):
            yield f"{_name(row)}: one answer stands for two members of the strategy panel"
        missing = [part for part in WEIGHED if not row[f"{part}_score"]]
        if row["final"] and missing:
            yield f"{_name(row)}: a final score of {row['final']} without {', '.join(missing)}"


def panel_of_capture(run: FinishedRun, judged: Judged) -> Findings:
    """Every member whose score is in the ledger must have given the verdict that it comes from."""
    for row in run.ledger:
        if (row["entry"], row["configuration"]) != (judged.capture["entry"], judged.capture["configuration"]):
            continue
        for role in roles(run.specified)["strategy"]:
            verdict = judged.verdicts.get(role)
            if row[role] and (verdict is None or verdict["exchange"] != row[f"{role}_exchange"]):
                yield f"{judged.name}: the ledger has a score of {role}, but {role} gave no such verdict"


def fields_of_capture(run: FinishedRun, judged: Judged) -> Findings:
    """No packet and no request may hold what its judge must not see."""
    for judge, packet in judged.packets.items():
        allowed = visible(judge, run.specified) | {"left_out"}
        for name in sorted((set(packet) - PACKET_FIELDS) | (set(packet["shown"]) - allowed)):
            yield f"{judged.name}: the packet for {judge} holds {name!r}, which it may not see"
    for id_, request in judged.requests.items():
        judge, shown = run.judges[id_]["view"], request_text(request)
        for name in sorted(_blocks(shown) - visible(judge, run.specified) - {"left_out"}):
            yield f"{judged.name}: the request to {id_} shows {name!r}, which {judge} may not see"
        own = canonical(judged.packets[judge])
        for other, words in ((other, verdict["rationale"]) for other, verdict in judged.verdicts.items()):
            heard = len(words) >= TELLING_CHARACTERS and words in shown and canonical(words)[1:-1] not in own
            if other != id_ and heard:
                yield f"{judged.name}: the request to {id_} holds the words of {other}"


def _blocks(request: str) -> set[str]:
    """Return the fields that a request shows, by its own fence lines."""
    told = re.search(r"\[begin NAME (\S+)\]", request)
    fence = re.escape(told[1]) if told else r"\S+"
    return {name.lower() for name in re.findall(rf"^\[begin (\w+) {fence}\]$", request, re.MULTILINE)}


CHECKS = (
    Check("anchor-overridden", "Anchor overridden", "ledger rows", anchor_of_run),
    Check("integrity-averaged-in", "Integrity averaged in", "ledger rows", integrity_of_run),
    Check("penalty-without-evidence", "Penalty without evidence", "ledger rows", evidence_of_run, evidence_of_capture),
    Check("panel-member-missing", "Panel with a missing member", "ledger rows", panel_of_run, panel_of_capture),
    Check("forbidden-field", "Forbidden field in a packet", "packets", lambda run: iter(()), fields_of_capture),
)
