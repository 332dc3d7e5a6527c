"""Keys and paths of this machine, searched for in everything that would leave it."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.archive.contents import PROJECT
from assay.problems import UserError
from assay.redact import SHORTEST_KEY, redact_bytes

# The folders of a shared machine ("/data", "/work/run") are ordinary words; longer paths are not.
_LEAST_PARTS = 3


def configured_keys(config: Mapping, environ: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the keys that the configuration's providers use here, and the names of those that are not set here."""
    names = sorted({p["key_env"] for p in config.get("providers", {}).values() if p.get("key_env")})
    keys = {name: environ.get(name, "").strip() for name in names}
    found = sorted({key for key in keys.values() if len(key) >= SHORTEST_KEY})
    return found, [name for name in names if not keys[name]]


def machine_paths(folder: Path) -> list[str]:
    """Return the paths that name this machine and its user: work directory, project, home."""
    paths = {folder.resolve(), PROJECT.resolve(), Path.home()}
    return sorted(str(path) for path in paths if len(path.parts) >= _LEAST_PARTS)


def refuse_secrets(files: Mapping[str, bytes], keys: Sequence[str]) -> None:
    """Raise UserError if a file, or a file's name, holds a key in any form in which keys are echoed."""
    for name, data in files.items():
        if redact_bytes(name.encode("utf-8"), keys) != name.encode("utf-8"):
            raise UserError("a file's name holds an API key, so nothing was archived. Rename the file")
        if redact_bytes(data, keys) != data:
            raise UserError(
                f"{name}: this file holds an API key, so nothing was archived. Revoke the key at the provider, take it "
                "out of the file, and run again"
            )


def refuse_paths(files: Mapping[str, bytes], paths: Sequence[str], own: Mapping[str, bytes]) -> None:
    """Raise UserError if a file holds a path of this machine. `own` are the bundle's files: what they say themselves
    may be quoted."""
    for path in paths:
        needle = path.encode("utf-8")
        if any(needle in data for data in own.values()):
            continue
        for name, data in files.items():
            if needle in data:
                raise UserError(
                    f"{name}: this file holds the path {path} of this machine, so nothing was archived. "
                    "Use a path relative to the work directory, and run again"
                )
