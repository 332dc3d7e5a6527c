"""A whole run folder, checked in one pass: everything that is wrong with it is said at once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from assay.problems import Problem
from assay.runs.challenge import (
    Benchmarks,
    Build,
    Challenge,
    Crash,
    read_benchmarks,
    read_build,
    read_challenge,
    read_runtime,
)
from assay.runs.faults import Faults
from assay.runs.junit import TestCase, read_junit
from assay.runs.patch import Patch, read_patch
from assay.runs.sandbox import sandbox_events
from assay.runs.sarif import SecurityFinding, read_sarif
from assay.runs.severity import read_severity, unmatched
from assay.runs.telemetry import Fold, Trace, scan
from assay.runs.texts import read_text

REQUIRED = ("challenge.yaml", "build.json", "changes.diff", "telemetry.jsonl")
OPTIONAL = {
    "tests/static.xml": "no static test suite",
    "tests/hidden.xml": "no hidden test suite",
    "tests/rerun.xml": "no reproducibility check: the hidden suite was not run again",
    "tests/severity.tsv": "no levels: every test is medium",
    "runtime.json": "no record of crashes: none is counted",
    "security.sarif": "no security scan: no finding is counted",
    "benchmarks.json": "benchmarks do not apply",
    "plan.md": "no plan",
    "sandbox.jsonl": "no sandbox log: restricted paths and blocked connections were not looked for",
}
T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """A sound run folder. A suite, scan or log that the folder does not hold is None, and `notes` says so."""

    folder: Path
    challenge: Challenge
    build: Build
    patch: Patch
    trace: Trace
    static: tuple[TestCase, ...] | None = None
    hidden: tuple[TestCase, ...] | None = None
    rerun: tuple[TestCase, ...] | None = None
    levels: dict[str, str] = field(default_factory=dict)
    crashes: tuple[Crash, ...] = ()
    security: tuple[SecurityFinding, ...] = ()
    benchmarks: Benchmarks | None = None
    plan: str = ""
    deliverables: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class _Folder:
    def __init__(self, folder: Path, label: str, only: Collection[str] | None) -> None:
        self.folder = folder
        self.label = label
        self.only = only
        self.problems: list[Problem] = []

    def has(self, name: str) -> bool:
        """Say whether the folder holds a file that is wanted."""
        return (self.only is None or name in self.only) and (self.folder / name).exists()

    def read(self, name: str, reader: Callable[[Path, Faults], T], absent: T) -> T:
        """Read one file of the folder; `absent` when it is not there."""
        path = self.folder / name
        if not self.has(name):
            return absent
        faults = Faults(f"{self.label}/{name}")
        value = reader(path, faults)
        self.problems += faults.problems()
        return value

    def say(self, name: str, text: str, todo: str) -> None:
        self.problems.append(Problem(f"{self.label}/{name}" if name else self.label, 0, text, todo))


def read_run(
    folder: Path, label: str, folds: Sequence[Fold] = (), only: Collection[str] | None = None
) -> tuple[Run | None, list[Problem]]:
    """Check and read a run folder; return the run (None when anything is wrong) and all of its problems.

    `label` names the folder in messages. `folds` are given every event of the telemetry on the way, so that metrics
    and detectors need no second reading of a large file. `only` names the files to open (None = all): the parts of
    the others are then as if they were not there, and None where a run cannot be without them.
    """
    here = _Folder(folder, label, only)
    if not folder.is_dir():
        here.say("", "the run folder is missing", "Put it there, or mend the path in captures.tsv")
        return None, here.problems
    if only is None:
        _check_names(here)
    parts = {
        "challenge": here.read("challenge.yaml", read_challenge, None),
        "build": here.read("build.json", read_build, None),
        "patch": here.read("changes.diff", read_patch, None),
        "trace": here.read("telemetry.jsonl", lambda path, faults: _session(path, faults, folds), None),
        "levels": here.read("tests/severity.tsv", read_severity, {}),
        "crashes": here.read("runtime.json", read_runtime, ()),
        "security": here.read("security.sarif", read_sarif, ()),
        "benchmarks": here.read("benchmarks.json", read_benchmarks, None),
        "plan": here.read("plan.md", read_text, ""),
        "deliverables": _deliverables(here),
        **_suites(here),
    }
    here.read("sandbox.jsonl", _drain, None)
    if here.problems:
        return None, sorted(here.problems)
    return Run(folder, **parts, notes=_notes(folder, parts) if only is None else ()), []


def unscorable(folder: Path) -> str:
    """Say why a run can have no score, '' if it can: it built, but neither suite was run (Objective)."""
    if any((folder / "tests" / name).exists() for name in ("static.xml", "hidden.xml")):
        return ""
    build = read_build(folder / "build.json", Faults("build.json"))
    return "the run has no test suite" if build is not None and build.ok else ""


def _suites(here: _Folder) -> dict[str, tuple[TestCase, ...] | None]:
    suites = {name: here.read(f"tests/{name}.xml", read_junit, None) for name in ("static", "hidden", "rerun")}
    if here.has("tests/rerun.xml") and not here.has("tests/hidden.xml"):
        here.say("tests/rerun.xml", "the hidden suite was run again but its first run is missing", "Add hidden.xml")
    return suites


def _deliverables(here: _Folder) -> dict[str, str]:
    names = sorted(path.relative_to(here.folder).as_posix() for path in here.folder.glob("deliverables/**/*.md"))
    return {name: here.read(name, read_text, "") or "" for name in names if here.has(name)}


def _notes(folder: Path, parts: Mapping[str, Any]) -> tuple[str, ...]:
    notes = [text for name, text in OPTIONAL.items() if not (folder / name).exists()]
    tests = [test for name in ("static", "hidden", "rerun") for test in parts[name] or ()]
    lost = unmatched(parts["levels"], tests)
    return (*notes, *(f"tests/severity.tsv gives a level to {name!r}, which is in no suite" for name in lost))


def _check_names(here: _Folder) -> None:
    for name in REQUIRED:
        if not (here.folder / name).is_file():
            here.say(name, "the file is missing", "Every run folder needs it (an empty changes.diff = no change)")
    root = here.folder.resolve()
    for path in sorted(here.folder.rglob("*")):
        name = path.relative_to(here.folder).as_posix()
        if not path.resolve().is_relative_to(root):
            here.say(name, "it leads out of the run folder", "Put the file itself there")
        elif path.is_file() and not path.name.startswith("."):
            known = name in REQUIRED or name in OPTIONAL
            if not known and not (name.startswith("deliverables/") and name.endswith(".md")):
                here.say(name, "no such file belongs in a run folder", "Mend its name, or take it away")


def _session(path: Path, faults: Faults, folds: Sequence[Fold]) -> Trace:
    trace = scan(path, faults, folds)
    if not trace.lines and not faults.total:
        faults.add(0, "the telemetry holds no event", "Record the session: at least its first and last event")
    return trace


def _drain(path: Path, faults: Faults) -> None:
    for _ in sandbox_events(path, faults):
        pass
