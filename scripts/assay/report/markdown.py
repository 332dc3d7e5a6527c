"""Markdown that shows any text as it is."""

import re
from collections.abc import Sequence


def safe(text: str) -> str:
    """Escape a text for a Markdown table cell or paragraph: no markup, no HTML, one line."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", " ".join(text.split()))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; cells are given ready (see `safe`). The first column is left, the others right."""
    lines = [columns, [":---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
