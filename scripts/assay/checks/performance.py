"""The six failure modes of the performance protocol as named checks (specification, Failure Modes).

The workflow is built so that none of them can happen; these checks do not rely on that. They look at what a run
left behind: sheets, packets, requests, verdicts and tables.
"""

from collections import Counter
from collections.abc import Mapping

from assay.bundle.scored_set import resolve_shared_ids
from assay.canonical import canonical, sha256
from assay.checks.finished import FinishedRun, Judged
from assay.checks.table import Check, Findings
from assay.prompt import nonce_of
from assay.scoring.cap import weighted_sum
from assay.scoring.numbers import exact, text

PACKET_FIELDS = frozenset(
    """
    format entry family technique specification target prompt configuration answer visual model_snapshot
    acceptance_notes rubric
    """.split()
)
# Shorter remarks ("Good.") stand in any text by chance.
TELLING_CHARACTERS = 25


def substitution_of_run(run: FinishedRun) -> Findings:
    """The panel must be the role map's, or be labelled as a different judging panel."""
    labelled = {entry["identity"]["judge"]: entry["substituted"] for entry in run.panel["judges"]}
    for role in run.specified["panel"]:
        judge, mapped = run.judges.get(role), run.roles.get(role, {})
        if judge is None:
            yield f"{role}: the panel has no such judge"
            continue
        changed = [name for name in ("model", "provider", "route") if judge[name] != mapped.get(name)]
        if changed and not labelled[role]:
            yield f"{role}: {judge['model']} judged, not {mapped.get('model')}, and the run is not labelled so"
    for extra in sorted(set(run.judges) - set(run.specified["panel"])):
        yield f"{extra}: no judge of this protocol's panel"


def substitution_of_capture(run: FinishedRun, judged: Judged) -> Findings:
    """Every verdict must come from the panel's judge: as asked, and as the API says who answered."""
    for id_, verdict in judged.verdicts.items():
        judge, request = run.judges[id_], judged.requests[id_]
        if verdict["judge"] != id_ or verdict["judge_model"] != judge["model"] or verdict["route"] != judge["route"]:
            yield f"{judged.name}, {id_}: the verdict is of {verdict['judge']} ({verdict['judge_model']})"
        if verdict["model_answered"] not in (judge["model"], *judge["accepted_ids"]):
            yield f"{judged.name}, {id_}: {judge['model']} was asked, {verdict['model_answered']} answered"
        asked = {name: request[name] for name in ("route", "model", "parameters")}
        if canonical(asked) != canonical({name: judge[name] for name in asked}):
            yield f"{judged.name}, {id_}: {request['model']} was asked with other settings than the panel's"


def contamination_of_run(run: FinishedRun) -> Findings:
    """Each judge must have given its own answer: no two verdicts rest on one exchange."""
    columns = [f"{judge}_exchange" for judge in run.judges]
    uses = Counter(row[column] for row in run.ledger for column in columns)
    for exchange, count in sorted(uses.items()):
        if count > 1:
            yield f"the exchange {exchange} stands for {count} verdicts"


def contamination_of_capture(run: FinishedRun, judged: Judged) -> Findings:
    """No judge may have been shown another judge's words or numbers: neither in the packet nor in its request."""
    digest = sha256(judged.packet)
    for name in sorted(set(judged.packet) - PACKET_FIELDS):
        yield f"{judged.name}: the packet holds {name!r}, which no judge may be shown"
    own = canonical(judged.packet)
    for id_, request in judged.requests.items():
        shown = request_text(request)
        for other, verdict in judged.verdicts.items():
            if other == id_:
                continue
            if nonce_of(digest, other) in shown:
                yield f"{judged.name}: the request to {id_} holds the nonce of {other}"
            for field, words in remarks(verdict).items():
                if len(words) >= TELLING_CHARACTERS and words in shown and canonical(words)[1:-1] not in own:
                    yield f"{judged.name}: the request to {id_} holds {other}'s {field}"


def request_text(request: Mapping) -> str:
    """Return all that a request shows a judge in words."""
    return "\n".join(part.get("text", "") for message in request["messages"] for part in message["content"])


def remarks(verdict: Mapping) -> dict[str, str]:
    """Return everything that a judge wrote in a verdict: its notes and its impression."""
    return {
        **{f"note on {name}": words for name, words in verdict["notes"].items()},
        "impression": verdict["impression"],
    }


def blindness_of_run(run: FinishedRun) -> Findings:
    """No entry without a specification may have a score."""
    without = {entry.key for entry in run.bundle.entries.values() if not entry.spec}
    for row in run.ledger:
        if row["entry"] in without:
            yield f"{row['entry']} by {row['configuration']}: scored, but the entry has no specification"


def blindness_of_capture(run: FinishedRun, judged: Judged) -> Findings:
    """Every judge must have been shown the technique's specification, whole."""
    shown = judged.packet["specification"]
    entry = run.bundle.entries.get(judged.capture["entry"])
    if not shown["text"].strip():
        yield f"{judged.name}: the packet holds no specification"
        return
    data = shown["text"].encode("utf-8")
    if sha256(data) != shown["sha256"]:
        yield f"{judged.name}: the packet's specification does not have the hash that stands beside it"
    if entry and entry.spec and (run.bundle.folder / entry.spec).read_bytes() != data:
        yield f"{judged.name}: the packet's specification is not the bundle's"
    for id_, request in judged.requests.items():
        if shown["text"] not in request_text(request):
            yield f"{judged.name}: the request to {id_} does not hold the specification"


