"""Files: written whole or not at all, read as UTF-8, and never outside the folder they belong to."""

import os
from pathlib import Path

from assay.canonical import canonical, loads
from assay.problems import UserError


def path_fault(folder: Path, name: str) -> str:
    """Say why `name` is no usable path inside `folder`, '' if it is one. A link must not lead out of it either."""
    if {"{", "}", "\0"} & set(name):
        return f"the path {name!r} holds a brace or a null character"
    try:
        inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return f"the path {name!r} leads nowhere"
    if Path(name).is_absolute() or "\\" in name or not inside:
        return f"the path {name!r} leaves the bundle"
    return ""


def write_bytes(path: Path, data: bytes, durable: bool = False) -> None:
    """Write `data` under a temporary name and rename it to `path`, so that nobody ever sees half a file.

    `durable` also waits until the file and its name are on the disk (fsync of both): for what was paid for.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with open(part, "wb") as out:
        out.write(data)
        if durable:
            out.flush()
            os.fsync(out.fileno())
    os.replace(part, path)
    if durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in `folder` are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with `\\n` line ends, whole or not at all.

    A lone surrogate, which a judge's JSON may hold but UTF-8 cannot, is written as its escape (`\\ud83d`).
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_json(path: Path, value: object, durable: bool = False) -> None:
    """Write canonical JSON and a final newline, whole or not at all."""
    write_bytes(path, canonical(value).encode("utf-8") + b"\n", durable)


def read_json(path: Path) -> object:
    """Read a JSON file strictly. Raises UserError with the file's name if it is absent or broken."""
    try:
        return loads(path.read_bytes())
    except FileNotFoundError:
        raise UserError(f"{path}: the file is missing") from None
    except ValueError as error:
        raise UserError(f"{path}: not valid JSON: {error}") from None
