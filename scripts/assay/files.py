"""Files: written whole or not at all, and read strictly.

Every job starts with this module, so it does without pathlib: any path-like value will do.
"""

import os

from assay.canonical import canonical, loads
from assay.problems import UserError

AnyPath = str | os.PathLike[str]


def write_bytes(path: AnyPath, data: bytes, durable: bool = False) -> None:
    """Write `data` under a temporary name and rename it to `path`, so that nobody ever sees half a file.

    The temporary name holds the machine's too: on a cluster two processes may have the same number.

    `durable` also waits until the file and its name are on the disk (fsync of both): for what was paid for.
    """
    folder, name = os.path.split(os.fspath(path))
    os.makedirs(folder or ".", exist_ok=True)
    part = os.path.join(folder, f".{name}.{os.uname().nodename}.{os.getpid()}.part")
    with open(part, "wb") as out:
        out.write(data)
        if durable:
            out.flush()
            os.fsync(out.fileno())
    os.replace(part, path)
    if durable:
        sync_folder(folder or ".")


def sync_folder(folder: AnyPath) -> None:
    """Wait until the names in `folder` are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(path: AnyPath, text: str) -> None:
    """Write UTF-8 text with `\\n` line ends, whole or not at all.

    A lone surrogate, which a judge's JSON may hold but UTF-8 cannot, is written as its escape (`\\ud83d`).
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_json(path: AnyPath, value: object, durable: bool = False) -> None:
    """Write canonical JSON and a final newline, whole or not at all."""
    write_bytes(path, canonical(value).encode("utf-8") + b"\n", durable)


def read_bytes(path: AnyPath) -> bytes:
    """Read a file. Raises UserError with its name if it is missing."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise UserError(f"{os.fspath(path)}: the file is missing") from None


def read_json(path: AnyPath) -> object:
    """Read a JSON file strictly. Raises UserError with the file's name if it is missing or broken."""
    try:
        return loads(read_bytes(path))
    except ValueError as error:
        raise UserError(f"{os.fspath(path)}: not valid JSON: {error}") from None
