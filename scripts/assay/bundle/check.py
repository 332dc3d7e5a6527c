"""Intake: everything that is wrong with a bundle, in one pass, with file, row and what to do."""

import string
from collections.abc import Mapping
from pathlib import Path

from assay.bundle.model import Bundle, Capture, Entry
from assay.bundle.paths import path_fault
from assay.bundle.scored_set import resolve_shared_ids
from assay.problems import Problem
from assay.visuals import IMAGE_TYPES, TEXT_TYPES, image_fault, media_type

_REPLACE = "Put a path inside the bundle folder, relative to it, without braces"


class _Files:
    """The bundle's text files, each read once; faults are told once for each row that names the file."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._bytes: dict[str, tuple[bytes | None, str, str]] = {}

    def read(self, name: str) -> tuple[bytes | None, str, str]:
        """Return (bytes, fault, todo); the fault is '' when the file is inside the bundle and was read."""
        if name not in self._bytes:
            self._bytes[name] = self._read(name)
        return self._bytes[name]

    def folder_fault(self, name: str) -> tuple[str, str]:
        """Return (fault, todo) of a folder's path; the fault is '' when it is a folder inside the bundle."""
        fault = path_fault(self.folder, name)
        if fault:
            return fault, _REPLACE
        if not (self.folder / name).is_dir():
            return f"the folder {name!r} does not exist", "Add the folder or correct the path"
        return "", ""

    def _read(self, name: str) -> tuple[bytes | None, str, str]:
        fault = path_fault(self.folder, name)
        if fault:
            return None, fault, _REPLACE
        try:
            return (self.folder / name).read_bytes(), "", ""
        except FileNotFoundError:
            return None, f"the file {name!r} does not exist", "Add the file or correct the path"
        except OSError as error:
            return None, f"the file {name!r} cannot be read ({error.strerror})", "Name a readable file"

    def text(self, name: str) -> tuple[str, str, str]:
        """Return (text, fault, todo): UTF-8 and not only white space."""
        data, fault, todo = self.read(name)
        if data is None:
            return "", fault, todo
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            return "", f"the file {name!r} is not UTF-8 (byte {error.start})", "Save it as UTF-8"
        if not text.strip(string.whitespace + "\ufeff"):
            return "", f"the file {name!r} is empty", "Add the text"
        return text, "", ""


def check_bundle(bundle: Bundle) -> list[Problem]:
    """Check the bundle's rows and every file that they name (specification, Intake Protocol 1, 2 and 5)."""
    files = _Files(bundle.folder)
    problems = _entry_problems(bundle, files)
    configurations = {configuration.id: configuration for configuration in bundle.configurations}
    for capture in bundle.captures:
        sheet = str(bundle.folder / "captures.tsv")
        entry = bundle.entries.get(capture.entry)
        found = []
        if entry is None:
            found.append((f"unknown entry {capture.entry!r}", "Add it to catalogue.tsv or correct the id"))
        if capture.configuration not in configurations:
            todo = f"Configurations in bundle.yaml: {', '.join(configurations)}"
            found.append((f"unknown configuration {capture.configuration!r}", todo))
        if capture.accepted:
            snapshots = getattr(configurations.get(capture.configuration), "model_snapshots", ())
            found += _accepted_faults(capture, snapshots)
            found += _run_faults(capture, files) if bundle.recorded else _answer_faults(capture, entry, files)
        elif capture.accepted is False and not capture.reason:
            found.append(("the capture is rejected without a reason", "Say why in the column reason"))
        found = [(f"{capture.entry}, {capture.configuration}: {text}", todo) for text, todo in found]
        problems += [Problem(sheet, capture.row, text, todo) for text, todo in found]
    if not any(capture.accepted for capture in bundle.captures):
        todo = "Give at least one row with accepted = yes"
        problems.append(Problem(str(bundle.folder / "captures.tsv"), 0, "no capture is accepted", todo))
    if bundle.recorded:
        from assay.fivejudge.intake import run_problems

        problems += run_problems(bundle)
    return problems + (_count_problems(bundle) if bundle.id else [])


def _entry_problems(bundle: Bundle, files: _Files) -> list[Problem]:
    problems = []
    for entry in bundle.entries.values():
        for name in filter(None, (entry.prompt, entry.spec, entry.challenge)):
            _, fault, todo = files.text(name)
            if fault:
                problems.append(Problem(str(bundle.folder / "catalogue.tsv"), entry.row, f"{entry.key}: {fault}", todo))
    return problems


_REJECT = "Correct it, or set accepted to no with the reason"


