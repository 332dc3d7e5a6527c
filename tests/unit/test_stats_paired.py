"""Paired differences: exact means, sign flips, Holm, neighbours."""

import random
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.paired import holm, not_told_apart, paired_differences, sign_flip
from assay.stats.resample import signs


def column(values: list[object]) -> dict[str, object]:
    return {f"m:{i:02}": value for i, value in enumerate(values)}


def test_the_mean_is_over_the_entries_both_have() -> None:
    (found,) = paired_differences({"b": {"m:1": 5, "m:2": 6}, "a": {"m:2": 7, "m:3": 1}}, seed=1, samples=10)
    assert (found.first, found.second) == ("a", "b")
    assert (found.difference.value, found.difference.n) == (1, 1)


def test_the_order_of_rows_changes_nothing() -> None:
    source = random.Random(2)
    scores = {name: column([Decimal(source.randrange(21)) / 2 for _ in range(40)]) for name in "abc"}
    turned = {name: dict(reversed(scores[name].items())) for name in "cba"}
    assert paired_differences(scores, seed=4) == paired_differences(turned, seed=4)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=9))
@settings(max_examples=60, deadline=None)
def test_few_differences_are_enumerated(values: list[int]) -> None:
    sums = [
        abs(sum(s * v for s, v in zip(pattern, values, strict=True)))
        for pattern in product((1, -1), repeat=len(values))
    ]
    p, exact = sign_flip(values, np.zeros((0, len(values))))
    assert exact
    assert p == Fraction(sum(total >= abs(sum(values)) for total in sums), len(sums))


def test_random_flips_agree_with_enumeration_and_never_give_zero() -> None:
    source = random.Random(3)
    values = [source.randrange(-30, 40) for _ in range(16)]
    exact, _ = sign_flip(values, np.zeros((0, 16)))
    many = np.array(values + [0] * 30)
    flips = signs(46, 11, 10_000)
    observed = abs(sum(values))
    assert float(np.mean(np.abs(flips @ many) >= observed)) == pytest.approx(float(exact), abs=0.015)
    p, enumerated = sign_flip([5] * 40, signs(40, 11, 10_000))
    assert (p, enumerated) == (Fraction(1, 10_001), False)


def test_signs_are_fair_and_fixed_for_a_seed() -> None:
    flips = signs(50, 1, 2_000)
    assert set(np.unique(flips)) == {-1.0, 1.0}
    assert abs(flips.mean()) < 0.02
    assert (flips == signs(50, 1, 2_000)).all()


@given(st.lists(st.fractions(0, 1, max_denominator=50), min_size=1, max_size=12))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(p_values: list[Fraction]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= min(1, len(p_values) * p) for p, a in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=lambda at: p_values[at])
    assert [adjusted[at] for at in order] == sorted(adjusted)


def test_a_clear_difference_is_told_apart_and_a_small_one_is_not() -> None:
    source = random.Random(5)
    base = [Decimal(source.randrange(8, 17)) / 2 for _ in range(60)]
    noise = [Decimal(source.choice([-1, 1])) / 2 for _ in range(60)]
    scores = {
        "top": column([b + 2 for b in base]),
        "mid": column([b + n for b, n in zip(base, noise, strict=True)]),
        "low": column(base),
    }
    found = paired_differences(scores, seed=1)
    told = {frozenset((row.first, row.second)): row.told_apart for row in found}
    assert told == {frozenset(("top", "mid")): True, frozenset(("top", "low")): True, frozenset(("mid", "low")): False}
    assert not_told_apart(["top", "mid", "low"], found) == (("mid", "low"),)


def test_equal_columns_have_p_one_and_no_interval() -> None:
    (found,) = paired_differences({"a": column([5] * 9), "b": column([5] * 9)}, seed=1, samples=100)
    assert (found.p, found.p_holm, found.told_apart) == (1, 1, False)
    assert found.difference.reason.startswith("every entry has the same value")


def test_a_pair_without_common_entries_has_no_p_and_does_not_count_for_holm() -> None:
    scores = {"a": column([6, 7, 8, 9, 9, 9]), "b": column([1, 2, 2, 1, 3, 4]), "c": {"m:99": 5}}
    found = {(row.first, row.second): row for row in paired_differences(scores, seed=1, samples=100)}
    assert (found["a", "c"].p, found["a", "c"].p_holm, found["a", "c"].told_apart) == (None, None, False)
    assert found["a", "c"].difference.reason == "no scores"
    assert found["a", "b"].p_holm == found["a", "b"].p == Fraction(2, 64)


def test_one_configuration_has_no_pairs() -> None:
    assert paired_differences({"a": column([1, 2])}, seed=1, samples=10) == ()
