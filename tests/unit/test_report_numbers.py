"""Numbers as people read them: rounded half up, never stronger than they are."""

import pytest

from assay.report.conclusions import negated
from assay.report.numbers import between, chance, listed, percent, shown


@pytest.mark.parametrize(
    ("cell", "decimals", "signed", "text"),
    [
        ("7.25", 1, False, "7.3"),
        ("7.249999999999", 1, False, "7.2"),
        ("-0.25", 1, False, "−0.3"),
        ("-0.04", 1, True, "0.0"),
        ("0.004", 2, True, "+0.00"),
        ("0", 2, True, "0.00"),
        ("1.5", 0, True, "+2"),
        ("", 1, False, "–"),
    ],
)
def test_a_number_is_rounded_half_up_with_a_true_minus(cell, decimals, signed, text):
    assert shown(cell, decimals, signed) == text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("0", "0 %"),
        ("0.001", "< 1 %"),
        ("0.004999", "< 1 %"),
        ("0.005", "1 %"),
        ("0.125", "13 %"),
        ("0.9999", "> 99 %"),
    ],
)
def test_a_share_is_never_shown_as_none_or_all_when_it_is_not(cell, text):
    assert percent(cell) == text
    assert percent("1") == "100 %" and percent("") == "–"


def test_a_p_value_has_a_floor():
    assert [chance(cell) for cell in ("0.0009", "0.001", "0.0496", "1", "")] == [
        "< 0.001",
        "0.001",
        "0.050",
        "1.000",
        "–",
    ]


def test_an_interval_without_ends_is_a_dash():
    assert between({"low": "", "high": ""}) == "–"
    assert between({"low": "-0.5", "high": "0.25"}, 2, signed=True) == "−0.50 to +0.25"


def test_words_are_listed():
    assert [listed(list(words)) for words in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]


def test_a_sign_is_turned():
    assert [negated(cell) for cell in ("1.5", "-1.5", "0", "")] == ["-1.5", "1.5", "0", ""]
