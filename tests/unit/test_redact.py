"""A key is taken out of text in every form in which it comes back, and nothing else is."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.redact import REMOVED, redact, redact_bytes

KEY = 'sk-proj-Ab9/+x"Q_zz7&kLmN0pQrStUvWxYz12JtAA'


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        f"Bearer {KEY}",
        quote(KEY, safe=""),
        quote(KEY),
        quote_plus(KEY),
        json.dumps(KEY),
        json.dumps(KEY).replace("/", "\\/"),
        html.escape(KEY),
        "".join(f"\\u{ord(c):04x}" for c in KEY),
        "".join(f"%{ord(c):02X}" for c in KEY),
        *(base64.b64encode(b"u" * n + KEY.encode() + b"!" * n).decode() for n in range(6)),
        *(base64.urlsafe_b64encode(b"u" * n + KEY.encode()).decode() for n in range(4)),
        repr({"Authorization": f"Bearer {KEY}\n"}),
    ],
)
def test_whole_forms_are_taken_out(form):
    text = redact(f"<{form}>", [KEY])
    assert REMOVED in text
    assert not any(KEY[i : i + 8] in text for i in range(len(KEY) - 8))
    if "%" not in form and "\\u" not in form:
        assert len(text) <= len(REMOVED) + 40


def test_lower_case_url_escapes_are_taken_out():
    assert redact(quote(KEY, safe="").replace("%2F", "%2f").replace("%2B", "%2b"), [KEY]) == REMOVED


@pytest.mark.parametrize(
    "echo",
    [
        "sk-proj-Ab9…JtAA",
        "sk-pr***********************JtAA",
        "sk-p...tAA",
        "sk-proj-Ab9xxxxxxxx12JtAA",
        "sk-proj-Ab9\\u2026JtAA",
        "sk-proj-[redacted]JtAA",
        "sk-proj-••••AA",
        KEY[:30],
        KEY[-30:],
    ],
)
def test_masked_echoes_and_halves_are_taken_out(echo):
    assert redact(f"Incorrect API key provided: {echo}. See the help.", [KEY]) == (
        f"Incorrect API key provided: {REMOVED}. See the help."
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "keys begin with sk-proj- and are long",
        "the task sk-problem...",
        "sk-p",
        "Q…A",
        "none",
        '{"a": "JtAA"}',
        "…" * 50,
    ],
)
def test_other_text_is_left_alone(text):
    assert redact(text, [KEY, "none", ""]) == text


def test_several_keys_also_when_one_begins_with_the_other():
    short, long = "abcdefgh1234", "abcdefgh1234ZZZZ9999"
    assert redact(f"{long} {short}", [short, long]) == f"{REMOVED} {REMOVED}"


def test_bytes_keep_everything_else_even_if_it_is_not_utf8():
    data = b"\xff\x00" + KEY.encode() + "…é".encode() + b"\xfe"
    assert redact_bytes(data, [KEY]) == b"\xff\x00" + REMOVED.encode() + "…é".encode() + b"\xfe"


def test_a_body_stays_json():
    body = json.dumps({"error": f"bad key {KEY}", "n": 1})
    assert json.loads(redact(body, [KEY])) == {"error": f"bad key {REMOVED}", "n": 1}


def test_many_almost_keys_take_no_time():
    assert redact("sk-p" * 50_000 + "*" * 50_000, [KEY]).startswith("sk-p")


keys = st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=20, max_size=60)


@given(keys, st.text(max_size=40), st.text(max_size=40))
def test_no_key_survives_in_any_context(key, before, after):
    assume(REMOVED not in key and key not in REMOVED)
    for form in (
        key,
        json.dumps(key),
        quote(key, safe=""),
        base64.b64encode(f"{before}{key}{after}".encode()).decode(),
    ):
        text = redact(f"{before}{form}{after}", [key])
        assert form not in text and key not in text


@given(st.text(max_size=200))
def test_text_without_the_key_is_untouched(text):
    assume("sk-p" not in text and "JtAA" not in text)
    assert redact(text, [KEY]) == text
