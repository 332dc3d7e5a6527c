"""Where two versions of one file first differ, in the file's own terms: field, row and column, line, byte."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.canonical import canonical, loads
from assay.sheets import unescape

SHOWN_CHARACTERS = 80
_ABSENT = object()


def first_difference(name: str, found: bytes, expected: bytes) -> str:
    """Say where `found` first differs from `expected`, '' if it does not. `name` is the file's, for its format."""
    if found == expected:
        return ""
    try:
        ours, theirs = found.decode("utf-8"), expected.decode("utf-8")
    except UnicodeDecodeError:
        return _bytes(found, expected)
    kind = PurePosixPath(name).suffix
    if kind == ".json":
        text = _json(ours, theirs)
    elif kind == ".tsv":
        text = _tsv(ours, theirs)
    else:
        text = _lines(ours, theirs)
    return text or _bytes(found, expected)


def _bytes(found: bytes, expected: bytes) -> str:
    same = next(
        (place for place, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b),
        min(len(found), len(expected)),
    )
    return f"byte {same + 1} differs ({len(found)} bytes, expected {len(expected)})"


def _json(found: str, expected: str) -> str:
    try:
        ours = loads(found)
    except ValueError as error:
        return f"not valid JSON: {error}"
    return next(differences(ours, loads(expected)), "")


def differences(found: object, expected: object, place: str = "") -> Iterator[str]:
    """Yield where two JSON values differ, as `path: found, expected`, in the order of their keys."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted(found.keys() | expected.keys()):
            inner = f"{place}.{key}" if place else key
            yield from differences(found.get(key, _ABSENT), expected.get(key, _ABSENT), inner)
    elif isinstance(found, list) and isinstance(expected, list):
        for number in range(max(len(found), len(expected))):
            pair = [values[number] if number < len(values) else _ABSENT for values in (found, expected)]
            yield from differences(*pair, f"{place}[{number}]")
    elif found is _ABSENT or expected is _ABSENT or canonical(found) != canonical(expected):
        yield f"{place or 'the value'}: {_shown(found)}, expected {_shown(expected)}"


def _shown(value: object) -> str:
    return "nothing" if value is _ABSENT else shorten(canonical(value))


def shorten(text: str) -> str:
    """Return a text short enough to be shown in a line."""
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 3] + "..."


def _tsv(found: str, expected: str) -> str:
    ours, theirs = ([line.split("\t") for line in text.removesuffix("\n").split("\n")] for text in (found, expected))
    if ours[0] != theirs[0]:
        return f"the columns are {shorten(' '.join(ours[0]))}, expected {shorten(' '.join(theirs[0]))}"
    for number, (a, b) in enumerate(zip(ours[1:], theirs[1:], strict=False), start=2):
        if len(a) != len(b):
            return f"row {number}: {len(a)} cells, expected {len(b)}"
        for column, x, y in zip(ours[0], a, b, strict=True):
            if x != y:
                return f"row {number} ({b[0]}), column {column}: {_cell(x)}, expected {_cell(y)}"
    return f"{len(ours) - 1} rows, expected {len(theirs) - 1}" if len(ours) != len(theirs) else ""


def _cell(text: str) -> str:
    return shorten(repr(unescape(text)))


def _lines(found: str, expected: str) -> str:
    ours, theirs = found.split("\n"), expected.split("\n")
    for number, (a, b) in enumerate(zip(ours, theirs, strict=False), start=1):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            start = max(0, at - SHOWN_CHARACTERS // 2)
            return f"line {number}: {shorten(repr(a[start:]))}, expected {shorten(repr(b[start:]))}"
    return f"{len(ours)} lines, expected {len(theirs)}"
