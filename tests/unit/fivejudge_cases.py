"""Small material for the tests of the five-judge protocol: suites, sessions, run folders."""

import json
from decimal import Decimal
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from assay.fivejudge import protocol as protocols
from assay.runs.junit import TestCase
from assay.runs.telemetry import Event, parse_events

PROTOCOL = protocols.default()
D = Decimal
SHARED = (Path(__file__).parents[2] / "../shared").resolve()


def shared(name: str) -> Path:
    """Return a folder of real recordings, or skip aloud."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"REAL RECORDINGS ABSENT: {path} is not there, so this test proves nothing here")
    return path


def suite(**results: str) -> list[TestCase]:
    """`suite(a="passed", b="failed")`"""
    return [TestCase(name, name, "", result) for name, result in results.items()]


def at(seconds: float | int) -> str:
    """The time so many seconds into a session."""
    whole, part = divmod(round(seconds * 1000), 1000)
    return f"2026-05-01T{9 + whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{part:03}Z"


def event(kind: str, when: float | int | None, name: str = "", **fields: object) -> dict:
    """One event; what its kind requires is filled in."""
    needs = {
        "error": {"message": "it broke"},
        "tool_call": {"tool": "bash", "arguments_digest": f"digest of {name or kind}"},
        "patch": {"targets": ["src/a.py"]},
        "claim": {"text": "it works"},
    }
    made = {"kind": kind, "time": None if when is None else at(when), **needs.get(kind, {}), **fields}
    return {"id": name or f"{kind}-{when}", **made}


def session(*rows: dict) -> list[Event]:
    """A stream of events."""
    return parse_events(rows)


def result(passed: int, failed: int, *names: str) -> dict:
    """A test result."""
    return {"passed": passed, "failed": failed, **({"names": list(names)} if names else {})}


DIFF = """diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@
 import os
-value = 1
+value = 2
 print(value)
"""
CHALLENGE = {"briefing": "Make the value two.", "rubric": "Look at the value.", "family": "bugfix"}


def junit(tests: dict[str, str], body: str = "") -> str:
    """JUnit XML of tests by name."""
    inner = {"passed": "", "failed": f'<failure message="wrong">{body}</failure>', "skipped": "<skipped/>"}
    cases = "".join(f"<testcase name={quoteattr(name)}>{inner[r]}</testcase>" for name, r in tests.items())
    return f"<testsuites><testsuite>{cases}</testsuite></testsuites>"


def write_run(folder: Path, **files: object) -> Path:
    """Write a sound run folder; `files` replace, add (`tests__static_xml=`...) by path or, with None, leave out."""
    made: dict[str, object] = {
        "challenge.yaml": CHALLENGE,
        "build.json": {"ok": True, "exit_code": 0},
        "changes.diff": DIFF,
        "telemetry.jsonl": [event("action", 0, targets=["src/a.py"], purpose="read"), event("patch", 60)],
        "tests/static.xml": junit({"test_one": "passed"}),
        "tests/hidden.xml": junit({"test_two": "passed"}),
        "sandbox.jsonl": [],
        **files,
    }
    for name, value in made.items():
        if value is None:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".jsonl") and isinstance(value, list):
            value = "".join(json.dumps(row) + "\n" for row in value)
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return folder
