"""Canonical JSON: one text for one value, whatever the order, and never through binary floating point."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.canonical import canonical, loads, plain, sha256

DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | DECIMALS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_value_comes_back_equal_and_its_text_does_not_change(value):
    text = canonical(value)
    assert loads(text) == value
    assert canonical(loads(text)) == text


@given(st.dictionaries(st.text(), st.integers(), max_size=6), st.randoms())
def test_the_order_of_keys_does_not_matter(value, random):
    pairs = list(value.items())
    random.shuffle(pairs)
    assert canonical(dict(pairs)) == canonical(value)
    assert sha256(dict(pairs)) == sha256(value)


@given(st.text())
def test_any_other_json_reader_reads_the_same_text(text):
    assert json.loads(canonical({"k": text})) == {"k": text}


@pytest.mark.parametrize(
    ("number", "text"),
    [("7.50", "7.5"), ("7.0", "7"), ("-0", "0"), ("-0.00", "0"), ("1E+1", "10"), ("1e-7", "0.0000001"), ("100", "100")],
)
def test_decimals_are_plain(number, text):
    assert plain(Decimal(number)) == canonical(Decimal(number)) == text


def test_a_decimal_keeps_every_digit():
    assert canonical(loads("0.1000000000000000055511151231257827")) == "0.1000000000000000055511151231257827"


def test_the_hash_of_bytes_is_of_the_bytes_themselves():
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256({"b": 1, "a": 2}) == sha256(b'{"a":2,"b":1}')


@pytest.mark.parametrize("value", [1.5, {1: 2}, {"a": {2, 3}}, b"bytes", object()])
def test_what_json_cannot_hold_exactly_is_refused(value):
    with pytest.raises(TypeError):
        canonical(value)


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "NaN", "[Infinity]", "-Infinity", "{", "", "[" * 100_000])
def test_json_that_is_not_strict_is_refused(text):
    with pytest.raises(ValueError):
        loads(text)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_no_number_is_not_finite(number):
    with pytest.raises(ValueError):
        canonical(Decimal(number))


def test_a_lone_surrogate_has_a_text_that_utf_8_can_hold():
    assert canonical("\ud83d").encode("utf-8") == b'"\\ud83d"'
    assert loads(canonical({"\udc00": "\ud83d"})) == {"\udc00": "\ud83d"}
