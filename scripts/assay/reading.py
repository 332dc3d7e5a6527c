"""The reader of verdicts: a contract says what a judge must return, and nothing else is ever taken for it.

A contract is a small tree of field kinds. The schema that is sent to the API and the check of what comes back are both
made from it, so they cannot differ. No score is clamped, rescaled, rounded or defaulted.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from assay.canonical import plain
from assay.reading_json import Unreadable, parse_inside, parse_whole

__all__ = ["Choice", "Contract", "Fields", "Items", "Kind", "Nonce", "Reading", "Score", "Text", "Unreadable"]
__all__ += ["read_object", "response_schema"]


class Score(NamedTuple):
    """A number from `minimum` to `maximum`, both included; whole numbers alone if not `decimals`."""

    minimum: Decimal
    maximum: Decimal
    decimals: bool = True
    description: str = ""


class Text(NamedTuple):
    """Any text; not an empty one if `needed`."""

    needed: bool = False
    description: str = ""


class Nonce(NamedTuple):
    """The packet's nonce, echoed exactly."""

    description: str = "the nonce of this packet, copied exactly"


class Choice(NamedTuple):
    """One of a few words."""

    values: tuple[str, ...]
    description: str = ""


class Items(NamedTuple):
    """A list of one kind of thing, with a least and a greatest length (None = any)."""

    kind: "Kind"
    least: int = 0
    most: int | None = None
    description: str = ""


class Fields(NamedTuple):
    """An object with exactly these keys."""

    fields: Mapping[str, "Kind"]
    description: str = ""


Kind = Score | Text | Nonce | Choice | Items | Fields
Contract = Fields


class Reading(NamedTuple):
    """An accepted verdict: the object as the contract names it, scores as Decimal, and the repairs that it took."""

    value: dict
    repairs: tuple[str, ...] = ()


def read_object(text: str, contract: Contract, nonce: str | None = None) -> Reading:
    """Read a judge's whole answer (design, promise 2).

    `nonce` is needed if the contract has a Nonce. Prose around the object is repaired only where exactly one object
    stands in it and that object carries the nonce. Raises Unreadable with a sentence for the judge and the user, and
    ValueError if contract and nonce do not belong together.
    """
    if _has_nonce(contract) != (nonce is not None):
        raise ValueError("a nonce is given exactly when the contract has one")
    try:
        value, repairs = parse_whole(text)
    except Unreadable as error:
        if nonce is None:
            raise
        value, repairs = _inside(text, contract, nonce, error)
    return _checked(value, contract, nonce, repairs)


def _inside(text: str, contract: Contract, nonce: str, first: Unreadable) -> tuple[object, tuple[str, ...]]:
    try:
        value, repairs = parse_inside(text)
    except Unreadable:
        raise first from None
    if not _carries(value, contract, nonce):
        raise Unreadable("text stands around the JSON object; answer with the JSON object alone")
    return value, repairs


def _has_nonce(contract: Contract) -> bool:
    return any(isinstance(kind, Nonce) for kind in contract.fields.values())


def _carries(value: object, contract: Contract, nonce: str) -> bool:
    return isinstance(value, dict) and any(
        value.get(name) == nonce for name, kind in contract.fields.items() if isinstance(kind, Nonce)
    )


def _checked(value: object, contract: Contract, nonce: str | None, repairs: tuple[str, ...]) -> Reading:
    found: list[str] = list(repairs)
    return Reading(_check(value, contract, "the answer", nonce, found), tuple(dict.fromkeys(found)))


def _check(value: object, kind: Kind, place: str, nonce: str | None, repairs: list[str]) -> object:
    """Return the value that `kind` allows; note repairs in `repairs`. Raises Unreadable."""
    if isinstance(kind, Fields):
        return _check_fields(value, kind, place, nonce, repairs)
    if isinstance(kind, Items):
        return _check_items(value, kind, place, nonce, repairs)
    if isinstance(kind, Score):
        return _check_score(value, kind, place, repairs)
    if not isinstance(value, str):
        raise Unreadable(f"{place} must be text, not {_named(value)}")
    if isinstance(kind, Nonce) and value != nonce:
        raise Unreadable(f"{place} is not the nonce of this packet")
    if isinstance(kind, Choice) and value not in kind.values:
        raise Unreadable(f"{place} must be one of {', '.join(kind.values)}")
    if isinstance(kind, Text) and kind.needed and not value.strip():
        raise Unreadable(f"{place} must not be empty")
    return value