def _accepted_faults(capture: Capture, snapshots: tuple[str, ...]) -> list[tuple[str, str]]:
    """What the sheets say against judging an accepted capture, as (what, what to do)."""
    faults = []
    if capture.reason:
        faults.append((f"accepted, but with a reason against it ({capture.reason!r})", _REJECT))
    if not capture.model_snapshot:
        faults.append(("the model snapshot is missing", "Name the model that answered, with its date or version"))
    elif snapshots and capture.model_snapshot not in snapshots:
        text = f"answered by {capture.model_snapshot!r}, a fallback or wrong model"
        faults.append((text, f"Only {', '.join(snapshots)} may answer here; set accepted to no with the reason"))
    return faults


def _run_faults(capture: Capture, files: _Files) -> list[tuple[str, str]]:
    """What the path of a recorded run has against it; its content is checked by assay.fivejudge.intake."""
    if not capture.run:
        return [("an accepted capture has no run folder", _REJECT)]
    fault, todo = files.folder_fault(capture.run)
    return [(f"run: {fault}", todo)] if fault else []


def _answer_faults(capture: Capture, entry: Entry | None, files: _Files) -> list[tuple[str, str]]:
    faults = []
    if not capture.answer:
        faults.append(("an accepted capture has no answer", _REJECT))
    else:
        _, fault, todo = files.text(capture.answer)
        if fault:
            faults.append((f"answer: {fault}", todo))
    if entry and capture.prompt:
        faults += _prompt_drift(capture, entry, files)
    if capture.visual:
        faults += _visual_faults(capture.visual, files)
    return faults


def _prompt_drift(capture: Capture, entry: Entry, files: _Files) -> list[tuple[str, str]]:
    sent, fault, todo = files.text(capture.prompt)
    if fault:
        return [(f"prompt: {fault}", todo)]
    prime, fault, _ = files.text(entry.prompt)
    if fault or sent == prime:
        return []
    same = 0
    while same < min(len(sent), len(prime)) and sent[same] == prime[same]:
        same += 1
    line = sent[:same].count("\n") + 1
    text = f"prompt drift: {capture.prompt!r} differs from the prime prompt {entry.prompt!r} in line {line}"
    return [(text, "Capture it again with the prime prompt, or set accepted to no with the reason")]


def _visual_faults(name: str, files: _Files) -> list[tuple[str, str]]:
    kind = media_type(name)
    if kind is None:
        known = ", ".join(sorted(IMAGE_TYPES | TEXT_TYPES))
        return [(f"visual: the format of {name!r} is not one that a judge can be shown", f"Convert it to {known}")]
    if name.rpartition(".")[2].lower() in TEXT_TYPES:
        _, fault, todo = files.text(name)
        return [(f"visual: {fault}", todo)] if fault else []
    data, fault, todo = files.read(name)
    if data is None:
        return [(f"visual: {fault}", todo)]
    fault = image_fault(data, kind)
    return [(f"visual: {name!r} {fault}", "Export the picture again")] if fault else []


def _count_problems(bundle: Bundle) -> list[Problem]:
    """Compare the scored set with what is expected (Intake Protocol 1), and refuse a double count."""
    excluded, double = resolve_shared_ids(bundle.entries, bundle.shared_ids)
    sheet = str(bundle.folder / "catalogue.tsv")
    problems = []
    for id_, keys in double.items():
        todo = f"Say under shared_ids in bundle.yaml which family keeps it, e.g. {id_}: {keys[0].split(':')[0]}"
        text = f"the id {id_!r} would be counted twice: {' and '.join(keys)}"
        problems.append(Problem(sheet, max(bundle.entries[key].row for key in keys), text, todo))
    counts = _counts(bundle, excluded) if bundle.expected is not None else {}
    head = str(bundle.folder / "bundle.yaml")
    wanted = bundle.expected or {}
    for what in [*wanted, *(name for name in counts if name not in wanted and counts[name])]:
        expected, found = wanted.get(what, 0), counts.get(what, 0)
        if expected != found:
            noun = "configurations" if what == "configurations" else f"entries of the family {what}"
            todo = "Complete the catalogue, or state the real number under expected in bundle.yaml"
            problems.append(Problem(head, 0, f"{found} {noun} found, but {expected} expected", todo))
    return problems


def _counts(bundle: Bundle, excluded: Mapping[str, str]) -> dict[str, int]:
    counts = {"configurations": len(bundle.configurations)}
    for entry in bundle.entries.values():
        if entry.key not in excluded:
            counts[entry.family] = counts.get(entry.family, 0) + 1
    return counts
