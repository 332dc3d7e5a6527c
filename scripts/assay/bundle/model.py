"""The values that a bundle is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path


@dataclass(frozen=True)
class Configuration:
    """One lane that produced answers. `model_snapshots` is empty when the bundle does not say who may answer."""

    id: str
    title: str
    model_snapshots: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One technique under test. `spec` is empty when it has no specification text: then it is unscorable.

    Of the five-judge protocol: one challenge, with the path of its challenge.yaml and of its starting point (a file or
    a folder, empty = not held).
    """

    key: str
    family: str
    id: str
    name: str
    target: str
    spec: str
    prompt: str
    source: str
    row: int
    challenge: str = ""
    start: str = ""


@dataclass(frozen=True)
class Capture:
    """One (entry, configuration). Unknown cost (US dollars) or minutes are None, never 0.

    `accepted` is None where the sheet says neither yes nor no: a fault that stops the run.
    Of the five-judge protocol: one recorded run, in the folder `run`.
    """

    entry: str
    configuration: str
    accepted: bool | None
    reason: str
    answer: str
    visual: str
    model_snapshot: str
    cost_usd: Decimal | None
    minutes: Decimal | None
    notes: str
    prompt: str
    row: int
    run: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.entry, self.configuration


@dataclass(frozen=True)
class Bundle:
    """A bundle as its sheets tell it. `folder` is relative to the work directory; paths in it are relative to it.

    Where bundle.yaml cannot be understood, `id` is empty and nothing is `expected`: then only what the sheets say
    by themselves can be checked. `expected` is None where neither the bundle nor its protocol says how much a complete
    one holds.
    """

    folder: Path
    id: str
    title: str
    licence: str
    protocol: str
    role_map: str
    configurations: tuple[Configuration, ...]
    entries: Mapping[str, Entry]
    captures: tuple[Capture, ...]
    expected: Mapping[str, int] | None
    shared_ids: Mapping[str, str]

    @property
    def recorded(self) -> bool:
        """Whether the bundle holds recorded runs (five-judge protocol) and not answers."""
        return self.protocol == "five-judge"

    def files(self, capture: Capture) -> dict[str, str]:
        """Return a capture's files by what they are: answer, prompt, specification and, if it has one, visual."""
        entry = self.entries[capture.entry]
        named = {"answer": capture.answer, "prompt": entry.prompt, "specification": entry.spec}
        if capture.visual:
            named["visual"] = capture.visual
        return {what: str(self.folder / name) for what, name in named.items()}
