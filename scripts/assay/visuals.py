"""Visual artefacts: which formats a judge can be shown, as text or as a picture."""

TEXT_TYPES = {
    "svg": "image/svg+xml",
    "mmd": "text/vnd.mermaid",
    "mermaid": "text/vnd.mermaid",
    "json": "application/json",
}
IMAGE_TYPES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp"}

_SIGNATURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/webp": b"RIFF"}


def media_type(name: str) -> str | None:
    """Return the media type of a visual by the ending of its file name, or None if judges cannot be shown it."""
    ending = name.rpartition(".")[2].lower()
    return TEXT_TYPES.get(ending) or IMAGE_TYPES.get(ending)


def image_fault(data: bytes, kind: str) -> str:
    """Say what is wrong with a picture's bytes ('' = nothing): empty, or not of the format its name says."""
    if not data:
        return "is empty"
    if not data.startswith(_SIGNATURES[kind]) or (kind == "image/webp" and data[8:12] != b"WEBP"):
        return f"is not a {kind} file"
    return ""
