"""JSON Lines read as a stream: one line in memory at a time, each with its number."""

from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.canonical import loads
from assay.runs.faults import Faults
from assay.runs.texts import MEBIBYTE

LONGEST = MEBIBYTE
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def raw_lines(path: Path, faults: Faults) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, bytes) of each line that is not blank. A line over 1 MiB is a problem and is left out."""
    try:
        with open(path, "rb") as source:
            number = 0
            while line := source.readline(LONGEST):
                number += 1
                if len(line) == LONGEST and not line.endswith(b"\n"):
                    while (rest := source.readline(LONGEST)) and not rest.endswith(b"\n"):
                        pass
                    text = f"the line is longer than {LONGEST} bytes"
                    faults.add(number, text, "Keep long output in a file of its own, and its digest in the event")
                elif not line.isspace():
                    yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    except OSError as error:
        faults.add(0, f"the file cannot be read: {error.strerror}", "Mend the file or its permissions")


def json_lines(
    path: Path, faults: Faults, wanted: Collection[int] | None = None
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield (line number, length in bytes, object) of each line that is a JSON object; the others are problems.

    `wanted` are the line numbers to parse (None = all); the others are passed over.
    """
    for number, line in raw_lines(path, faults):
        if wanted is not None and number not in wanted:
            continue
        try:
            value = loads(line)
        except ValueError as error:
            faults.add(number, f"not valid JSON: {error}", "Write one JSON object a line, in UTF-8")
            continue
        if b"\\ud" in line or b"\\uD" in line:
            value = _whole(value)
        if isinstance(value, dict):
            yield number, len(line), value
        else:
            faults.add(number, "the line is not a JSON object", "Write one JSON object a line")


def _whole(value: Any) -> Any:
    """Put U+FFFD for halves of characters, which recorders leave where they cut a text."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


def micros(text: str) -> int:
    """Return an ISO 8601 time as whole microseconds since 1970 in UTC (finer parts are cut off).

    Raises ValueError when it is not such a time, or has no zone.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an ISO 8601 time") from None
    if moment.tzinfo is None:
        raise ValueError(f"the time {text!r} has no zone")
    gap = moment - _EPOCH
    return (gap.days * 86400 + gap.seconds) * 1000000 + gap.microseconds
