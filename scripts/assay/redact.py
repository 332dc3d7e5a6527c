"""Keys taken out of everything that is written down, in every form in which servers and libraries echo them."""

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

REMOVED = "[key removed]"
# Shorter ones are placeholders of local servers ("none", "EMPTY"), and taking them out would mangle ordinary words.
SHORTEST_KEY = 8

_MASK = re.compile(r"(?:[*.•xX#_-]{2}|[•…]|\\u2026|\\u2022|&hellip;|\[[a-z ]{1,12}\])[*.•xX#…_-]*(?:\\u202[26])*")


def redact(text: str, keys: Iterable[str]) -> str:
    """Return the text with every form of every key replaced.

    Forms: literal, URL-encoded, JSON-escaped, HTML-escaped, base64 (at any offset, both alphabets), and masked echoes:
    the key's beginning, some mask characters and its end (`sk-abc…XYZ`), or half of it or more at either end.
    Keys shorter than SHORTEST_KEY characters are not treated as secrets.
    """
    for key in sorted({key for key in keys if len(key) >= SHORTEST_KEY}, key=len, reverse=True):
        for form in _forms(key):
            text = text.replace(form, REMOVED)
        text = _partial(text, key)
    return text


def redact_bytes(data: bytes, keys: Iterable[str]) -> bytes:
    """Return the bytes with every form of every key replaced; all other bytes stay as they are."""
    return redact(data.decode("utf-8", "surrogateescape"), keys).encode("utf-8", "surrogateescape")


def _forms(key: str) -> list[str]:
    """All whole forms, longest first, so that no form leaves the rest of a longer one behind."""
    escaped = json.dumps(key)[1:-1]
    html = (
        key.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
        .replace("'", "&#x27;")
    )
    urls = {quote(key, safe=""), quote(key), quote_plus(key)}
    spelled = ["".join(f"\\u{ord(c):{style}}" for c in key) for style in ("04x", "04X")]
    percent = ["".join(f"%{byte:{style}}" for byte in key.encode("utf-8")) for style in ("02x", "02X")]
    forms = {key, escaped, escaped.replace("/", "\\/"), html, *urls, *map(_lower_escapes, urls), *spelled, *percent}
    return sorted(forms | _base64_forms(key), key=lambda form: (-len(form), form))


def _lower_escapes(url: str) -> str:
    return re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), url)


def _base64_forms(key: str) -> set[str]:
    """What base64 of anything that holds the key must hold, wherever in it the key begins."""
    data, forms = key.encode("utf-8"), set()
    for offset in range(3):
        whole = base64.b64encode(b"\0" * offset + data).decode("ascii").rstrip("=")
        # The first characters depend on what stands before the key, the last one on what comes after it.
        start = -(-offset * 8 // 6)
        end = (offset + len(data)) * 8 // 6
        stable = whole[start:end]
        forms |= {stable, stable.replace("+", "-").replace("/", "_")}
    return {form for form in forms if len(form) >= SHORTEST_KEY}


def _partial(text: str, key: str) -> str:
    """Take out masked echoes, and halves of the key that stand alone."""
    half = max(SHORTEST_KEY, (len(key) + 1) // 2)
    done, place = [], 0
    while (found := text.find(key[:4], place)) >= 0:
        begun = found + len(_common(text[found : found + len(key)], key))
        end = _masked_end(text, begun, key) or (begun if begun - found >= half else 0)
        done += [text[place:found], REMOVED] if end else [text[place : found + 1]]
        place = end or found + 1
    text = "".join([*done, text[place:]])
    while (found := text.find(key[-half:])) >= 0:
        before = _common(text[max(0, found - len(key)) : found][::-1], key[:-half][::-1])
        text = text[: found - len(before)] + REMOVED + text[found + half :]
    return text


def _common(text: str, key: str) -> str:
    same = next((i for i, (a, b) in enumerate(zip(text, key, strict=False)) if a != b), min(len(text), len(key)))
    return key[:same]


def _masked_end(text: str, begun: int, key: str) -> int:
    """Where a masked echo ends whose beginning ends at `begun`: behind the mask and the key's end; 0 if it is none."""
    mask = _MASK.match(text, begun)
    if not mask:
        return 0
    for place in range(mask.end(), begun, -1):  # the key's end may begin with a character that also masks
        for length in range(len(key) - 1, 1, -1):
            if text.startswith(key[-length:], place):
                return place + length
    return 0
