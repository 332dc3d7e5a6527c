"""config/protocols/five-judge.yaml, read and checked into values that the scoring functions take."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from assay.canonical import plain
from assay.documents import read_yaml
from assay.fivejudge.exact import total
from assay.problems import UserError

DEFAULT = Path(__file__).parents[3] / "config/protocols/five-judge.yaml"
WEIGHED = ("objective", "process", "strategy", "recovery")
_LEAST, _LEAST_OBJECTIVE, _CALIBRATION = 5, 30, 5


@dataclass(frozen=True)
class Range:
    """A good range. `low` and `high` may be None (no bound); an open bound is not part of the range."""

    low: Decimal | None
    high: Decimal | None
    low_open: bool
    high_open: bool

    def holds(self, value: Any) -> bool:
        """Say whether an exact value lies in the range."""
        above = self.low is None or value > self.low or (value == self.low and not self.low_open)
        below = self.high is None or value < self.high or (value == self.high and not self.high_open)
        return above and below

    def words(self) -> str:
        """Write the range as a judge reads it: `< 120`, `5 to 15`."""
        if self.low is not None and self.high is not None:
            return f"{plain(self.low)} to {plain(self.high)}"
        sign, bound = ("<", plain(self.high)) if self.low is None else (">", plain(self.low))
        return f"{sign} {bound}" if (self.high_open if self.low is None else self.low_open) else f"{sign}= {bound}"


@dataclass(frozen=True)
class WeightSet:
    """A named set of weights that sum to 100; `calibration` is the largest adjustment either way (0 = none)."""

    name: str
    weights: Mapping[str, Decimal]
    calibration: Decimal = Decimal(0)


@dataclass(frozen=True)
class Trigger:
    """One row of the bonus and penalty tables. `worst` is the lower end where the table gives a range; `each` means
    the points count for every instance; `needs` names the fact of the challenge without which a bonus is not true."""

    id: str
    kind: str
    title: str
    points: Decimal
    by: str
    severity: str = ""
    worst: Decimal | None = None
    each: bool = False
    needs: str = ""


@cache
def default() -> Mapping[str, Any]:
    """Return the protocol as the project ships it."""
    return load(DEFAULT)


def load(path: Path) -> Mapping[str, Any]:
    """Read and check a protocol file. Raises UserError that says what is wrong."""
    protocol = read_yaml(path)
    check(protocol)
    return protocol


def check(protocol: Mapping[str, Any]) -> None:
    """Check every weight set, trigger and range of a protocol (after a run's overrides too). Raises UserError."""
    _no_floats(protocol, "")
    weight_sets(protocol)
    triggers(protocol)
    ranges(protocol)


def _no_floats(part: object, name: str) -> None:
    if isinstance(part, float):
        raise UserError(f"five-judge protocol: {name.strip('.')} is a binary float. Read it as an exact decimal.")
    if isinstance(part, Mapping):
        for key, value in part.items():
            _no_floats(value, f"{name}.{key}")
    elif isinstance(part, list):
        for place, value in enumerate(part):
            _no_floats(value, f"{name}.{place}")


def number(value: object, name: str) -> Decimal:
    """Return a configured number exactly. Raises UserError for text and for binary floats."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise UserError(f"five-judge protocol: {name} is {value!r}, not an exact number. Write a plain decimal.")
    return Decimal(value)


def roles(protocol: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return, by model judge in the order of reports, the roles of the role map that fill it: three for Strategy."""
    made = {}
    for judge in protocol["judges"]:
        if judge["kind"] != "evidence":
            size = protocol["panel"]["size"] if judge["kind"] == "panel" else 0
            made[judge["id"]] = [f"{judge['id']}{number}" for number in range(1, size + 1)] or [judge["id"]]
    return made


def formula(protocol: Mapping[str, Any]) -> str:
    """State the scoring formula in one line (five-judge-exact.md, Composite)."""
    terms = " + ".join(f"{value} % {name}" for name, value in weight_sets(protocol)["default"].weights.items())
    values = protocol["integrity"]
    return (
        f"weighted = {terms}; anchored = min(weighted, objective) where the build or every hidden critical test fails; "
        f"final = anchored + integrity ({values['penalty_cap']} to +{values['bonus_cap']}), kept within 0 to 100"
    )


def ranges(protocol: Mapping[str, Any]) -> dict[str, Range]:
    """Return the good range of each metric."""
    found = {}
    for metric in protocol["metrics"]:
        good = {key: number(value, f"metrics.{metric['id']}.good.{key}") for key, value in metric["good"].items()}
        low, high = good.get("above", good.get("from")), good.get("below", good.get("to"))
        found[metric["id"]] = Range(low, high, "above" in good, "below" in good)
    return found


def triggers(protocol: Mapping[str, Any]) -> dict[str, Trigger]:
    """Return the bonus and penalty triggers by id, in table order. Raises UserError for a row that cannot be."""
    found = {}
    for row in protocol["integrity"]["triggers"]:
        name = f"integrity.triggers.{row['id']}"
        worst = number(row["worst"], f"{name}.worst") if "worst" in row else None
        trigger = Trigger(**{**row, "points": number(row["points"], f"{name}.points"), "worst": worst})
        bonus = trigger.kind == "bonus"
        if bonus != (trigger.points > 0) or bonus != (trigger.severity == ""):
            raise UserError(
                f"five-judge protocol: {name}: a bonus adds points, a penalty takes some and has a severity"
            )
        found[trigger.id] = trigger
    return found


def weight_sets(protocol: Mapping[str, Any]) -> dict[str, WeightSet]:
    """Return `default` and every named weight set, checked (five-judge-exact.md, Composite). Raises UserError."""
    weights = protocol["weights"]
    found = {"default": _weights("default", weights["default"])}
    for judge in WEIGHED:
        low, high = (number(bound, f"weights.ranges.{judge}") for bound in weights["ranges"][judge])
        value = found["default"].weights[judge]
        if not low <= value <= high:
            raise UserError(
                f"five-judge protocol: weights.default.{judge} is {value}, outside {low} to {high}. "
                "Weights may leave the ranges only in a named set."
            )
    for name, row in (weights.get("named") or {}).items():
        if name == "default":
            raise UserError("five-judge protocol: a named weight set cannot be called `default`")
        found[name] = _named(_weights(name, row))
    for family, name in (weights.get("families") or {}).items():
        if name not in found:
            raise UserError(f"five-judge protocol: weights.families.{family} names no weight set: {name!r}")
    return found


def weights_for(protocol: Mapping[str, Any], family: str) -> WeightSet:
    """Return the weight set of a kind of challenge: the one that `weights.families` gives it, else the default."""
    return weight_sets(protocol)[(protocol["weights"].get("families") or {}).get(family, "default")]


def _weights(name: str, row: Mapping[str, Any]) -> WeightSet:
    allowed = {*WEIGHED} if name == "default" else {*WEIGHED, "efficiency", "calibration"}
    wrong = sorted(set(row) - allowed) + sorted(set(WEIGHED) - set(row))
    if wrong:
        raise UserError(f"five-judge protocol: weight set {name!r}: unknown or missing: {', '.join(wrong)}")
    values = {key: number(value, f"weights {name}.{key}") for key, value in row.items()}
    limit = values.pop("calibration", Decimal(0))
    if any(value < 0 for value in values.values()) or total(values.values()) != 100:
        raise UserError(f"five-judge protocol: weight set {name!r} sums to {total(values.values())}, not to 100")
    if not 0 <= limit <= _CALIBRATION:
        raise UserError(f"five-judge protocol: weight set {name!r}: calibration is {limit}, not 0 to {_CALIBRATION}")
    return WeightSet(name, values, limit)


def _named(made: WeightSet) -> WeightSet:
    objective = made.weights["objective"]
    others = [value for key, value in made.weights.items() if key != "objective"]
    if objective < _LEAST_OBJECTIVE or objective <= max(others):
        raise UserError(
            f"five-judge protocol: weight set {made.name!r}: Objective is {objective}; "
            f"it must be the largest part and at least {_LEAST_OBJECTIVE}"
        )
    if min(others) < _LEAST:
        raise UserError(f"five-judge protocol: weight set {made.name!r}: no part may be under {_LEAST}")
    return made
