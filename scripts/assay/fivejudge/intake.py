"""Intake of recorded runs: every fault of every run folder and challenge, in one pass."""

from assay.bundle.model import Bundle, Capture, Entry
from assay.problems import Problem
from assay.runs.challenge import read_challenge
from assay.runs.faults import Faults
from assay.runs.run import read_run


def run_files(bundle: Bundle, capture: Capture) -> dict[str, str]:
    """Return the files of a capture's run folder: name in the folder -> path, in order. Hidden files do not count."""
    root = bundle.folder / capture.run
    found = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {name: str(root / name) for name in found if not name.rpartition("/")[2].startswith(".")}


def start_files(bundle: Bundle, entry: Entry) -> list[str]:
    """Return the files of a challenge's starting point, in order; none where the bundle does not hold it."""
    if not entry.start:
        return []
    root = bundle.folder / entry.start
    return sorted(str(path) for path in root.rglob("*") if path.is_file()) if root.is_dir() else [str(root)]


def run_problems(bundle: Bundle) -> list[Problem]:
    """Check every challenge and every accepted run folder of a bundle; paths that lead nowhere are told elsewhere."""
    problems, root = [], bundle.folder.resolve()
    for entry in bundle.entries.values():
        problems += _challenge_problems(bundle, entry)
    for capture in bundle.captures:
        folder = bundle.folder / capture.run
        if not (capture.accepted and capture.run and folder.is_dir() and folder.resolve().is_relative_to(root)):
            continue
        _, found = read_run(folder, str(folder))
        problems += [*found, *_same_challenge(bundle, capture)]
        for path in run_files(bundle, capture).values():
            if {"{", "}"} & set(path):
                problems.append(Problem(path, 0, "the name of the file holds a brace", "Rename the file"))
    return problems


def _challenge_problems(bundle: Bundle, entry: Entry) -> list[Problem]:
    sheet, path = str(bundle.folder / "catalogue.tsv"), bundle.folder / entry.challenge
    problems = []
    start = (bundle.folder / entry.start).resolve()
    if not (start.exists() and start.is_relative_to(bundle.folder.resolve())):
        text = f"{entry.key}: the starting point {entry.start!r} is not in the bundle"
        problems.append(Problem(sheet, entry.row, text, "Correct the path, or leave it empty"))
    if entry.challenge and path.is_file():
        faults = Faults(str(path))
        read_challenge(path, faults)
        problems += faults.problems()
    return problems


def _same_challenge(bundle: Bundle, capture: Capture) -> list[Problem]:
    """A run is judged against the challenge of the catalogue: its own copy must be that one, byte for byte."""
    entry, own = bundle.entries.get(capture.entry), bundle.folder / capture.run / "challenge.yaml"
    if entry is None or not own.is_file():
        return []
    named = bundle.folder / entry.challenge
    if not named.is_file() or named.read_bytes() == own.read_bytes():
        return []
    text = f"it is not the challenge {entry.challenge!r} that the catalogue names for {entry.key}"
    return [Problem(str(own), 0, text, "Copy the challenge's file here, or correct the entry of the run")]
