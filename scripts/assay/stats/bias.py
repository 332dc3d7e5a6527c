"""Whom a judge may favour: the configuration that contains its own model, or one family."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from assay.stats.judges import weights_for
from assay.stats.means import Bounds, grid, studentised
from assay.stats.paired import corrected, tested
from assay.stats.resample import FEWEST, SAMPLES, Statistic, estimate, shuffles, too_few
from assay.stats.values import Capture, Estimate, Number, as_integers, fractions, mean

Scores = Mapping[str, Mapping[Capture, Number]]  # judge -> (entry, configuration) -> score


@dataclass(frozen=True)
class SelfPreference:
    """How much more a judge gives, against the other judges, where a configuration contains its own model. `own` and
    `others` are the configurations compared, `left_out` those with another judge's model (also besides its own)."""

    judge: str
    own: tuple[str, ...]
    others: tuple[str, ...]
    left_out: tuple[str, ...]
    effect: Estimate
    p: Fraction | None


@dataclass(frozen=True)
class FamilyFavour:
    """How much more a judge gives one family, against the other judges, than it gives the other families."""

    judge: str
    family: str
    gap: Fraction | None
    effect: Estimate
    p: Fraction | None
    p_holm: Fraction | None


def against_others(judge: str, scores: Scores) -> dict[Capture, Fraction]:
    """Return per capture the judge's score minus the mean of the other judges' scores, where all have one."""
    others = [name for name in scores if name != judge]
    shared = set(scores[judge]).intersection(*(scores[name] for name in others)) if others else set()
    return {
        capture: Fraction(scores[judge][capture]) - mean(scores[name][capture] for name in others)
        for capture in sorted(shared)
    }


def self_preference(
    scores: Scores,
    contains: Mapping[str, Collection[str]],
    seed: int,
    samples: int = SAMPLES,
    bounds: Bounds | None = (0, 10),
) -> tuple[SelfPreference, ...]:
    """Return each judge's self-preference: a difference in differences.

    `contains`: configuration -> the judges whose model it contains. Per entry: the mean of (judge - mean of the other
    judges) over the configurations with this judge's model alone, minus the same over the configurations with no
    judge's model; averaged over the entries that have both. A configuration that contains another judge's model is left
    out, as both may favour it. Studentised bootstrap interval over entries, sign-flip p-value.
    """
    found = []
    for judge in scores:
        own, others, left_out = _sides(judge, contains)
        gaps = against_others(judge, scores)
        entries: dict[str, Fraction] = {}
        for entry in sorted({entry for entry, _ in gaps}):
            sides = [mean(gaps[entry, c] for c in side if (entry, c) in gaps) for side in (own, others)]
            if None not in sides:
                entries[entry] = sides[0] - sides[1]
        effect, p = _effect(entries, seed, samples, bounds)
        if not own or not others:
            which = "with this judge's model alone" if not own else "without any judge's model"
            effect = Estimate(None, None, None, 0, f"there is no configuration {which} to compare")
        found.append(SelfPreference(judge, own, others, left_out, effect, p))
    return tuple(found)


def _sides(
    judge: str, contains: Mapping[str, Collection[str]]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    own = tuple(sorted(name for name, judges in contains.items() if set(judges) == {judge}))
    others = tuple(sorted(name for name, judges in contains.items() if not judges))
    return own, others, tuple(sorted(set(contains) - set(own) - set(others)))


def _effect(
    entries: Mapping[str, Fraction], seed: int, samples: int, bounds: Bounds | None
) -> tuple[Estimate, Fraction | None]:
    table = grid({"effect": entries})
    weights = weights_for(len(table.entries), seed, samples)
    width = None if bounds is None else 2 * (fractions(bounds)[1] - fractions(bounds)[0])
    (effect,) = studentised(table, weights, None if width is None else (-width, width))
    ((p, _),) = tested(table, seed, samples)
    return effect, p


def family_favour(
    scores: Scores, families: Mapping[str, str], seed: int, samples: int = SAMPLES
) -> tuple[FamilyFavour, ...]:
    """Return for each judge and family whether the judge favours the family.

    `families`: entry -> family. Per entry: mean over its captures of (judge - mean of the other judges). `gap` is the
    mean of that over the family's entries, `effect` that minus the mean over all other entries, with an expanded
    percentile bootstrap interval over entries; p by giving the entries' families out anew at random (permutation test,
    with the observed order counted), Holm-corrected over all judges and families.
    """
    rows = []
    for judge in scores:
        gaps = against_others(judge, scores)
        entries = sorted({entry for entry, _ in gaps})
        means = [mean(gap for (name, _), gap in gaps.items() if name == entry) for entry in entries]
        weights = weights_for(len(entries), seed, samples)
        orders = shuffles(len(entries), seed, samples) if entries else np.zeros((samples, 0), dtype=int)
        for family in sorted(set(families.values())):
            member = np.array([families[entry] == family for entry in entries], dtype=bool)
            rows.append(_family(judge, family, means, member, weights, orders))
    adjusted = corrected([row.p for row in rows])
    return tuple(
        FamilyFavour(row.judge, row.family, row.gap, row.effect, row.p, p)
        for row, p in zip(rows, adjusted, strict=True)
    )


def _family(
    judge: str, family: str, means: list[Fraction], member: np.ndarray, weights: np.ndarray, orders: np.ndarray
) -> FamilyFavour:
    gap = mean(value for value, inside in zip(means, member, strict=True) if inside)
    values, scale = as_integers(means)
    contrast = _contrast(values / scale, member)
    effect = estimate(contrast, weights, "there are no entries of this family, or of any other, to compare")
    size, total, p = int(member.sum()), int(values.sum()), None
    if effect.value is not None:
        fewer = min(size, len(values) - size)
        if fewer < FEWEST:
            effect = Estimate(effect.value, None, None, effect.n, too_few(fewer))
        # the contrast, times a constant: whole numbers, so that ties are ties
        shuffled = np.abs(values[orders][:, :size].sum(axis=1) * len(values) - total * size)
        observed = abs(int(values[member].sum()) * len(values) - total * size)
        p = Fraction(int((shuffled >= observed).sum()) + 1, len(orders) + 1)
    return FamilyFavour(judge, family, gap, effect, p, None)


def _contrast(values: np.ndarray, member: np.ndarray) -> Statistic:
    def statistic(weights: np.ndarray) -> np.ndarray:
        sides = []
        for side in (member.astype(float), (~member).astype(float)):
            count = weights @ side
            total = weights @ (side * values)
            sides.append(np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0))
        return sides[0] - sides[1]

    return statistic
