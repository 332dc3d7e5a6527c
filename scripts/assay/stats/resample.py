"""Resampling: seeded draws that are the same everywhere, and the two bootstrap intervals that Assay uses."""

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist

import numpy as np

from assay.stats.values import Estimate, settled

SAMPLES = 10_000
AGREEMENT_SAMPLES = 2_000  # for the many coefficients about judges, whose third decimal nobody reads
LEVEL = 0.95
FEWEST = 5  # with fewer sampling units than this no interval is given
BLOCK = 1_000  # resamples computed at a time, to bound the memory

# Independent random streams for one seed; a number of its own for each use.
DRAWS, SIGNS, SHUFFLES = 1, 2, 3

Statistic = Callable[[np.ndarray], np.ndarray]


def _raw(seed: int, stream: int) -> np.random.PCG64:
    """Return the generator of one stream. Its raw 64-bit numbers are the same in every numpy and on every machine."""
    return np.random.PCG64([seed, stream])


def draws(units: int, seed: int, samples: int = SAMPLES) -> np.ndarray:
    """Return the bootstrap draws: a `samples` x `units` array, how often each unit is in each resample.

    Each row is `units` draws with replacement (Efron 1979). A draw is the high half of a raw 64-bit number, scaled to
    0..units-1; the bias of that is under units / 2**32.
    """
    source = _raw(seed, DRAWS)
    counts = np.empty((samples, units))
    for start in range(0, samples, BLOCK):
        rows = min(BLOCK, samples - start)
        raw = source.random_raw(rows * units).reshape(rows, units)
        drawn = ((raw >> np.uint64(32)) * np.uint64(units) >> np.uint64(32)).astype(np.int64)
        drawn += np.arange(rows)[:, None] * units
        counts[start : start + rows] = np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units)
    return counts


def signs(units: int, seed: int, samples: int = SAMPLES) -> np.ndarray:
    """Return `samples` x `units` random signs, +1 or -1 with the same chance."""
    bits = np.unpackbits(_raw(seed, SIGNS).random_raw((samples * units + 63) // 64).astype("<u8").view(np.uint8))
    return bits[: samples * units].reshape(samples, units) * 2.0 - 1.0


def shuffles(units: int, seed: int, samples: int = SAMPLES) -> np.ndarray:
    """Return `samples` x `units`: each row a random order of 0..units-1."""
    keys = _raw(seed, SHUFFLES).random_raw(samples * units).reshape(samples, units)
    return np.argsort(keys, axis=1, kind="stable")


def evaluate(statistic: Statistic, weights: np.ndarray) -> np.ndarray:
    """Return the statistic of every row of `weights`, computed in blocks. NaN: not defined for that resample."""
    return np.concatenate([statistic(weights[start : start + BLOCK]) for start in range(0, len(weights), BLOCK)])


def point(statistic: Statistic, units: int) -> float | None:
    """Return the statistic of the data as they are (every unit once), None where it is not defined."""
    value = float(statistic(np.ones((1, units)))[0])
    return value if np.isfinite(value) else None


def quantiles(values: np.ndarray, low: float, high: float) -> tuple[float, float]:
    """Return two quantiles, linear between order statistics."""
    first, last = np.quantile(values, [low, high])
    return float(first), float(last)


def student_t(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t by its expansion about the normal quantile.

    Abramowitz and Stegun 1964, formula 26.7.5; within 0.3 % of the exact value from 4 degrees of freedom upwards.
    """
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / degrees**power for power, term in enumerate(terms, start=1))


def expanded_tail(units: int) -> float:
    """Return the tail of the expanded percentile interval for so many sampling units (Hesterberg 2015).

    Phi(-sqrt(n / (n - 1)) t), t the 97.5 % quantile of Student's t with n - 1 degrees of freedom: 2.5 % for many units,
    less for few, where the plain percentile interval is too narrow.
    """
    return NormalDist().cdf(-sqrt(units / (units - 1)) * student_t(units - 1))


def estimate(statistic: Statistic, weights: np.ndarray, undefined: str) -> Estimate:
    """Return a statistic with its expanded percentile 95 % interval (Hesterberg 2015).

    The columns of `weights` are the entries, its rows the resamples. Where the statistic is not defined the value is
    None and the reason `undefined`; where the interval cannot be had (fewer than five entries, or the statistic not
    defined in over a tenth of the resamples) the value stands alone with the reason.
    """
    units = weights.shape[1]
    value = point(statistic, units) if units else None
    if value is None:
        return Estimate(None, None, None, units, undefined)
    if units < FEWEST:
        return Estimate(settled(value), None, None, units, too_few(units))
    resampled = evaluate(statistic, weights)
    resampled = resampled[np.isfinite(resampled)]
    if len(resampled) < 0.9 * len(weights):
        return Estimate(settled(value), None, None, units, "not defined in many resamples: too few different scores")
    tail = expanded_tail(units)
    low, high = quantiles(resampled, tail, 1 - tail)
    return Estimate(settled(value), settled(low), settled(high), units)


def too_few(units: int) -> str:
    """Return the reason why there is no interval."""
    return f"too few entries for an interval ({units}, at least {FEWEST})"
