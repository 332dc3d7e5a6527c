"""changes.diff: a unified diff as git, diff -u and svn write it, split into files and hunks."""

import re
from dataclasses import dataclass
from pathlib import Path

from assay.runs.faults import Faults
from assay.runs.texts import MEBIBYTE, read_bytes

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_GIT = re.compile(r'diff --git (?:"a/(.*?)"|a/(.*?)) (?:"b/(.*)"|b/(.*))$')
_BINARY = re.compile(r"Binary files (.+) and (.+) differ$")
_OCTAL = re.compile(r"\\([0-7]{3}|.)")
_ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", '"': b'"', "\\": b"\\", "a": b"\a", "b": b"\b", "f": b"\f", "v": b"\v"}


@dataclass(frozen=True)
class Hunk:
    """One hunk: `id` is `path#number`, `lines` keep their first character (space, + or -)."""

    id: str
    header: str
    lines: tuple[str, ...]

    def only(self, mark: str) -> list[str]:
        """Return the lines that begin with `mark`, without it."""
        return [line[1:] for line in self.lines if line.startswith(mark)]


@dataclass(frozen=True)
class FileChange:
    """One changed file: its new path (the old one when it was removed), and its hunks in the order of the diff."""

    path: str
    old: str
    hunks: tuple[Hunk, ...]
    binary: bool = False


@dataclass(frozen=True)
class Patch:
    """A whole diff. No files = nothing was changed."""

    files: tuple[FileChange, ...] = ()

    def hunks(self) -> list[Hunk]:
        """Return every hunk in order."""
        return [hunk for change in self.files for hunk in change.hunks]


class _Open:
    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new
        self.hunks: list[Hunk] = []
        self.binary = False
        self.named = False

    @property
    def path(self) -> str:
        return self.old if self.new == "/dev/null" else self.new


def read_patch(path: Path, faults: Faults) -> Patch | None:
    """Return the diff of a file, or None and its problems; an empty file is a patch that changes nothing."""
    data = read_bytes(path, faults, 64 * MEBIBYTE)
    return None if data is None else parse_patch(data.decode("utf-8", "replace"), faults)


def parse_patch(text: str, faults: Faults) -> Patch | None:
    """Parse a unified diff. Text before the first file (the head of a mail with its author) is left out.

    A patch that holds text but names no file, a hunk that belongs to no file, and a hunk that ends early are problems.
    """
    before = faults.total
    parts = _parts(text.split("\n"), faults)
    if faults.total == before and not parts and text.strip():
        faults.add(0, "the patch names no file", "Give a unified diff with `---` and `+++` lines, as `git diff` writes")
    if faults.total != before:
        return None
    joined: dict[str, FileChange] = {}
    for part in parts:
        earlier = joined.get(part.path)
        hunks = list(earlier.hunks) if earlier else []
        for hunk in part.hunks:
            hunks.append(Hunk(f"{part.path}#{len(hunks) + 1}", hunk.header, hunk.lines))
        binary = part.binary or bool(earlier and earlier.binary)
        joined[part.path] = FileChange(part.path, earlier.old if earlier else part.old, tuple(hunks), binary)
    return Patch(tuple(joined[name] for name in sorted(joined)))


def _parts(lines: list[str], faults: Faults) -> list[_Open]:
    parts: list[_Open] = []
    at = 0
    while at < len(lines):
        line = lines[at].rstrip("\r")
        git = _GIT.match(line)
        if git:
            old, new = _unquoted(git[1], git[2]), _unquoted(git[3], git[4])
            parts.append(_Open(old, new))
        elif line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            _named(parts, _side(line[4:], "a/"), _side(lines[at + 1].rstrip("\r")[4:], "b/"))
            at += 1
        elif _HUNK.match(line):
            at = _hunk(lines, at, parts, faults)
            continue
        elif parts:
            _extended(parts[-1], line)
        at += 1
    return parts


def _named(parts: list[_Open], old: str, new: str) -> None:
    if parts and not parts[-1].named and not parts[-1].hunks:
        parts[-1].old, parts[-1].new = old, new
    else:
        parts.append(_Open(old, new))
    parts[-1].named = True


def _extended(part: _Open, line: str) -> None:
    """Read the lines between the head of a file and its first hunk."""
    if line.startswith("rename from "):
        part.old = line.removeprefix("rename from ")
    elif line.startswith("rename to "):
        part.new = line.removeprefix("rename to ")
    elif line.startswith("deleted file mode"):
        part.new = "/dev/null"
    elif line == "GIT binary patch" or _BINARY.match(line):
        part.binary = True


def _hunk(lines: list[str], at: int, parts: list[_Open], faults: Faults) -> int:
    header = lines[at].rstrip("\r")
    match = _HUNK.match(header)
    assert match is not None
    old, new = int(match[1] or 1), int(match[2] or 1)
    if not parts:
        faults.add(at + 1, "a hunk stands before any file name", "Give the diff with its `---` and `+++` lines")
    body: list[str] = []
    here = at + 1
    while (old > 0 or new > 0) and here < len(lines):
        line = lines[here].rstrip("\r")
        mark = line[:1] or " "
        if mark not in " +-\\" or (line == "" and here == len(lines) - 1):
            break
        old -= mark in " -"
        new -= mark in " +"
        if mark != "\\":
            body.append(line or " ")
        here += 1
    if old or new:
        faults.add(at + 1, "the hunk does not hold the lines that its head counts", "Give the whole diff")
    if parts:
        parts[-1].hunks.append(Hunk("", header, tuple(body)))
    return here


def _side(text: str, prefix: str) -> str:
    name = text.split("\t")[0].rstrip()
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        name = _unquoted(name[1:-1], None)
    return name.removeprefix(prefix)


def _unquoted(quoted: str | None, plain: str | None) -> str:
    if quoted is None:
        return plain or ""
    out = b""
    last = 0
    for match in _OCTAL.finditer(quoted):
        out += quoted[last : match.start()].encode("utf-8")
        code = match[1]
        out += bytes([int(code, 8) & 255]) if len(code) == 3 else _ESCAPES.get(code, code.encode("utf-8"))
        last = match.end()
    return (out + quoted[last:].encode("utf-8")).decode("utf-8", "replace")
