"""The protocol of a run: what the specification fixes, with the values that the run changes by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from assay.canonical import plain
from assay.documents import read_yaml
from assay.problems import Problem

PROTOCOLS = Path(__file__).parents[2] / "config" / "protocols"
OVERRIDABLE = ("failure_threshold", "weights", "cap")


@dataclass(frozen=True)
class Deviation:
    """A protocol value that this run changes."""

    name: str
    specified: str
    used: str


def read_protocol(name: str) -> dict:
    """Read config/protocols/{name}.yaml. Numbers in it are text, so that they stay exact."""
    return read_yaml(PROTOCOLS / f"{name}.yaml")


def override(protocol: Mapping, changes: Mapping, file: str) -> tuple[dict, list[Deviation], list[Problem]]:
    """Apply the run's `overrides` to the performance protocol.

    `failure_threshold`: a number on the scale. `weights`: criterion -> weight, for every criterion, sum 1.
    `cap`: the criterion that caps Overall, or null for no cap. Returns the protocol to use, what deviates,
    and what is wrong with the changes.
    """
    used, deviations, problems = dict(protocol), [], []
    for name in sorted(changes):
        value = changes[name]
        fault = _FAULTS[name](protocol, value) if name in _FAULTS else "not a value that a run can change"
        if fault:
            todo = f"Known overrides: {', '.join(OVERRIDABLE)}"
            problems.append(Problem(file, 0, f"overrides.{name}: {fault}", todo))
            continue
        before = _shown(name, used)
        if name == "weights":
            used["criteria"] = [{**c, "weight": plain(_number(value[c["id"]]))} for c in used["criteria"]]
        else:
            used[name] = plain(_number(value)) if name == "failure_threshold" else value
        if _shown(name, used) != before:
            deviations.append(Deviation(name, before, _shown(name, used)))
    return used, deviations, problems


def _shown(name: str, protocol: Mapping) -> str:
    if name == "weights":
        return ", ".join(f"{c['id']} {plain(Decimal(c['weight']))}" for c in protocol["criteria"])
    value = protocol[name]
    return plain(Decimal(value)) if name == "failure_threshold" else str(value or "none")


def _number(value: object) -> Decimal | None:
    """Read a configured number exactly as it was typed; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _threshold_fault(protocol: Mapping, value: object) -> str:
    low, high = Decimal(protocol["scale"]["min"]), Decimal(protocol["scale"]["max"])
    number = _number(value)
    return "" if number is not None and low <= number <= high else f"{value!r} is not a number from {low} to {high}"


def _weights_fault(protocol: Mapping, value: object) -> str:
    ids = [criterion["id"] for criterion in protocol["criteria"]]
    if not isinstance(value, Mapping) or sorted(value) != sorted(ids):
        return f"give a weight for each of {', '.join(ids)}"
    numbers = [_number(value[id_]) for id_ in ids]
    if any(number is None or number < 0 for number in numbers):
        return "every weight must be a number of 0 or more"
    return "" if sum(numbers) == 1 else f"the weights add up to {plain(sum(numbers))}, not to 1"


def _cap_fault(protocol: Mapping, value: object) -> str:
    ids = [criterion["id"] for criterion in protocol["criteria"]]
    return "" if value is None or value in ids else f"{value!r} is none of {', '.join(ids)}"


_FAULTS = {"failure_threshold": _threshold_fault, "weights": _weights_fault, "cap": _cap_fault}


def formula(protocol: Mapping) -> str:
    """State the scoring formula in one line (specification, Intake Protocol 6 and Phases 4 and 5)."""
    terms = " + ".join(f"{c['weight']}*{c['id']}" for c in protocol["criteria"])
    cap = f"min(weighted, {protocol['cap']})" if protocol["cap"] else "weighted (no cap)"
    threshold = protocol["failure_threshold"]
    return f"weighted = {terms}; overall = {cap}; failure when overall < {threshold}"


def rubric(protocol: Mapping) -> dict:
    """Return what every judge is told of the criteria: scale, criteria without their weights, anchors."""
    return {
        "scale": dict(protocol["scale"]),
        "criteria": [{"id": c["id"], "text": c["text"]} for c in protocol["criteria"]],
        "anchors": [dict(anchor) for anchor in protocol["anchors"]],
    }
