"""Values of the five-judge protocol that a run changes by name."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from assay.canonical import canonical
from assay.fivejudge.protocol import check
from assay.problems import Problem, UserError
from assay.protocol import Deviation

FIXED = ("protocol", "specification", "title", "families", "expected", "judges", "visibility")
"""What no run may change: the judges, their tables, and who sees what."""
OPEN = ("weights.named", "weights.families")
"""Where a run may add names of its own."""


def override(
    protocol: Mapping[str, Any], changes: Mapping[str, Any], file: str
) -> tuple[Mapping[str, Any], list[Deviation], list[Problem]]:
    """Apply the run's `overrides`: the protocol's own keys, as deep as they go, with values of the same kind.

    Returns the protocol to use, what deviates, and what is wrong with the changes.
    """
    deviations: list[Deviation] = []
    faults: list[str] = []
    used = _merged(protocol, changes, "", deviations, faults)
    problems = [Problem(file, 0, f"overrides.{fault}", "See config/protocols/five-judge.yaml") for fault in faults]
    if not problems:
        try:
            check(used)
        except UserError as error:
            problems.append(Problem(file, 0, f"overrides: {error}", "Correct the values"))
    return (protocol if problems else used), deviations, problems


def _merged(
    before: Mapping[str, Any], changes: Mapping[str, Any], place: str, deviations: list[Deviation], faults: list[str]
) -> dict[str, Any]:
    used = dict(before)
    for key in sorted(changes):
        name, value, old = f"{place}{key}", changes[key], before.get(key)
        if name in FIXED or (key not in before and place.rstrip(".") not in OPEN):
            faults.append(f"{name}: not a value that a run can change")
        elif isinstance(old, Mapping) and isinstance(value, Mapping):
            used[key] = _merged(old, value, f"{name}.", deviations, faults)
        elif key in before and _kind(old) != _kind(value):
            faults.append(f"{name}: {value!r} is not of the kind of {old!r}")
        else:
            used[key] = value
            if key not in before or canonical(old) != canonical(value):
                deviations.append(Deviation(name, canonical(old) if key in before else "none", canonical(value)))
    return used


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "yes or no"
    return "number" if isinstance(value, (int, Decimal)) else type(value).__name__
