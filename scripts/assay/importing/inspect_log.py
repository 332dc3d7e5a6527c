"""Logs of inspect_ai (`.eval` and `.json`): the events of one sample, with their times."""

import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from assay.canonical import canonical, loads
from assay.importing.sessions import Session, seconds, shown
from assay.problems import UserError

_ZSTD = 93
_LARGEST = 1 << 30
_HEAD = 30
_EDITORS = (
    "text_editor",
    "str_replace_editor",
    "edit_file",
    "write_file",
    "apply_patch",
    "str_replace_based_edit_tool",
)
_VIEWS = ("view", "read")
_TO_JSON = "Write the log as JSON with `inspect log convert --to json --output-dir DIR LOG`, or install zstandard"


def read_log(path: Path, sample: str = "", epoch: int = 1) -> Session:
    """Read one sample of a log. `sample` may be empty where the log holds one alone.

    Raises UserError when the file is no such log, or does not hold the sample.
    """
    try:
        samples = _from_eval(path) if zipfile.is_zipfile(path) else _from_json(path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except (ValueError, zipfile.BadZipFile) as error:
        raise UserError(f"{path}: not a log that can be read: {error}") from None
    wanted = [name for name in samples if name[1] == epoch and (not sample or name[0] == sample)]
    if len(wanted) != 1:
        held = ", ".join(f"{name} (epoch {number})" for name, number in sorted(samples))
        raise UserError(f"{path}: give --sample and --epoch of one of its samples: {held or 'it holds none'}")
    return _session(samples[wanted[0]](), path)


Samples = dict[tuple[str, int], Callable[[], Mapping[str, Any]]]


def _from_json(path: Path) -> Samples:
    data = loads(path.read_bytes())
    if not isinstance(data, dict) or not isinstance(data.get("eval"), dict):
        raise ValueError("it has no `eval`, as a log of inspect_ai has")
    found = data.get("samples") or []
    return {
        (str(one["id"]), one.get("epoch", 1)): lambda one=one: one
        for one in found
        if isinstance(one, dict) and "id" in one
    }


def _from_eval(path: Path) -> Samples:
    """Return the samples of a `.eval` archive; each is read when it is asked for."""
    made: Samples = {}
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            head, _, name = entry.filename.rpartition("/")
            if head == "samples" and name.endswith(".json"):
                id_, _, number = name.removesuffix(".json").rpartition("_epoch_")
                made[id_, int(number)] = lambda entry=entry: loads(_bytes(path, entry))
    return made


def _bytes(path: Path, entry: zipfile.ZipInfo) -> bytes:
    """Return a member of an archive; newer logs are compressed with zstd, which zipfile does not know before 3.14."""
    if entry.file_size > _LARGEST:
        raise UserError(
            f"{path}: {entry.filename} takes {entry.file_size} bytes, more than the {_LARGEST} that are read"
        )
    if entry.compress_type != _ZSTD:
        with zipfile.ZipFile(path) as archive:
            return archive.read(entry)
    try:
        import zstandard
    except ImportError:
        raise UserError(
            f"{path}: it is compressed with zstd, and the package zstandard is missing. {_TO_JSON}"
        ) from None
    with open(path, "rb") as file:
        file.seek(entry.header_offset)
        head = file.read(_HEAD)
        file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
        packed = file.read(entry.compress_size)
    return zstandard.ZstdDecompressor().decompressobj().decompress(packed)


def _session(sample: Mapping[str, Any], path: Path) -> Session:
    attachments = sample.get("attachments") or {}
    session = Session(task=_whole(_words(sample.get("input")), attachments))
    events = [event for event in sample.get("events") or () if isinstance(event, dict)]
    for event in sorted(events, key=lambda event: _moment(event, path)):
        if event.get("event") == "tool":
            _tool(session, event, attachments)
        elif event.get("event") == "model" and not _calls(event):
            text = _whole((event.get("output") or {}).get("completion") or "", attachments)
            session.add("context", event["timestamp"], text=text[:4000])
    if not session.rows:
        raise UserError(f"{path}: the sample holds no event of a tool or a model: it was logged without its transcript")
    session.last_words = _whole((sample.get("output") or {}).get("completion") or "", attachments)
    return session


def _moment(event: Mapping[str, Any], path: Path) -> datetime:
    try:
        moment = datetime.fromisoformat(event["timestamp"])
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{path}: an event has no time") from None
    if moment.tzinfo is None:
        raise UserError(f"{path}: the time {event['timestamp']} has no zone")
    return moment


def _calls(event: Mapping[str, Any]) -> bool:
    choices = (event.get("output") or {}).get("choices") or ()
    return any((choice.get("message") or {}).get("tool_calls") for choice in choices if isinstance(choice, dict))


def _tool(session: Session, event: Mapping[str, Any], attachments: Mapping[str, str]) -> None:
    name, arguments = event["function"], event.get("arguments") or {}
    said = {key: _whole(value, attachments) if isinstance(value, str) else value for key, value in arguments.items()}
    output, time = _whole(_words(event.get("result")), attachments), event["timestamp"]
    command = next((said[key] for key in ("cmd", "command", "code") if isinstance(said.get(key), str)), "")
    target = next((said[key] for key in ("path", "file", "file_path") if isinstance(said.get(key), str)), "")
    failed = (event.get("error") or {}).get("message") or ""
    took = seconds(event.get("working_time"))
    if name in _EDITORS and command not in _VIEWS and not failed:
        session.add("patch", time, targets=[target or "unnamed"], text=canonical(said)[:4000])
    else:
        asked = (command if name not in _EDITORS else "") or canonical(said)
        targets = [target] if target else None
        session.step(time, name, asked, f"{name}: {asked}", output, seconds=took, targets=targets)
    session.error(time, failed)


def _words(value: Any) -> str:
    """Return the text of a message's content, of a list of messages (the user's last), or of a tool's result."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        roles = [part for part in value if isinstance(part, dict) and part.get("role") == "user"]
        parts = [part.get("content", part.get("text")) for part in (roles[-1:] or value) if isinstance(part, dict)]
        return shown([_words(part) for part in parts])
    return "" if value is None else str(value)


def _whole(text: str, attachments: Mapping[str, str]) -> str:
    """Put long texts back, which a log keeps apart from its events."""
    head, found, name = text.partition("attachment://")
    return attachments.get(name, text) if found and not head else text
