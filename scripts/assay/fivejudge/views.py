"""Who sees what: a judge's view of a run's material, by the protocol's table (five-judge-exact.md, Who sees what)."""

from collections.abc import Mapping
from typing import Any

from assay.problems import UserError

EVENT_FIELDS = {
    "action": "action_timeline",
    "patch": "action_timeline",
    "context": "action_timeline",
    "checkpoint": "action_timeline",
    "tool_call": "tool_calls",
    "error": "errors",
    "claim": "claims",
}


def visible(judge: str, protocol: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields that a model judge may see. Raises ValueError for a judge that sees nothing at all."""
    fields = frozenset(field for row in protocol["visibility"] for field in row["fields"] if judge in row["judges"])
    if not fields:
        raise ValueError(f"{judge!r} is no model judge of the visibility table")
    return fields


def view(material: Mapping[str, Any], judge: str, protocol: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of `material` that `judge` may see, by field.

    Raises UserError for a field that the table does not name: what nobody decided about is shown to nobody in silence.
    """
    listed = {field for row in protocol["visibility"] for field in row["fields"]}
    unknown = sorted(set(material) - listed)
    if unknown:
        raise UserError(f"no row of the visibility table says who sees {', '.join(unknown)}")
    allowed = visible(judge, protocol)
    return {field: value for field, value in material.items() if field in allowed}


def event_kinds(judge: str, protocol: Mapping[str, Any]) -> frozenset[str]:
    """Return the kinds of telemetry events that a judge may see."""
    allowed = visible(judge, protocol)
    return frozenset(kind for kind, field in EVENT_FIELDS.items() if field in allowed)