def _check_fields(value: object, kind: Fields, place: str, nonce: str | None, repairs: list[str]) -> dict:
    if not isinstance(value, dict):
        raise Unreadable(f"{place} must be a JSON object, not {_named(value)}")
    missing = [name for name in kind.fields if name not in value]
    if missing:
        raise Unreadable(f"{place} lacks {', '.join(missing)}")
    unknown = [name for name in value if name not in kind.fields]
    if unknown:
        raise Unreadable(f"{place} has {', '.join(repr(name[:40]) for name in unknown[:5])}, which was not asked for")
    return {
        name: _check(value[name], field, name if place == "the answer" else f"{place}.{name}", nonce, repairs)
        for name, field in kind.fields.items()
    }


def _check_items(value: object, kind: Items, place: str, nonce: str | None, repairs: list[str]) -> list:
    if not isinstance(value, list):
        raise Unreadable(f"{place} must be a list, not {_named(value)}")
    if len(value) < kind.least or (kind.most is not None and len(value) > kind.most):
        most = "any number" if kind.most is None else str(kind.most)
        raise Unreadable(f"{place} must hold from {kind.least} to {most} items, not {len(value)}")
    return [_check(item, kind.kind, f"{place}[{i}]", nonce, repairs) for i, item in enumerate(value)]


def _check_score(value: object, kind: Score, place: str, repairs: list[str]) -> Decimal:
    if isinstance(value, str) and (number := _plain_decimal(value)) is not None:
        repairs.append("number in quotes")
        value = number
    if not isinstance(value, Decimal):
        raise Unreadable(f"{place} must be a number, not {_named(value)}")
    if not kind.minimum <= value <= kind.maximum:
        raise Unreadable(f"{place} must be from {plain(kind.minimum)} to {plain(kind.maximum)}, not {plain(value)}")
    if not kind.decimals and value != value.to_integral_value():
        raise Unreadable(f"{place} must be a whole number, not {plain(value)}")
    return value


def _plain_decimal(text: str) -> Decimal | None:
    """Read text that is a plain decimal number and nothing else: ASCII digits, one point with digits on both sides."""
    whole, point, fraction = text.removeprefix("-").partition(".")
    digits = whole + fraction
    if not (digits.isascii() and digits.isdigit()) or not whole or bool(point) != bool(fraction) or len(digits) > 64:
        return None
    if len(whole) > 1 and whole.startswith("0"):
        return None
    value = Decimal(text)
    return value if value else abs(value)


def _named(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    names = {dict: "an object", list: "a list", Decimal: "a number"}
    return names.get(type(value)) or f"the text {str(value)[:40]!r}"


def response_schema(kind: Kind) -> dict:
    """Return the JSON Schema of what `kind` allows: what is sent to the API is what is checked here."""
    described = {"description": kind.description} if kind.description else {}
    if isinstance(kind, Fields):
        properties = {name: response_schema(field) for name, field in kind.fields.items()}
        required = sorted(properties)
        shape = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    elif isinstance(kind, Items):
        shape = {"type": "array", "items": response_schema(kind.kind)}
        shape |= {"minItems": kind.least} if kind.least else {}
        shape |= {"maxItems": kind.most} if kind.most is not None else {}
    elif isinstance(kind, Score):
        shape = {"type": "number" if kind.decimals else "integer", "minimum": kind.minimum, "maximum": kind.maximum}
    elif isinstance(kind, Choice):
        shape = {"type": "string", "enum": list(kind.values)}
    else:
        shape = {"type": "string"}
    return {**shape, **described}
