"""What all routes share: reading loosely shaped JSON without a crash, and writing messages, images and addresses."""

import base64
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from urllib.parse import urlsplit

from assay.canonical import canonical
from assay.problems import UserError
from assay.routes.shapes import HttpCall


def parse(body: bytes) -> object:
    """Parse an API's response body. Raises ValueError if it is not whole UTF-8 JSON or names a key twice.

    Other than for verdicts, NaN and Infinity (which some servers write into statistics) are read as None.
    """
    try:
        text = body.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        return json.loads(text, parse_float=Decimal, parse_constant=lambda _: None, object_pairs_hook=_unique)
    except (ArithmeticError, RecursionError) as error:
        raise ValueError(f"unreadable JSON: {type(error).__name__}") from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def at(value: object, *steps: str | int) -> object:
    """Follow keys and indexes into nested JSON; None as soon as a step leads nowhere."""
    for step in steps:
        if (isinstance(step, str) and isinstance(value, dict)) or (
            isinstance(step, int) and isinstance(value, list) and step < len(value)
        ):
            value = value.get(step) if isinstance(value, dict) else value[step]
        else:
            return None
    return value


def text_at(value: object, *steps: str | int) -> str:
    """Return the text at a place in nested JSON, '' if there is none."""
    found = at(value, *steps)
    return found if isinstance(found, str) else ""


def dicts_at(value: object, *steps: str | int) -> list[dict]:
    """Return the objects of the list at a place in nested JSON; anything else there is left out."""
    found = at(value, *steps)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def tokens_at(value: object, *steps: str | int) -> int | None:
    """Return the token count (a whole number of 0 or more) at a place in nested JSON, else None."""
    found = at(value, *steps)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def dollars_at(value: object, *steps: str | int) -> Decimal | None:
    """Return the amount (a finite number of 0 or more) at a place in nested JSON, else None."""
    found = at(value, *steps)
    if isinstance(found, bool) or not isinstance(found, (int, Decimal)):
        return None
    amount = Decimal(found)
    return amount if amount.is_finite() and amount >= 0 else None


def header(headers: Mapping[str, str], name: str) -> str:
    """Return the value of a header whatever the case of its name, '' if it is absent."""
    return next((value.strip() for key, value in headers.items() if key.lower() == name.lower()), "")


def is_host(base_url: str, *domains: str) -> bool:
    """Say whether the address is at one of the domains or below it."""
    host = (urlsplit(base_url).hostname or "").lower()
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


def address(base_url: str, version: str, path: str) -> str:
    """Join base URL and path; a base URL without any path gets the API's version, as the vendors' own clients do."""
    base = base_url.rstrip("/")
    return f"{base if urlsplit(base).path else f'{base}/{version}'}/{path}"


def post(url: str, body: dict, **headers: str) -> HttpCall:
    """Make the call: a JSON body whose bytes are the same whenever its content is."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpCall(
        url,
        {"content-type": "application/json", "accept": "application/json", **named},
        canonical(body).encode("utf-8"),
    )


def content(parts: list[dict], text: Callable[[str], dict], image: Callable[[dict], dict]) -> str | list[dict]:
    """Translate a message's parts; one text alone stays a plain string, which every compatible server reads."""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return parts[0]["text"]
    return [text(part["text"]) if part["type"] == "text" else image(part) for part in parts]


def base64_of(part: dict, images: Mapping[str, bytes]) -> str:
    """Return an image part's bytes in base64. Raises UserError if the image was not handed over."""
    if part["sha256"] not in images:
        raise UserError(f"the image {part['sha256']} of the request is missing; make the packet again")
    return base64.b64encode(images[part["sha256"]]).decode("ascii")


def data_url(part: dict, images: Mapping[str, bytes]) -> str:
    """Return an image part as a data: URL."""
    return f"data:{part['media_type']};base64,{base64_of(part, images)}"


def refuse_openrouter(route: str, base_url: str) -> None:
    """OpenRouter substitutes providers and models unless told not to; only openai-chat tells it."""
    if is_host(base_url, "openrouter.ai"):
        raise UserError(f"OpenRouter is reached by openai-chat, not {route}: only there its fallbacks are switched off")


def strict_schema(schema: dict, without: frozenset[str] = frozenset()) -> dict:
    """Return the schema with every property required, no others allowed, and without the keywords in `without`."""
    kept = {key: value for key, value in schema.items() if key not in without}
    if "properties" in kept:
        properties = {name: strict_schema(kind, without) for name, kind in kept["properties"].items()}
        kept |= {"properties": properties, "required": sorted(properties), "additionalProperties": False}
    if isinstance(kept.get("items"), dict):
        kept["items"] = strict_schema(kept["items"], without)
    return kept


RANGES = frozenset({"minimum", "maximum", "minItems", "maxItems"})
