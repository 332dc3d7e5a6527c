"""Does the conclusion hold when the scoring is done another way?"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import lcm, sqrt

from assay.canonical import plain
from assay.stats.values import Capture, Number, settled

Rows = Mapping[Capture, Mapping[str, Number]]  # (entry, configuration) -> criterion -> score
SHIFT = Decimal("0.10")


@dataclass(frozen=True)
class Scenario:
    """One way of scoring. `ranking` is best first, configurations with equal means together; `tau` compares it with the
    run's own ranking (None with fewer than two configurations, or where all are equal)."""

    id: str
    title: str
    weights: tuple[tuple[str, Fraction], ...]
    means: tuple[tuple[str, Fraction], ...]
    ranking: tuple[tuple[str, ...], ...]
    tau: Fraction | None
    winner_holds: bool
    order_holds: bool


@dataclass(frozen=True)
class Sensitivity:
    """The run's own scoring, and the other ways of scoring."""

    base: Scenario
    scenarios: tuple[Scenario, ...]


def shifted(weights: Mapping[str, Fraction], criterion: str, shift: Fraction) -> dict[str, Fraction]:
    """Return the weights with one moved by `shift` of their sum, and the others rescaled in proportion so that the sum
    stays. The moved weight is kept between 0 and the sum. Raises ValueError where the others have no weight at all."""
    total = sum(weights.values())
    moved = min(max(weights[criterion] + shift * total, Fraction(0)), total)
    rest = total - weights[criterion]
    if rest == 0:
        raise ValueError(f"{criterion} has all the weight: the other criteria have none to rescale")
    return {name: moved if name == criterion else weight * (total - moved) / rest for name, weight in weights.items()}


@dataclass(frozen=True)
class _Scaled:
    """Every capture's criteria as integers: score = integer / scale. Configurations sorted by name."""

    scale: int
    columns: tuple[tuple[str, tuple[dict[str, int], ...]], ...]


def _scaled(rows: Rows) -> _Scaled:
    exact = {capture: {name: Fraction(score) for name, score in row.items()} for capture, row in rows.items()}
    scale = lcm(*{score.denominator for row in exact.values() for score in row.values()})
    columns: dict[str, list[dict[str, int]]] = {}
    for (_, configuration), row in exact.items():
        columns.setdefault(configuration, []).append({name: int(score * scale) for name, score in row.items()})
    return _Scaled(scale, tuple((name, tuple(columns[name])) for name in sorted(columns)))


def _means(rows: _Scaled, weights: Mapping[str, Fraction], cap: str | None) -> dict[str, Fraction]:
    """Return each configuration's mean of sum(weight * score), at most the score of `cap`. Integers: fast and exact."""
    unit = lcm(*(weight.denominator for weight in weights.values()))
    parts = {name: int(weight * unit) for name, weight in weights.items()}
    found = {}
    for configuration, captures in rows.columns:
        values = [sum(part * row[name] for name, part in parts.items()) for row in captures]
        if cap is not None:
            values = [min(value, unit * row[cap]) for value, row in zip(values, captures, strict=True)]
        found[configuration] = Fraction(sum(values), unit * rows.scale * len(captures))
    return found


def rank_groups(means: Mapping[str, Fraction]) -> tuple[tuple[str, ...], ...]:
    """Return the configurations best first; those with equal means stand together, by name."""
    return tuple(
        tuple(sorted(name for name in means if means[name] == level)) for level in sorted(set(means.values()))[::-1]
    )


def kendall_tau(one: Mapping[str, Fraction], other: Mapping[str, Fraction]) -> Fraction | None:
    """Return Kendall's tau-b of two sets of means over the configurations in both (Kendall 1945).

    (C - D) / sqrt((pairs - ties in one) (pairs - ties in other)): 1 = the same order, -1 = the reverse. None where one
    of the two puts all configurations equal.
    """
    balance = untied_one = untied_other = 0
    for first, second in combinations(sorted(one.keys() & other.keys()), 2):
        here = (one[first] > one[second]) - (one[first] < one[second])
        there = (other[first] > other[second]) - (other[first] < other[second])
        balance += here * there
        untied_one += here != 0
        untied_other += there != 0
    if not untied_one or not untied_other:
        return None
    return settled(balance / sqrt(untied_one * untied_other))


def sensitivity(
    averaged: Rows,
    by_judge: Mapping[str, Rows],
    weights: Mapping[str, Number],
    cap: str | None,
    shift: Number = SHIFT,
) -> Sensitivity:
    """Return the ranking under other ways of scoring, and whether the run's ranking holds.

    `averaged`: the panel's criteria per capture; `by_judge`: each judge's own; `weights` and `cap` as the protocol
    has them. Ways: each judge alone (the cap then is that judge's own score), without the cap (where there is one),
    equal weights, and each criterion's weight `shift` of the weights' sum (10 points of 100) up and down with the
    others rescaled in proportion (not where it has all the weight). The winner holds when the same configuration (or
    the same group of equals) is first; the order holds when every place is the same.
    """
    exact = {name: Fraction(weight) for name, weight in weights.items()}
    panel = _scaled(averaged)
    base = _scenario("base", "the run's own scoring", panel, exact, cap, None)
    ways = [(f"judge-{judge}", f"{judge} alone", _scaled(rows), exact, cap) for judge, rows in by_judge.items()]
    if cap is not None:
        ways.append(("no-cap", f"without the cap at {cap}", panel, exact, None))
    ways.append(("equal-weights", "equal weights", panel, dict.fromkeys(exact, sum(exact.values()) / len(exact)), cap))
    for name in exact:
        if exact[name] != sum(exact.values()):  # with all the weight, there are no others to rescale
            for sign, word in ((-1, "minus"), (1, "plus")):
                moved = shifted(exact, name, sign * Fraction(shift))
                step = 100 * abs(moved[name] - exact[name]) / sum(exact.values())
                points = plain(Decimal(step.numerator) / step.denominator)
                ways.append((f"{name}-{word}", f"weight of {name} {word} {points} points", panel, moved, cap))
    return Sensitivity(base, tuple(_scenario(*way, base) for way in ways))


def _scenario(
    name: str, title: str, rows: _Scaled, weights: Mapping[str, Fraction], cap: str | None, base: Scenario | None
) -> Scenario:
    means = _means(rows, weights, cap)
    ranking = rank_groups(means)
    before, order = (dict(base.means), base.ranking) if base else (means, ranking)
    return Scenario(
        name,
        title,
        tuple(weights.items()),
        tuple(means.items()),
        ranking,
        kendall_tau(before, means),
        ranking[:1] == order[:1],
        ranking == order,
    )
