"""From a judge's text to one JSON value: strictly, or by repairs that touch no byte of a score.

The repairs (design, promise 2) take away an envelope around the whole object, or mend white space and commas inside
it: byte order mark and Unicode white space at the edges, one closed reasoning block before it, one code fence around
everything, one level of double encoding, raw control characters in a string, a comma before a closing bracket.
"""

import json
from collections.abc import Iterator
from decimal import Decimal

LONGEST_TEXT = 1_000_000
DEEPEST_NESTING = 32
_SPACE = " \t\r\n"
_REASONING = ("think", "thinking", "thought", "reasoning")


class Unreadable(Exception):
    """A judge's text that is no verdict; its one argument is a sentence for the judge and the user."""


class NotPlain(Exception):
    """JSON that no repair may help: a key twice, or a constant that is no number."""


def parse_whole(text: str) -> tuple[object, tuple[str, ...]]:
    """Parse the whole text as one JSON value; return it and the repairs made. Numbers are Decimal.

    Raises Unreadable with what is wrong with the text as it stands.
    """
    if len(text) > LONGEST_TEXT:
        raise Unreadable(f"the answer is longer than {LONGEST_TEXT} characters")
    core = text.strip(_SPACE)
    if not core:
        raise Unreadable("the answer is empty")
    try:
        return _parse(core)
    except NotPlain as error:
        raise Unreadable(str(error)) from None
    except ValueError as error:
        return _without_envelopes(core, error)


def parse_inside(text: str) -> tuple[object, tuple[str, ...]]:
    """Parse the one object that stands in prose: everything from the first `{` to the last `}` must be that object.

    Raises Unreadable if it is not, or if the prose is more than prose: reasoning tags, a server's channel marks, or a
    list, an assignment of members or a string around the object.
    """
    stripped = _reasoning(text.removeprefix("\ufeff").strip())
    done, text = ((stripped[0],), stripped[1]) if stripped else ((), text)
    begin, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= begin < end:
        raise Unreadable("the answer holds no JSON object")
    before, after = text[:begin], text[end:]
    if [*_tags(before), *_tags(after)] or "<|" in before + after:
        raise Unreadable("reasoning or control marks stand beside the JSON object")
    if before.rstrip().endswith(("[", ",", '"')) or after.lstrip().startswith(("]", ",", '"')):
        raise Unreadable("the JSON object is a part of something else")
    try:
        value, repairs = _parse(text[begin:end])
    except (ValueError, NotPlain) as error:
        raise Unreadable(f"the answer holds more than one JSON object or a broken one: {error}") from None
    return value, (*done, "prose around the object", *repairs)


def _without_envelopes(text: str, error: Exception) -> tuple[object, tuple[str, ...]]:
    """Take away one envelope after the other, each kind at most once, until what is left is JSON."""
    steps, done = [_edges, _fence, _reasoning], []
    while found := next(((step, out) for step in steps if (out := step(text)) is not None), None):
        steps.remove(found[0])
        name, text = found[1]
        done.append(name)
        try:
            value, repairs = _parse(text)
        except (ValueError, NotPlain) as fault:
            error = fault
        else:
            return value, (*done, *repairs)
    raise Unreadable(_sentence(error))


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, NotPlain) else f"the answer is not one JSON object: {error}"


def _edges(text: str) -> tuple[str, str] | None:
    core = text.removeprefix("\ufeff").strip()
    return None if core == text else ("byte order mark or white space at the edges", core)


def _reasoning(text: str) -> tuple[str, str] | None:
    """Take away one closed reasoning block; with the opening tag in the prompt, everything up to a sole closing tag."""
    tags = list(_tags(text))
    first = next((place for place, tag in enumerate(tags) if tag[2]), None)
    if first is None:
        return None
    opened = first > 0 and tags[0][0] == 0
    if not opened and (first > 0 or sum(tag[2] for tag in tags) > 1):
        return None
    return "reasoning block", text[tags[first][1] :].strip()


