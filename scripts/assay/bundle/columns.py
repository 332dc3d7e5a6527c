"""The columns of a bundle's two sheets, by protocol."""

from typing import NamedTuple


class Sheets(NamedTuple):
    """Columns that must and that may stand in catalogue.tsv and captures.tsv; no cell of `filled` may be empty."""

    catalogue: tuple[str, ...]
    catalogue_optional: tuple[str, ...]
    filled: tuple[str, ...]
    captures: tuple[str, ...]
    captures_optional: tuple[str, ...]


_HEAD = ("entry", "configuration", "accepted", "reason")
_TAIL = ("model_snapshot", "cost_usd", "minutes", "notes")

SHEETS = {
    "performance": Sheets(
        catalogue=("entry", "family", "name", "target", "spec", "prompt"),
        catalogue_optional=("source",),
        filled=("name", "prompt"),
        captures=(*_HEAD, "answer", "visual", *_TAIL),
        captures_optional=("prompt",),
    ),
    "five-judge": Sheets(
        catalogue=("entry", "family", "name", "challenge"),
        catalogue_optional=("start", "source"),
        filled=("name", "challenge"),
        captures=(*_HEAD, "run", *_TAIL),
        captures_optional=(),
    ),
}
