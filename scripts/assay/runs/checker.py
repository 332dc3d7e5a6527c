"""A JSON Schema turned into one quick function, for files of a million lines.

The general validator takes a good part of a millisecond for each event; this one a few microseconds. It knows the
words of the schema language that the line schemas use and refuses every other, so a schema cannot say something
that is not checked. A test holds it against the general validator on generated values.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

Check = Callable[[Any], str | None]
_NUMBERS = (int, Decimal)
_ENDLESS = 10**12
_NOTES = {"$schema", "$id", "$defs", "title", "description", "examples", "$comment"}
_KNOWN = {
    *("$ref", "type", "enum", "const", "minLength", "maxLength", "minimum", "maximum", "items", "minItems"),
    *("maxItems", "properties", "required", "additionalProperties", "anyOf"),
}
_TYPES: dict[str, Check] = {
    "string": lambda v: None if isinstance(v, str) else "is not text",
    "boolean": lambda v: None if isinstance(v, bool) else "is not true or false",
    "null": lambda v: None if v is None else "is not null",
    "integer": lambda v: None if isinstance(v, int) and not isinstance(v, bool) else "is not a whole number",
    "number": lambda v: None if isinstance(v, _NUMBERS) and not isinstance(v, bool) else "is not a number",
    "array": lambda v: None if isinstance(v, list) else "is not a list",
    "object": lambda v: None if isinstance(v, dict) else "is not an object",
}


def compiled(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> Check:
    """Return a function that gives None for a value that meets `schema`, else its first fault in words.

    Raises ValueError when the schema uses a word that this checker does not know.
    """
    root = schema if root is None else root
    unknown = set(schema) - _KNOWN - _NOTES
    if unknown:
        raise ValueError(f"the quick checker does not know {sorted(unknown)}")
    if "$ref" in schema:
        if set(schema) - _NOTES != {"$ref"}:
            raise ValueError("the quick checker reads nothing beside $ref")
        return compiled(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    if schema.get("type") == "string" and not set(schema) & {"const", "enum", "anyOf"}:
        return _text(schema.get("minLength", 0), schema.get("maxLength", _ENDLESS))
    steps = [*_plain(schema), *_containers(schema, root)]
    if len(steps) == 1:
        return steps[0]

    def check(value: Any) -> str | None:
        for step in steps:
            fault = step(value)
            if fault:
                return fault
        return None

    return check


def _plain(schema: Mapping[str, Any]) -> list[Check]:
    steps: list[Check] = []
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        steps.append(_TYPES[names[0]] if len(names) == 1 else _any([_TYPES[name] for name in names]))
    if "const" in schema:
        steps.append(_among([schema["const"]]))
    if "enum" in schema:
        steps.append(_among(schema["enum"]))
    if "minLength" in schema or "maxLength" in schema:
        steps.append(_length(str, schema.get("minLength", 0), schema.get("maxLength", _ENDLESS), "characters"))
    if "minItems" in schema or "maxItems" in schema:
        steps.append(_length(list, schema.get("minItems", 0), schema.get("maxItems", _ENDLESS), "items"))
    if "minimum" in schema or "maximum" in schema:
        steps.append(_range(schema.get("minimum"), schema.get("maximum")))
    return steps


def _containers(schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Check]:
    steps: list[Check] = []
    if "anyOf" in schema:
        steps.append(_any([compiled(part, root) for part in schema["anyOf"]]))
    if "items" in schema:
        steps.append(_items(compiled(schema["items"], root)))
    if "properties" in schema or "required" in schema or "additionalProperties" in schema:
        steps.append(_object(schema, root))
    return steps


def _text(low: int, high: int) -> Check:
    """Type and length at once: most of the fields of a long file are text."""
    text = f"is not text of {low} to {high} characters"
    return lambda value: None if isinstance(value, str) and low <= len(value) <= high else text


def _any(checks: list[Check]) -> Check:
    def check(value: Any) -> str | None:
        faults = [fault for fault in (part(value) for part in checks) if fault]
        return " and ".join(dict.fromkeys(faults)) if len(faults) == len(checks) else None

    return check


def _among(values: list[Any]) -> Check:
    kinds = {(type(value), value) for value in values}
    text = f"is not one of {', '.join(map(str, values))}"
    return lambda v: None if isinstance(v, (str, int, Decimal)) and (type(v), v) in kinds else text


def _length(kind: type, low: int, high: int, unit: str) -> Check:
    text = f"has not {low} to {high} {unit}"
    return lambda v: None if not isinstance(v, kind) or low <= len(v) <= high else text


def _range(low: Any, high: Any) -> Check:
    def check(value: Any) -> str | None:
        if isinstance(value, bool) or not isinstance(value, _NUMBERS):
            return None
        if (low is not None and value < low) or (high is not None and value > high):
            return f"is not in the range {low} to {'any' if high is None else high}"
        return None

    return check


def _items(part: Check) -> Check:
    def check(value: Any) -> str | None:
        if isinstance(value, list):
            for number, item in enumerate(value, 1):
                fault = part(item)
                if fault:
                    return f"item {number} {fault}"
        return None

    return check


def _object(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Check:
    parts = {name: compiled(part, root) for name, part in schema.get("properties", {}).items()}
    required = tuple(schema.get("required", ()))
    more = schema.get("additionalProperties", True)
    other = compiled(more, root) if isinstance(more, Mapping) else None

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return None
        for name in required:
            if name not in value:
                return f"lacks the field `{name}`"
        for name, item in value.items():
            part = parts.get(name, other)
            if part is not None:
                fault = part(item)
                if fault:
                    return f"field `{name}` {fault}"
            elif more is False and name not in parts:
                return f"holds the unknown field `{name}`"
        return None

    return check
