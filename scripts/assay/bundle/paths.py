"""Paths that a bundle names: relative to it, and inside it."""

from pathlib import Path


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
