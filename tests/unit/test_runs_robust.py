"""Whatever stands in a file, a reader gives a value or problems, never an exception."""

import json

import pytest
from fivejudge_cases import DIFF, event, junit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.runs.challenge import read_benchmarks, read_build, read_challenge, read_runtime
from assay.runs.faults import Faults
from assay.runs.junit import read_junit
from assay.runs.patch import read_patch
from assay.runs.sandbox import sandbox_events
from assay.runs.sarif import read_sarif
from assay.runs.severity import read_severity
from assay.runs.telemetry import scan

SARIF = {
    "version": "2.1.0",
    "runs": [
        {"tool": {"driver": {"name": "T", "rules": [{"id": "R"}]}}, "results": [{"ruleId": "R", "level": "error"}]}
    ],
}
READERS = {
    "junit": (read_junit, junit({"a": "passed", "b": "failed"})),
    "sarif": (read_sarif, json.dumps(SARIF)),
    "patch": (read_patch, DIFF),
    "severity": (read_severity, "test\tlevel\na\thigh\n"),
    "challenge": (read_challenge, "briefing: b\nrubric: r\nfamily: f\nrestricted_paths: [a]\n"),
    "build": (read_build, '{"ok": true}'),
    "runtime": (read_runtime, '{"crashes": []}'),
    "benchmarks": (read_benchmarks, '{"bonus": 1, "measurements": [{"name": "t", "value": 1}]}'),
    "telemetry": (scan, json.dumps(event("action", 1)) + "\n"),
    "sandbox": (lambda p, f: list(sandbox_events(p, f)), '{"kind": "network", "host": "h", "allowed": true}\n'),
}
HEALTH = [HealthCheck.function_scoped_fixture]


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60, deadline=None, suppress_health_check=HEALTH)
@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 20))
def test_broken_file_gives_problems_not_exceptions(tmp_path, name, junk, place, cut):
    reader, good = READERS[name]
    data = good.encode()
    path = tmp_path / "file"
    path.write_bytes(data[:place] + junk + data[place + cut :])
    faults = Faults("file")
    value = reader(path, faults)
    assert value is not None or faults.total


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "text", ["", "\x00", "[" * 100000, '{"a":' * 5000, "9" * 5000, "a: " + "9" * 5000, "\ufeff", "- " * 50000]
)
def test_odd_file_gives_problems_not_exceptions(tmp_path, name, text):
    path = tmp_path / "file"
    path.write_text(text, "utf-8")
    faults = Faults("file")
    READERS[name][0](path, faults)


WORDS = (
    "runs tool driver rules results ruleId ruleIndex rule index properties security-severity level kind message text "
    "locations name toolComponent"
).split()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.sampled_from(["error", "R", "9.1", ""]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(WORDS),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=HEALTH)
@given(JSON, JSON)
def test_sarif_of_any_shape(tmp_path, result, tool):
    path = tmp_path / "file"
    path.write_text(json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": tool}, "results": [result]}]}))
    faults = Faults("file")
    assert read_sarif(path, faults) is not None or faults.total


@settings(max_examples=200, deadline=None, suppress_health_check=HEALTH)
@given(st.text(alphabet="0123456789-:.TZ+W ", max_size=30))
def test_time_of_any_shape(tmp_path, text):
    path = tmp_path / "file"
    path.write_text(json.dumps({"id": "a", "kind": "action", "time": text}))
    scan(path, Faults("file"))