def _tags(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield begin, end and whether it closes, of each reasoning tag (any case, attributes allowed)."""
    place = 0
    while (begin := text.find("<", place)) >= 0:
        place = begin + 1
        closes = text.startswith("/", place)
        name_end = name_begin = place + closes
        while name_end < len(text) and text[name_end].isalpha():
            name_end += 1
        if text[name_begin:name_end].lower() not in _REASONING:
            continue
        end = text.find(">", name_end, name_end + 200)
        attributes = text[name_end:end] if end >= 0 else "<"
        if not attributes or (attributes[0].isspace() and not set("<{") & set(attributes)):
            yield begin, end + 1, closes
            place = end + 1


def _fence(text: str) -> tuple[str, str] | None:
    """Take away one Markdown code fence around everything, with or without a language word."""
    mark = text[:1]
    if mark not in ("`", "~"):
        return None
    width = len(text) - len(text.lstrip(mark))
    inner = text[width:]
    closing = len(inner) - len(inner.rstrip(mark))
    if width < 3 or closing < width:
        return None
    inner = inner[: len(inner) - closing]
    word = 0
    while word < len(inner) and (inner[word].isalnum() or inner[word] in "_+-.") and inner[word].isascii():
        word += 1
    return "code fence", inner[word:].strip()


def _parse(text: str) -> tuple[object, tuple[str, ...]]:
    """Parse strictly, then with the lexical repairs, then out of one level of double encoding."""
    value, repairs = _lexical(text)
    if isinstance(value, str):
        inner = value.strip(_SPACE)
        if inner.startswith("{"):
            value, more = _lexical(inner)
            return value, ("double encoding", *repairs, *more)
    return value, repairs


def _lexical(text: str) -> tuple[object, tuple[str, ...]]:
    _check_nesting(text)
    try:
        return _loads(text, strict=True), ()
    except ValueError as error:
        first = error
    bare = _without_trailing_commas(text)
    comma = ("trailing comma",) if bare != text else ()
    for strict, repairs in ((True, comma), (False, (*comma, "control characters in a string"))):
        if repairs:
            try:
                return _loads(bare, strict), repairs
            except ValueError:
                continue
    raise first


def _loads(text: str, strict: bool) -> object:
    try:
        return json.loads(
            text,
            strict=strict,
            parse_float=_number,
            parse_int=_number,
            parse_constant=_no_constant,
            object_pairs_hook=_unique,
        )
    except RecursionError:
        raise NotPlain(f"the answer is nested more than {DEEPEST_NESTING} levels deep") from None


def _number(text: str) -> Decimal:
    """Read a JSON number exactly, exponents included; -0 is 0. What no score needs (65 digits and more) is refused."""
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > 64 or len(exponent) > 3 or abs(int(exponent or 0)) > 64:
        raise NotPlain(f"the number {text[:20]}… is too long or too large to be a score")
    value = Decimal(format(Decimal(text), "f"))
    return value if value else abs(value)


def _no_constant(name: str) -> object:
    raise NotPlain(f"{name} is not a JSON number")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotPlain(f"the key {twice!r} stands twice in one object")
    return found


def _check_nesting(text: str) -> None:
    """Refuse deep nesting at the same depth on every machine; prose and reasoning are not JSON and not counted."""
    depth = 0 if text.startswith(("{", "[")) else -len(text)
    for _, character in _outside_strings(text):
        depth += (character in "[{") - (character in "]}")
        if depth > DEEPEST_NESTING:
            raise NotPlain(f"the answer is nested more than {DEEPEST_NESTING} levels deep")


def _without_trailing_commas(text: str) -> str:
    """Take out each comma that stands directly before a closing bracket and after a value; strings stay untouched."""
    dropped, comma, before = [], -1, ""
    for place, character in _outside_strings(text):
        if character in _SPACE:
            continue
        if character in "}]" and comma >= 0:
            dropped.append(comma)
        comma = place if character == "," and before not in ("", ",", "[", "{", ":") else -1
        before = character
    kept = [text[start + 1 : stop] for start, stop in zip([-1, *dropped], [*dropped, len(text)], strict=True)]
    return "".join(kept)


def _outside_strings(text: str) -> Iterator[tuple[int, str]]:
    """Yield place and character of everything outside strings, and the quotation marks that open and close them."""
    inside, place = False, 0
    while place < len(text):
        character = text[place]
        if inside and character == "\\":
            place += 2
            continue
        if character == '"':
            inside = not inside
            yield place, character
        elif not inside:
            yield place, character
        place += 1
