"""What belongs into an archive, by explicit lists: what is on none of them stays out."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from assay.archive.derive import Derivation, expected_files
from assay.archive.replay import Exchanges
from assay.bundle.model import Bundle
from assay.buying.journal import Journal
from assay.canonical import canonical
from assay.documents import read_yaml
from assay.fivejudge.intake import run_files as recorded_files
from assay.fivejudge.intake import start_files
from assay.problems import FileFault
from assay.report.markdown import safe
from assay.run import PRICES

PROJECT = Path(__file__).parents[3]
CONFIG = "config/config.yaml"
JOURNAL = "store/journal.jsonl"
SUMS = "SHA256SUMS"
METADATA = "ro-crate-metadata.json"
README = "README.md"

_WORKFLOW_FILES = ("Snakefile", "assay", "pyproject.toml", "README.md", "LICENSE", "LICENSE.md", "LICENSE.txt")
_WORKFLOW_FOLDERS = ("rules", "scripts", "schemas", "config/protocols", "envs", "profiles", "report")
_WORKFLOW_ENDINGS = frozenset(".py .smk .yaml .yml .in .txt .sh .md .rst .html .css .js .json .svg .tsv .j2".split())
# What working in an unpacked archive leaves behind; nothing of it is evidence.
_PASSING = frozenset({"__pycache__", ".snakemake", ".venv", "logs"})


def workflow_files(project: Path = PROJECT) -> dict[str, Path]:
    """Return the workflow's own files, by their place under workflow/ in an archive."""
    found = [project / name for name in (*_WORKFLOW_FILES, str(PRICES)) if (project / name).is_file()]
    for folder in _WORKFLOW_FOLDERS:
        found += [path for path in (project / folder).rglob("*") if _belongs(path.relative_to(project), path)]
    return {f"workflow/{path.relative_to(project).as_posix()}": path for path in sorted(found)}


def _belongs(name: Path, path: Path) -> bool:
    hidden = any(part.startswith(".") or part == "__pycache__" for part in name.parts)
    return not hidden and path.suffix in _WORKFLOW_ENDINGS and path.is_file()


def run_files(made: Derivation, folder: Path) -> dict[str, Path | bytes]:
    """Return every file of a run that belongs into its archive, by its place in it: a path, or bytes to write."""
    found: dict[str, Path | bytes] = {CONFIG: _config(made, folder), str(PRICES): _prices(folder)}
    found |= bundle_files(made.run.bundle, folder)
    found |= {name: folder / name for name in expected_files(made)}
    found |= {name: folder / name for name in store_files(made.exchanges, folder)}
    return found


def _config(made: Derivation, folder: Path) -> Path | bytes:
    """The configuration as it was used: the file, or where the command line changed it, what came of that."""
    used = {name: made.run.config[name] for name in made.given}
    try:
        written = read_yaml(folder / CONFIG)
    except FileFault:
        written = None
    return folder / CONFIG if _same(written, used) else canonical(used).encode("utf-8") + b"\n"


def _same(written: object, used: Mapping) -> bool:
    return isinstance(written, dict) and canonical(written) == canonical(used)


def _prices(folder: Path) -> Path:
    return folder / PRICES if (folder / PRICES).exists() else PROJECT / PRICES


def bundle_files(bundle: Bundle, folder: Path) -> dict[str, Path]:
    """Return the bundle's sheets, its role map, and every file that a row of them names."""
    place = PurePosixPath(bundle.folder.as_posix())
    named = {"bundle.yaml", "catalogue.tsv", "captures.tsv", bundle.role_map}
    for entry in bundle.entries.values():
        named |= {entry.prompt, entry.spec}
    for capture in bundle.captures:
        named |= {capture.answer, capture.visual, capture.prompt}
    root = folder / bundle.folder
    if bundle.recorded:
        named |= {Path(path).relative_to(root).as_posix() for path in _recorded(replace(bundle, folder=root))}
    inside = {name for name in named - {""} if (root / name).resolve().is_relative_to(root.resolve())}
    notes = {path.name for path in root.iterdir() if path.is_file() and path.stem.upper() in ("README", "LICENSE")}
    return {(place / name).as_posix(): root / name for name in sorted(inside | notes) if (root / name).is_file()}


def _recorded(bundle: Bundle) -> Iterator[str]:
    """Yield every file of the run folders, the challenges and their starting points."""
    for entry in bundle.entries.values():
        yield str(bundle.folder / entry.challenge)
        yield from start_files(bundle, entry)
    for capture in bundle.captures:
        yield from recorded_files(bundle, capture).values() if capture.run else ()


def store_files(exchanges: Exchanges, folder: Path) -> Iterator[str]:
    """Yield what belongs of the store: the exchanges that the run rests on or paid for, and the record of payments.

    Locks, pauses and limits are of the moment; damaged files are no evidence.
    """
    paid = {line["sha"] for line in Journal(exchanges.root).lines()}
    for sha in exchanges.names():
        if sha in exchanges.used or sha in paid:
            yield exchanges.name(sha)
    if (folder / JOURNAL).is_file():
        yield JOURNAL
    for path in sorted((folder / "store/doubtful").glob("*.json")):
        yield path.relative_to(folder).as_posix()


def present_files(folder: Path) -> set[str]:
    """Return every file in an unpacked archive, without what working in it leaves behind."""
    found = (path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    names = (path.relative_to(folder) for path in found)
    return {name.as_posix() for name in names if not _PASSING & set(name.parts)}


def readme(made: Derivation) -> str:
    """Return the archive's README.md: what it is, and how to prove it."""
    run = made.run
    return f"""# {safe(run.bundle.title)}: run {run.id}

A finished judging of {len(run.set.scored)} captures by {len(run.judges)} judges, made by Assay.

- `results/report/` is for reading, `results/tables/` has the numbers; start with `results/report/methodology.md`.
- `{run.bundle.folder.as_posix()}/` is what was judged, `results/packets/` what the judges were shown, `store/` every
  request with its raw answer, `results/verdicts/` what was read out of the answers.
- `workflow/` is the program that made all this, `{CONFIG}` its settings, `{METADATA}` a description for machines.

## Verify it

With Python 3.11 or newer and the packages of `workflow/envs/requirements.txt`, in this folder:

    python workflow/scripts/verify.py .

It needs no key and no network. It checks every hash, derives packets, requests, verdicts, tables and reports again,
and compares them byte for byte. Hashes alone prove little, since whoever changes a file can write new ones, and so
can whoever changes the program. To rely on neither, use a copy of Assay that you trust
(`python scripts/verify.py` with the path of this folder), and compare the SHA-256 of SHA256SUMS, which is printed,
with the one that was published.
"""
