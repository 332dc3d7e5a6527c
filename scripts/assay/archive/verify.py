"""Verifying: a work directory or an unpacked archive, derived again and compared byte for byte, without a network."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.archive.compare import differences, first_difference
from assay.archive.contents import (
    CONFIG,
    JOURNAL,
    METADATA,
    PROJECT,
    README,
    SUMS,
    present_files,
    readme,
    run_files,
    workflow_files,
)
from assay.archive.crate import crate_text
from assay.archive.derive import MADE_BY_SCRIPTS, RECORDED, Derivation, derive, expected_files
from assay.archive.offline import no_network
from assay.archive.pack import parse_sums
from assay.archive.replay import Unsound
from assay.archive.software import other_versions
from assay.buying.journal import Journal
from assay.canonical import loads, sha256
from assay.documents import read_yaml
from assay.files import read_json
from assay.judging import EMBEDDED
from assay.problems import UserError
from assay.sheets import read_tsv
from assay.words import counted

# Stage -> the line of the table; in the order in which one is derived from the other.
STAGES = {
    "intake": "intake and panel, from the bundle",
    "packets": "packets, from the bundle",
    "judge checks": "judge checks, from the exchanges",
    "verdicts": "verdicts, from the exchanges",
    "software": "software, as recorded",
    "evidence": "Objective, metrics and detectors, from the run folders",
    "tables": "tables, from the verdicts",
    "checks": "checks, from all of these",
    "reports": "reports, from the tables",
}
PLACES = ("packets", "verdicts", "checks", "adjudication")
_FOLDERS = tuple(f"results/{name}" for name in (*PLACES, *MADE_BY_SCRIPTS))


@dataclass
class Line:
    """One line of the table: what was checked, how many of it, and what is wrong, as (file, what)."""

    what: str
    checked: int = 0
    faults: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str, fault: str) -> None:
        """Count one thing checked, with its fault or ''."""
        self.checked += 1
        if fault:
            self.faults.append((name, fault))


@dataclass
class Verification:
    """What verifying found. `checks` are the rows of results/tables/checks.tsv, `sums_sha256` is '' in a work
    directory."""

    lines: list[Line] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    checks: list[dict[str, str]] = field(default_factory=list)
    sums_sha256: str = ""

    def line(self, what: str) -> Line:
        """Begin the next line of the table."""
        self.lines.append(Line(what))
        return self.lines[-1]

    @property
    def faults(self) -> list[tuple[str, str]]:
        return [fault for line in self.lines for fault in line.faults]

    @property
    def failed_checks(self) -> list[dict[str, str]]:
        return [row for row in self.checks if row["result"] != "pass"]

    @property
    def passed(self) -> bool:
        return not self.faults and not self.failed_checks


def verify(folder: Path, config: Mapping | None = None) -> Verification:
    """Verify the finished run in `folder`, a work directory or an unpacked archive; nothing in it is changed.

    `config` is the run's configuration where it is not the file config/config.yaml. Raises UserError if there is
    nothing that could be verified.
    """
    folder, found = folder.resolve(), Verification()
    if not (folder / CONFIG).is_file() and config is None:
        raise UserError(f"{folder}: no work directory and no unpacked archive: it has no {CONFIG}")
    with no_network(), tempfile.TemporaryDirectory() as temporary:
        packed = (folder / SUMS).is_file()
        if packed:
            _sums(found, folder)
            _workflow(found, folder)
        made = _derive(found, folder, config, Path(temporary).resolve())
        if made:
            _stages(found, folder, made, packed)
            _store(found, folder, made, packed)
            if packed and not made.faults:
                _crate(found, folder, made)
            _software(found, folder)
    return found


def _sums(found: Verification, folder: Path) -> None:
    line, data = found.line("files, by SHA256SUMS"), (folder / SUMS).read_bytes()
    found.sums_sha256 = sha256(data)
    try:
        listed = parse_sums(data.decode("utf-8"))
    except ValueError as error:
        line.add(SUMS, str(error))
        return
    for name, digest in listed.items():
        line.add(name, _hash_fault(folder / name, digest))
    for name in sorted(present_files(folder) - listed.keys() - {SUMS}):
        line.add(name, "not listed in SHA256SUMS")


def _hash_fault(path: Path, digest: str) -> str:
    if path.is_symlink() or not path.is_file():
        return "listed in SHA256SUMS, but missing"
    return "" if hashlib.sha256(path.read_bytes()).hexdigest() == digest else "not the SHA-256 that SHA256SUMS lists"


def _workflow(found: Verification, folder: Path) -> None:
    """Compare the archived program with the one that runs, unless they are the same files."""
    if PROJECT.resolve() == (folder / "workflow").resolve():
        found.notices.append("verified by the archived program itself; a copy of Assay that you trust proves more")
        return
    line, own = found.line("the archived program, against this one"), workflow_files()
    archived = {name for name in present_files(folder) if name.startswith("workflow/")}
    for name in sorted(own.keys() | archived):
        if name not in own or name not in archived:
            line.add(name, "only in this Assay" if name in own else "only in the archive")
        else:
            line.add(name, first_difference(name, (folder / name).read_bytes(), own[name].read_bytes()))


def _derive(found: Verification, folder: Path, config: Mapping | None, fresh: Path) -> Derivation | None:
    """Derive the run again; a bundle or a configuration that is not fit to be judged is a fault, and the end."""
    try:
        return derive(folder, read_yaml(folder / CONFIG) if config is None else config, fresh)
    except UserError as error:
        found.line(STAGES["intake"]).add("the run", str(error))
        return None


def _stages(found: Verification, folder: Path, made: Derivation, packed: bool) -> None:
    for stage, what in STAGES.items():
        if stage == "evidence" and not made.run.bundle.recorded:
            continue
        line = found.line(what)
        for name in made.files.get(stage, []):
            line.add(name, _fault(folder / name, name, (made.fresh / name).read_bytes()))
        line.faults += [(name, text) for of, name, text in made.faults if of == stage]
        line.checked += sum(of == stage for of, _, _ in made.faults)
        if stage == "packets":
            found.line("requests, from the packets").checked = made.requests
        if made.faults and stage in ("evidence", "tables", "checks", "reports"):
            line.what += " (not derived, since a verdict could not be)"
    _surplus(found, folder, made, packed)
    checks = made.fresh / "results/tables/checks.tsv"
    found.checks = read_tsv(checks) if checks.is_file() else []
    if made.unanswered:
        found.notices.append(
            f"the run lacks {counted(len(made.unanswered), 'verdict')}, and says so itself, as its pages do"
        )


def _fault(path: Path, name: str, expected: bytes) -> str:
    try:
        return first_difference(name, path.read_bytes(), expected)
    except FileNotFoundError:
        return "missing"


def _surplus(found: Verification, folder: Path, made: Derivation, packed: bool) -> None:
    """Name what stands among the results and belongs to no stage: in an archive it is a fault."""
    there = {
        p.relative_to(folder).as_posix() for root in _FOLDERS for p in (folder / root).rglob("[!.]*") if p.is_file()
    }
    surplus = sorted(there - set(expected_files(made))) if not made.faults else []
    if packed:
        line = found.line("results that belong to no capture, judge or table")
        for name in surplus:
            line.add(name, "nothing in the bundle gives this file")
    elif surplus:
        found.notices.append(
            f"left from before, and belonging to no result: {counted(len(surplus), 'file')}, such as {surplus[0]}"
        )


def _store(found: Verification, folder: Path, made: Derivation, packed: bool) -> None:
    """Every exchange must be sound, and in an archive used or paid for; what was bought must be in the journal."""
    line, unused = found.line("exchanges in the store"), 0
    lines, faults = _journal(made, folder)
    paid = {entry["sha"] for entry in lines}
    for sha in made.exchanges.names():
        fault = "" if sha in made.exchanges.used else _soundness(made, sha)
        if not fault and sha not in made.exchanges.used and sha not in paid:
            unused += 1
            fault = "no verdict rests on it, and the journal does not know it" if packed else ""
        if not fault and sha not in paid and _was_bought(made, sha):
            fault = "the journal does not say that it was bought"
        line.add(made.exchanges.name(sha), fault)
    line.faults += faults
    stored = {entry["sha"] for entry in lines if entry["event"] == "stored"}
    for sha in made.unanswered:
        line.add(
            made.exchanges.name(sha), "missing, although the journal says that it was stored" if sha in stored else ""
        )
    if unused and not packed:
        found.notices.append(f"{unused} exchanges in the store are not used by this run")


def _journal(made: Derivation, folder: Path) -> tuple[list[dict], list[tuple[str, str]]]:
    try:
        return Journal(folder / "store").lines(), []
    except UserError as error:
        return [], [(JOURNAL, str(error))]


def _soundness(made: Derivation, sha: str) -> str:
    try:
        made.exchanges.read(sha)
    except Unsound as error:
        return str(error)
    return ""


def _was_bought(made: Derivation, sha: str) -> bool:
    use = made.exchanges.used.get(sha)
    routes = {judge.id: judge.route for judge in made.run.judges}
    return use is not None and routes[use.judge] != EMBEDDED


def _crate(found: Verification, folder: Path, made: Derivation) -> None:
    """Compare what the archive says of itself with what can be said of it."""
    line = found.line("README and RO-Crate, from all of these")
    line.add(README, _fault(folder / README, README, readme(made).encode("utf-8")))
    try:
        wanted = {*run_files(made, folder), *workflow_files(folder / "workflow"), README}
        sizes = {name: (folder / name).stat().st_size for name in sorted(wanted) if (folder / name).is_file()}
        written = loads((folder / METADATA).read_bytes())
        described = loads(crate_text(made, sizes, read_json(folder / RECORDED)))
    except (OSError, ValueError, UserError) as error:
        line.add(METADATA, str(error))
        return
    line.add(METADATA, next(_graph_differences(written, described), ""))
    for name in sorted(wanted):
        if not (folder / name).is_file():
            line.add(name, "missing")
    for name in sorted(present_files(folder) - wanted - {SUMS, METADATA}):
        line.add(name, "belongs to no part of the archive")


def _graph_differences(written: object, described: object) -> Iterator[str]:
    """Yield where two crates differ, entity by entity, so that their order does not matter."""
    try:
        graphs = [{entity["@id"]: entity for entity in crate["@graph"]} for crate in (written, described)]
    except (KeyError, TypeError):
        yield "it is not the graph of an RO-Crate"
        return
    yield from differences(*graphs)


def _software(found: Verification, folder: Path) -> None:
    try:
        found.notices += [f"other software: {line}" for line in other_versions(read_json(folder / RECORDED))]
    except UserError:
        return
