"""Evidence references: what a packet holds that a judge may point to, and whether a judge's references exist."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

LINES = "lines"


def references(view: Mapping[str, Any]) -> frozenset[str]:
    """Return every reference of a judge's view: each `ref` in it, and each line of the texts that it shows.

    `event:ID`, `test:SUITE:ID`, `hunk:PATH#N`, `sandbox:LINE`, `security:RUN.N`, `line:PATH:N`. Numbered texts are
    objects with `path` and `lines` (the lines in order, counted from 1).
    """
    return frozenset(texts(view))


def texts(view: Mapping[str, Any]) -> dict[str, str]:
    """Return, by reference, the words that a view shows there: a line, or all text of the row with that `ref`."""
    found: dict[str, str] = {}
    waiting: list[Any] = [view]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if isinstance(part.get("ref"), str):
                found[part["ref"]] = " ".join(_words(part))
            if isinstance(part.get(LINES), (list, tuple)) and isinstance(part.get("path"), str):
                found.update((f"line:{part['path']}:{number}", line) for number, line in enumerate(part[LINES], 1))
            waiting.extend(part.values())
        elif isinstance(part, (list, tuple)):
            waiting.extend(part)
    return found


def _words(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _words(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from _words(value)


def invalid(given: Iterable[str], known: frozenset[str]) -> list[str]:
    """Return, in order, the references that point to nothing in the packet; any of them makes a verdict invalid."""
    return [reference for reference in given if reference not in known]


def numbered(path: str, text: str) -> dict[str, Any]:
    """Return a text as a packet holds it, so that a judge can point to its lines."""
    lines = text.split("\n")
    return {"path": path, LINES: lines[:-1] if lines and lines[-1] == "" else lines}
