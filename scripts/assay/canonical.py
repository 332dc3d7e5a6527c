"""Canonical JSON: one text for one value, so that its SHA-256 is a name.

Keys are sorted by code point, there is no insignificant white space, text is UTF-8, and numbers are
integers or plain decimals. Binary floating point is refused in both directions, so that no score, price
or weight can pass through it unnoticed.
"""

import hashlib
import json
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring, encode_basestring_ascii

_LONG = 500  # characters


def plain(number: Decimal) -> str:
    """Write a finite decimal without exponent, trailing zeros or a negative zero: `7.50` -> `7.5`."""
    if not number.is_finite():
        raise ValueError(f"not a finite number: {number}")
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _text(value: str) -> str:
    return _long_text(value) if len(value) > _LONG else _escaped(value)


@lru_cache(maxsize=16)
def _long_text(value: str) -> str:
    """Return the same as `_escaped`: the texts of a packet stand in its hash, its rendering and its request."""
    return _escaped(value)


def _escaped(value: str) -> str:
    if value.isascii():
        return encode_basestring(value)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate: legal in JSON only as an escape
        return encode_basestring_ascii(value)
    return encode_basestring(value)


def canonical(value: object) -> str:
    """Return the canonical JSON text of `value`.

    Takes dict (string keys), list, tuple, str, int, bool, None and finite Decimal.
    Raises TypeError for anything else, binary floats among them, and ValueError for a non-finite Decimal.
    """
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{_key(key)}:{canonical(value[key])}" for key in sorted(value)]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([canonical(item) for item in value]) + "]"
    raise TypeError(f"canonical JSON cannot hold a {type(value).__name__}: {value!r}")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"canonical JSON needs text keys, not {key!r}")
    return _text(key)


def sha256(value: object) -> str:
    """Return the SHA-256 (hex) of `value`: of the bytes themselves, else of its canonical JSON."""
    data = value if isinstance(value, bytes) else canonical(value).encode("utf-8")
    return hashlib.sha256(data).hexdigest()


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(n for n in names if names.count(n) > 1)!r} stands twice in one object")
    return found


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def loads(text: str | bytes) -> object:
    """Parse JSON strictly: decimals stay exact, duplicate keys, NaN and Infinity raise ValueError."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
