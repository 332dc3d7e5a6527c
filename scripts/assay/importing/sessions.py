"""Recorded sessions become run folders: what both importers share.

A session gives telemetry, the agent's last words as a deliverable and, where it holds one, the diff. Test results, the
build and the challenge are not in a session: they are given. Nothing is guessed from the session's text, apart from
the numbers of a test run's own summary line and from errors that its output shows.
"""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.canonical import canonical
from assay.files import write_text
from assay.fivejudge.protocol import default
from assay.fivejudge.scoring import assess
from assay.problems import UserError, listing

_LONGEST = 4000
_PASSED = re.compile(r"\b(\d+) passed\b")
_FAILED = re.compile(r"\b(\d+) (?:failed|errors?)\b")
_TEST = re.compile(
    r"\b(pytest|py\.test|unittest|tox|nosetests|go test|cargo test|npm (?:run )?test|mvn test|make test)\b"
)
_ERROR = re.compile(
    r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt): .*|.*: (?:command not found|No such file or directory)$"
)
_PURPOSES = {
    "read": "open cat head tail less goto scroll_down scroll_up ls tree view pwd git",
    "search": "find find_file search_file search_dir grep rg ag fd",
    "edit": "edit create insert str_replace apply_patch mv rm cp mkdir touch",
    "run": "python python3 node bash sh java ruby",
    "build": "make gcc cargo mvn npm pip",
}
_BY_VERB = {verb: purpose for purpose, verbs in _PURPOSES.items() for verb in verbs.split()}


@dataclass
class Session:
    """What a recording holds: events in order (rows of telemetry), the task, the last words, the diff if it has one."""

    task: str = ""
    last_words: str = ""
    diff: str | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, time: str | None, **fields: Any) -> None:
        """Add the next event; empty fields are left out."""
        kept = {name: value for name, value in fields.items() if value not in (None, "", [])}
        self.rows.append({"id": f"s{len(self.rows) + 1}", "kind": kind, "time": time, **kept})

    def step(self, time: str | None, tool: str, arguments: str, text: str, output: str, **fields: Any) -> None:
        """Add a call of a tool with what it was for, the test result that its output sums up, and its error."""
        digest = sha256(f"{tool} {arguments}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        purpose = purpose_of(arguments or tool, tool)
        result = result_of(output) if purpose == "test" else None
        call = {"tool": tool, "arguments_digest": digest, "text": text[:_LONGEST], "purpose": purpose}
        self.add("tool_call", time, **call, test_result_after=result, **fields)
        self.error(time, error_in(output))

    def error(self, time: str | None, message: str) -> None:
        """Add an error, if there is one; the same message is the same error happening again."""
        if message:
            name = sha256(message.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            self.add("error", time, message=message[:_LONGEST], error=name)


def purpose_of(command: str, tool: str = "") -> str:
    """Return what a command is for, as telemetry names it."""
    if _TEST.search(command):
        return "test"
    words = command.split()
    verb = words[0].rpartition("/")[2] if words else ""
    return _BY_VERB.get(verb, _BY_VERB.get(tool, "other"))


def result_of(output: str) -> dict[str, int] | None:
    """Return the numbers of a test run's own summary (`3 passed, 1 failed`), None where it gives none."""
    lines = [line for line in output.splitlines() if _PASSED.search(line) or _FAILED.search(line)]
    if not lines:
        return None
    passed, failed = _PASSED.search(lines[-1]), [int(number) for number in _FAILED.findall(lines[-1])]
    return {"passed": int(passed[1]) if passed else 0, "failed": sum(failed)}


def error_in(output: str) -> str:
    """Return the last line of an output that is an exception or a shell's refusal, '' if there is none."""
    found = [line.strip() for line in output.splitlines() if _ERROR.match(line.strip())]
    return found[-1] if found else ""


def seconds(value: Any) -> Decimal | int | None:
    """Return a duration as telemetry takes it, None where the recording has none."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)) or value < 0:
        return None
    return round(Decimal(value), 6)


@dataclass(frozen=True)
class Given:
    """What a session does not hold. `files` are copied into the run folder: name there -> path."""

    build_ok: bool
    challenge: Path | None = None
    files: Mapping[str, Path] = field(default_factory=dict)


def write_run_folder(target: Path, session: Session, given: Given) -> list[str]:
    """Write a run folder and check it; return notices.

    Raises UserError, and leaves nothing behind, when it is not sound or exists already.
    """
    if target.exists():
        raise UserError(f"{target} exists already: name a folder to make")
    if session.diff is None and "changes.diff" not in given.files:
        raise UserError("the session holds no diff: give one with --changes (an empty file = nothing was changed)")
    part = target.with_name(f".{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        notices = _write(part, session, given)
        _, problems = assess(part, str(target), default())
        if problems:
            raise UserError(listing(problems))
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return notices


def _write(part: Path, session: Session, given: Given) -> list[str]:
    notices = []
    if given.challenge is None:
        challenge = {
            "briefing": session.task or "Not recorded.",
            "rubric": "Judge by the briefing.",
            "family": "imported",
        }
        write_text(part / "challenge.yaml", canonical(challenge) + "\n")
        notices.append("challenge.yaml holds the session's own task; rubric and family are placeholders to edit")
    else:
        _copy(given.challenge, part / "challenge.yaml")
    write_text(part / "build.json", canonical({"ok": given.build_ok}) + "\n")
    write_text(part / "telemetry.jsonl", "".join(canonical(row) + "\n" for row in session.rows))
    if session.last_words.strip():
        write_text(part / "deliverables/last-words.md", session.last_words.rstrip() + "\n")
    if "changes.diff" not in given.files:
        write_text(part / "changes.diff", session.diff or "")
    for name, path in given.files.items():
        _copy(path, part / name)
    if not any(name.startswith("tests/") for name in given.files):
        notices.append("no test results were given: the run is unscorable until tests/hidden.xml is there")
    return notices


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise UserError(f"{source}: {error.strerror}") from None


def shown(parts: Sequence[str]) -> str:
    """Join texts that are not empty, each on its own line."""
    return "\n".join(part.strip() for part in parts if part and part.strip())
