"""Which captures are judged, and why each of the others is not."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.bundle.model import Bundle, Capture, Entry


@dataclass(frozen=True)
class Aside:
    """A capture that is not judged: `kind` is rejected, unscorable or shared-id; `reason` says why in words."""

    entry: str
    configuration: str
    kind: str
    reason: str


@dataclass(frozen=True)
class ScoredSet:
    """What is judged, in the order configuration (as in the bundle), family, id; and what is set aside.

    `missing` are the (entry, configuration) pairs of the scored set for which no capture is held.
    """

    scored: tuple[Capture, ...]
    aside: tuple[Aside, ...]
    excluded_entries: Mapping[str, str]
    unscorable_entries: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]

    @property
    def counts(self) -> str:
        """How many captures are judged, set aside and not held, in words."""
        return f"{len(self.scored)} captures to judge, {len(self.aside)} set aside, {len(self.missing)} not held"


def resolve_shared_ids(
    entries: Mapping[str, Entry], rule: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Keep one entry for each id that several families share (specification, Collision-ID double count).

    Returns the excluded entries (key -> key of the entry that is kept) and the ids that no rule resolves
    (id -> the keys that share it).
    """
    by_id: dict[str, list[str]] = {}
    for key, entry in sorted(entries.items()):
        by_id.setdefault(entry.id, []).append(key)
    excluded, double = {}, {}
    for id_, keys in by_id.items():
        if len(keys) == 1:
            continue
        kept = f"{rule.get(id_, '')}:{id_}"
        if kept in keys:
            excluded.update({key: kept for key in keys if key != kept})
        else:
            double[id_] = keys
    return excluded, double


def scored_set(bundle: Bundle) -> ScoredSet:
    """Sort the captures into those that are judged and those that are not (Intake Protocol 1, 2 and 5)."""
    excluded, _ = resolve_shared_ids(bundle.entries, bundle.shared_ids)
    order = {configuration.id: place for place, configuration in enumerate(bundle.configurations)}
    scored, aside = [], []
    for capture in sorted(bundle.captures, key=lambda c: (order[c.configuration], c.entry)):
        kind, reason = _why_not(bundle, capture, excluded)
        if kind:
            aside.append(Aside(capture.entry, capture.configuration, kind, reason))
        else:
            scored.append(capture)
    held = {capture.key for capture in bundle.captures}
    entries = [key for key in sorted(bundle.entries) if key not in excluded]
    return ScoredSet(
        scored=tuple(scored),
        aside=tuple(aside),
        excluded_entries=excluded,
        unscorable_entries=tuple(key for key in entries if not (bundle.entries[key].spec or bundle.recorded)),
        missing=tuple((key, c.id) for c in bundle.configurations for key in entries if (key, c.id) not in held),
    )


def _why_not(bundle: Bundle, capture: Capture, excluded: Mapping[str, str]) -> tuple[str, str]:
    entry = bundle.entries[capture.entry]
    if entry.key in excluded:
        return "shared-id", f"the id {entry.id} counts once, as {excluded[entry.key]}"
    if not capture.accepted:
        return "rejected", capture.reason
    if bundle.recorded:
        from assay.runs.run import unscorable

        reason = unscorable(bundle.folder / capture.run)
        return ("unscorable", reason) if reason else ("", "")
    if not entry.spec:
        return "unscorable", "the entry has no specification text"
    return "", ""
