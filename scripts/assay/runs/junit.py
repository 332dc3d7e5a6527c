"""JUnit XML as the common reporters write it: pytest, Maven Surefire, Go, Jest, xUnit, Bazel, ScalaTest.

The parser is event driven, keeps only what is scored, and reads no document type: entities that are declared in a
file (and with them external ones and those that grow without bound) are a problem, never expanded.
"""

import xml.parsers.expat as expat
from dataclasses import dataclass, field
from pathlib import Path

from assay.runs.faults import Faults
from assay.runs.texts import MEBIBYTE

LIMIT = 256 * MEBIBYTE
_DEPTH = 64
_MESSAGE = 2000
_BAD = {"failure": "failed", "error": "failed"}
_SKIPPED_STATUS = {"skipped", "disabled", "notrun", "suppressed", "ignored", "pending", "todo"}
_FAILED_STATUS = {"failed", "errored", "error", "failure", "broken"}
_FLAKY = {"flakyFailure", "flakyError", "rerunFailure", "rerunError", "rerun"}


@dataclass(frozen=True, order=True)
class TestCase:
    """One test of a suite. `result` is passed, failed or skipped (an `error` is a fail); `copies` counts the
    testcase elements of this name, `mixed` says that they disagreed, `flaky` that a repeated try went otherwise."""

    __test__ = False

    id: str
    name: str
    classname: str
    result: str
    message: str = ""
    copies: int = 1
    mixed: bool = False
    flaky: bool = False


@dataclass
class _Case:
    name: str
    classname: str
    line: int
    status: str
    found: set[str] = field(default_factory=set)
    message: str | None = None
    body: list[str] = field(default_factory=list)
    flaky: bool = False


class _Reader:
    """Follows the elements of one file and collects its test cases."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.path: list[str] = []
        self.suites: list[str] = []
        self.case: _Case | None = None
        self.reading = False
        self.cases: list[TestCase] = []
        self.declared = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.doctype

    def doctype(self, *_: object) -> None:
        raise ValueError("the file declares a document type, which a test report has no need of")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if not self.path and name not in ("testsuites", "testsuite"):
            raise ValueError(f"the outermost element is <{tag}>, not <testsuites> or <testsuite>")
        self.path.append(name)
        if len(self.path) > _DEPTH:
            raise ValueError(f"elements are nested more than {_DEPTH} deep")
        if name == "testsuite":
            self.suites.append(attributes.get("name", "").strip())
            self.declared += _count(attributes.get("tests"))
        elif name == "testcase":
            self.case = self.begin(attributes)
        elif self.case is not None:
            self.outcome(name, attributes)
        elif name in _BAD and self.path[-2] in ("testsuite", "testsuites"):
            self.suite_fault(attributes)

    def begin(self, attributes: dict[str, str]) -> _Case:
        classname = attributes.get("classname", attributes.get("class", "")).strip()
        states = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
        failed, skipped = states & _FAILED_STATUS, states & _SKIPPED_STATUS
        status = "failed" if failed else "skipped" if skipped else "passed"
        name = attributes.get("name", "").strip()
        return _Case(name, classname, self.parser.CurrentLineNumber, status)

    def outcome(self, name: str, attributes: dict[str, str]) -> None:
        case = self.case
        if case is None or self.path[-2] != "testcase":
            return
        case.flaky = case.flaky or name in _FLAKY
        if name in _BAD or name == "skipped":
            first = name in _BAD and "failed" not in case.found
            case.found.add(_BAD.get(name, "skipped"))
            if first or case.message is None:
                case.message = attributes.get("message") or None
                case.body.clear()
                self.reading = case.message is None

    def suite_fault(self, attributes: dict[str, str]) -> None:
        suite = next((name for name in reversed(self.suites) if name), "") or "suite"
        message = attributes.get("message", "")[:_MESSAGE]
        self.cases.append(TestCase(f"{suite}::(suite)", "(suite)", suite, "failed", message))

    def text(self, data: str) -> None:
        if self.reading and self.case is not None and sum(map(len, self.case.body)) < _MESSAGE:
            self.case.body.append(data)

    def end(self, tag: str) -> None:
        name = self.path.pop()
        if name == "testsuite":
            self.suites.pop()
        elif name == "testcase" and self.case is not None:
            self.finish(self.case)
            self.case = None
        elif name in _BAD or name == "skipped":
            self.reading = False

    def finish(self, case: _Case) -> None:
        if not case.name:
            self.faults.add(case.line, "a testcase has no name", "Name it; a test without a name cannot be shown")
            return
        result = "failed" if "failed" in case.found else "skipped" if "skipped" in case.found else case.status
        group = case.classname or next((name for name in reversed(self.suites) if name), "")
        body = next((line.strip() for line in "".join(case.body).splitlines() if line.strip()), "")
        message = (case.message or body)[:_MESSAGE] if result != "passed" else ""
        test = f"{group}::{case.name}" if group else case.name
        self.cases.append(TestCase(test, case.name, group, result, message, flaky=case.flaky))


def _count(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


def read_junit(path: Path, faults: Faults) -> tuple[TestCase, ...] | None:
    """Return the tests of a JUnit file, sorted by id, one for each id, or None and its problems.

    Several testcase elements of one name become one test: failed when any failed, else passed when any passed.
    A suite that says it ran tests but lists none is a problem, since nobody can say what happened to them.
    """
    reader = _Reader(faults)
    before = faults.total
    try:
        if path.stat().st_size > LIMIT:
            raise ValueError(f"the file is larger than {LIMIT} bytes")
        with open(path, "rb") as source:
            reader.parser.ParseFile(source)
    except OSError as error:
        faults.add(0, f"the file cannot be read: {error.strerror}", "Mend the file or its permissions")
    except expat.ExpatError as error:
        text = f"broken XML: {expat.ErrorString(error.code)}"
        faults.add(error.lineno, text, "Run the tests again and keep the whole report")
    except (ValueError, LookupError) as error:
        faults.add(reader.parser.CurrentLineNumber, str(error), "Give the report as the test runner writes it")
    if faults.total == before and not reader.cases and reader.declared:
        text = f"the report says that {reader.declared} tests ran but lists none of them"
        faults.add(0, text, "Run the tests again and keep the whole report")
    return merged(reader.cases) if faults.total == before else None


def merged(cases: list[TestCase]) -> tuple[TestCase, ...]:
    """Return one test for each id, sorted by id; see `read_junit` for how copies are joined."""
    groups: dict[str, list[TestCase]] = {}
    for case in cases:
        groups.setdefault(case.id, []).append(case)
    return tuple(_joined(groups[key]) for key in sorted(groups))


def _joined(copies: list[TestCase]) -> TestCase:
    results = {case.result for case in copies}
    result = next(word for word in ("failed", "passed", "skipped") if word in results)
    first = min(case for case in copies if case.result == result)
    return TestCase(
        first.id,
        first.name,
        first.classname,
        result,
        first.message,
        sum(case.copies for case in copies),
        len(results) > 1,
        any(case.flaky for case in copies),
    )
