"""sandbox.jsonl: what the agent's processes did or tried, read as a stream."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from assay.runs.checker import Check, compiled
from assay.runs.faults import Faults
from assay.runs.lines import json_lines, micros
from assay.runs.texts import schema_of

KINDS = ("file_access", "network", "process")


class SandboxEvent(NamedTuple):
    """One line of the log; judges refer to it as `sandbox:LINE`. `size` is its length in bytes."""

    line: int
    size: int
    data: Mapping[str, Any]

    @property
    def ref(self) -> str:
        """The reference by which evidence names this line."""
        return f"sandbox:{self.line}"


@cache
def _checks() -> dict[str, Check]:
    schema = schema_of("sandbox-event")
    return {kind: compiled(schema["$defs"][kind], schema) for kind in KINDS}


def sandbox_events(path: Path, faults: Faults) -> Iterator[SandboxEvent]:
    """Yield the sound lines of a sandbox log; every other line becomes a problem with its number."""
    quick = _checks()
    for number, size, data in json_lines(path, faults):
        kind = data.get("kind")
        check = quick.get(kind) if isinstance(kind, str) else None
        if check is None:
            faults.add(number, f"the kind {kind!r} is unknown", f"Use one of {', '.join(KINDS)}")
            continue
        fault = check(data)
        if fault:
            faults.add(number, f"the event {fault}", "See schemas/sandbox-event.schema.yaml")
            continue
        try:
            if data.get("time") is not None:
                micros(data["time"])
        except ValueError as error:
            faults.add(number, str(error), "Write it like 2026-05-01T09:30:00Z or with +02:00 at the end")
            continue
        yield SandboxEvent(number, size, data)
