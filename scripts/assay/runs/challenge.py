"""challenge.yaml, build.json, runtime.json and benchmarks.json: the small records of a run folder."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from assay.runs.faults import Faults
from assay.runs.texts import read_json, read_yaml


@dataclass(frozen=True)
class DynamicTest:
    """A hidden test with inputs drawn anew: the test of the published input, and those of all the others."""

    name: str
    published: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class Challenge:
    """What the agent was asked, and what is known about the task. Models see the briefing and the rubric alone."""

    briefing: str
    rubric: str
    family: str
    known_deceptions: tuple[str, ...] = ()
    unsafe_requirements: tuple[str, ...] = ()
    no_change_expected: bool = False
    restricted_paths: tuple[str, ...] = ()
    workspace: str = "/workspace"
    dynamic_tests: tuple[DynamicTest, ...] = ()


@dataclass(frozen=True)
class Build:
    """Whether the solution built."""

    ok: bool
    command: str = ""
    exit_code: int | None = None
    log: str = ""


@dataclass(frozen=True)
class Crash:
    """One crash or unhandled exception."""

    kind: str
    message: str
    log: str = ""


@dataclass(frozen=True)
class Benchmarks:
    """Bonus for performance (0 to 5) and the measurements behind it."""

    bonus: Decimal
    measurements: tuple[dict[str, Any], ...]


def read_challenge(path: Path, faults: Faults) -> Challenge | None:
    """Return the challenge, or None and its problems."""
    value = read_yaml(path, "challenge", faults)
    if value is None:
        return None
    tests = value.pop("dynamic_tests", [])
    parts = {key: tuple(item) if isinstance(item, list) else item for key, item in value.items()}
    dynamic = tuple(DynamicTest(test["name"], test["published"], tuple(test["others"])) for test in tests)
    return Challenge(**parts, dynamic_tests=dynamic)


def read_build(path: Path, faults: Faults) -> Build | None:
    """Return the build's result, or None and its problems; `ok` that its exit code contradicts is a problem."""
    value = read_json(path, "build", faults)
    if value is None:
        return None
    build = Build(**value)
    if build.exit_code is not None and build.ok != (build.exit_code == 0):
        text = f"ok is {str(build.ok).lower()} but exit_code is {build.exit_code}"
        faults.add(0, text, "Say what happened: ok is true exactly when the exit code is 0")
        return None
    return build


def read_runtime(path: Path, faults: Faults) -> tuple[Crash, ...] | None:
    """Return the crashes, or None and the file's problems."""
    value = read_json(path, "runtime", faults)
    return None if value is None else tuple(Crash(**crash) for crash in value["crashes"])


def read_benchmarks(path: Path, faults: Faults) -> Benchmarks | None:
    """Return the benchmarks, or None and their problems."""
    value = read_json(path, "benchmarks", faults)
    return None if value is None else Benchmarks(Decimal(value["bonus"]), tuple(value["measurements"]))