def invalid_of_run(run: FinishedRun) -> Findings:
    """Only accepted captures may be in the ledger and in the rates."""
    captures = {capture.key: capture for capture in run.bundle.captures}
    allowed = {c.id: c.model_snapshots for c in run.bundle.configurations}
    for row in run.ledger:
        name, capture = f"{row['entry']} by {row['configuration']}", captures.get((row["entry"], row["configuration"]))
        if capture is None:
            yield f"{name}: scored, but the bundle holds no such capture"
        elif not capture.accepted:
            yield f"{name}: scored, but the capture was rejected ({capture.reason})"
        elif allowed[capture.configuration] and capture.model_snapshot not in allowed[capture.configuration]:
            yield f"{name}: scored, but {capture.model_snapshot} answered, a fallback or wrong model"
    for row in run.summary:
        mine = [line for line in run.ledger if line["configuration"] == row["configuration"]]
        failures = sum(line["failure"] == "yes" for line in mine)
        if (row["judged"], row["failures"]) != (str(len(mine)), str(failures)):
            yield (
                f"{row['configuration']}: the summary counts {row['failures']} failures of {row['judged']}, "
                f"the ledger {failures} of {len(mine)}"
            )


def invalid_of_capture(run: FinishedRun, judged: Judged) -> Findings:
    """What was judged must be what was captured: the configuration's model, the prime prompt."""
    packet, entry = judged.packet, run.bundle.entries.get(judged.capture["entry"])
    snapshots = {c.id: c.model_snapshots for c in run.bundle.configurations}[judged.capture["configuration"]]
    if snapshots and packet["model_snapshot"] not in snapshots:
        yield f"{judged.name}: judged, but {packet['model_snapshot']} answered, a fallback or wrong model"
    if entry and (run.bundle.folder / entry.prompt).read_bytes() != packet["prompt"].encode("utf-8"):
        yield f"{judged.name}: judged with another prompt than the prime prompt"


def cap_of_run(run: FinishedRun) -> Findings:
    """Every published Overall must be min(weighted, the capping criterion), and the failure flag follow from it."""
    capping, threshold = run.specified["cap"], exact(run.protocol["failure_threshold"])
    weights = {criterion["id"]: exact(criterion["weight"]) for criterion in run.protocol["criteria"]}
    for row in run.ledger:
        name = f"{row['entry']} by {row['configuration']}"
        weighted = weighted_sum({id_: exact(row[id_]) for id_ in weights}, weights)
        overall = min(weighted, exact(row[capping]))
        if exact(row["weighted"]) != weighted:
            yield f"{name}: weighted is {row['weighted']}, but its criteria give {text(weighted)}"
        if exact(row["overall"]) != overall:
            yield f"{name}: overall is {row['overall']}, but min(weighted, {capping}) is {text(overall)}"
        if row["capped"] != ("yes" if overall < weighted else "no"):
            yield f"{name}: capped is {row['capped']}, but overall is {text(overall)} of {text(weighted)}"
        if row["failure"] != ("yes" if exact(row["overall"]) < threshold else "no"):
            yield f"{name}: failure is {row['failure']}, but overall is {row['overall']}"


def shared_of_run(run: FinishedRun) -> Findings:
    """One entry for each id, one row for each capture, and a denominator that adds up."""
    excluded, double = resolve_shared_ids(run.bundle.entries, run.bundle.shared_ids)
    for id_, keys in double.items():
        yield f"{id_}: nothing says which of {' and '.join(keys)} counts"
    for row in run.ledger:
        if row["entry"] in excluded:
            yield f"{row['entry']} by {row['configuration']}: scored, but the id counts as {excluded[row['entry']]}"
    for (id_, configuration), count in sorted(Counter((r["id"], r["configuration"]) for r in run.ledger).items()):
        if count > 1:
            yield f"{id_} by {configuration}: counted {count} times"
    yield from _denominators(run, len(run.bundle.entries) - len(excluded))


def _denominators(run: FinishedRun, entries: int) -> Findings:
    expected = sum(number for what, number in run.bundle.expected.items() if what != "configurations")
    for what, number in (("entries in the bundle", entries), ("entries in intake.json", run.intake["entries"])):
        if number != expected:
            yield f"{number} {what}, {expected} expected"
    for row in run.summary:
        parts = {name: int(row[name]) for name in ("judged", "unscorable", "rejected", "missing", "unjudged")}
        if sum(parts.values()) != expected:
            added = " + ".join(f"{number} {name}" for name, number in parts.items())
            yield f"{row['configuration']}: {added} is not {expected}"


CHECKS = (
    Check(
        "judge-substitution-drift",
        "Judge substitution drift",
        "verdicts",
        substitution_of_run,
        substitution_of_capture,
    ),
    Check(
        "judge-contamination",
        "Judge contamination",
        "verdicts",
        contamination_of_run,
        contamination_of_capture,
    ),
    Check("specification-blindness", "Specification blindness", "captures", blindness_of_run, blindness_of_capture),
    Check(
        "invalid-capture-scored",
        "Invalid capture scored as failure",
        "captures",
        invalid_of_run,
        invalid_of_capture,
    ),
    Check("missing-hard-cap", "Missing hard cap", "ledger rows", cap_of_run),
    Check("shared-id-counted-twice", "Shared id counted twice", "ledger rows", shared_of_run),
)
