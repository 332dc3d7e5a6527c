"""How often the 95 % intervals contain the truth, where the truth is known.

    PYTHONPATH=scripts python tests/bench/coverage_simulation.py [grids] [samples]

Draws `grids` made-up grids per line (default 2,000) from a known distribution, computes the intervals with the
functions that the report uses (`samples` resamples, default 2,000), and prints the share that contains the truth. Lines
marked `gate` must lie in 93-97 %; the others show why other methods were not taken, and where this one ends: with 12
entries and `tail`, over a quarter of the grids hold no failure at all, and no resampling can know of what it has not
seen. Exit code 1 where a gate fails.

Scores are 0-10 in halves and crowded at the top: a beta distribution in 21 steps. `skewed`: mean 7.6; `ceiling`: mean
9.0, a third of all scores 9.5 or 10; `tail`: nine in ten near 8.2 and one in ten a failure near 2.9.
"""

import sys
import time
from fractions import Fraction

import numpy as np

from assay.stats import coefficients
from assay.stats.means import NO_SPREAD, failure_rate, grid, studentised
from assay.stats.resample import draws, estimate, expanded_tail

STEPS = np.arange(21) / 2
SEED = 20260101


def beta_steps(a: float, b: float) -> np.ndarray:
    """Return the chance of each half point when a beta(a, b) variable times ten is rounded to it."""
    fine = (np.arange(20_000) + 0.5) / 20_000
    density = fine ** (a - 1) * (1 - fine) ** (b - 1)
    return np.bincount(np.round(fine * 20).astype(int), weights=density, minlength=21) / density.sum()


SHAPES = {
    "skewed": beta_steps(5, 1.6),
    "ceiling": beta_steps(6, 0.7),
    "tail": 0.9 * beta_steps(9, 2) + 0.1 * beta_steps(2, 5),
}


def show(gate: bool, what: str, n: int, hits: float, width: float) -> bool:
    """Print one line and return whether it is a gate that fails."""
    share = 100 * hits
    failed = gate and not 93 <= share <= 97
    mark = ("FAIL" if failed else "gate") if gate else "    "
    print(f"{mark}  {what:<44} n={n:<4} covers {share:5.1f} %  mean width {width:5.2f}", flush=True)
    return failed


def means(shape: str, n: int, grids: int, samples: int, source: np.random.Generator) -> bool:
    """The studentised interval of a mean, and the plain and the expanded percentile interval beside it."""
    chances = SHAPES[shape]
    truth = float(STEPS @ chances)
    weights = draws(n, SEED, samples)
    tail = expanded_tail(n)
    found: dict[str, list[tuple[bool, float]]] = {"studentised": [], "plain percentile": [], "expanded percentile": []}
    for _ in range(grids):
        values = source.choice(21, n, p=chances)
        column = {f"m:{at:03}": Fraction(int(value), 2) for at, value in enumerate(values)}
        (mean,) = studentised(grid({"x": column}), weights, (0, 10))
        low, high = (mean.value, mean.value) if mean.reason == NO_SPREAD else (mean.low, mean.high)
        found["studentised"].append((low <= truth <= high, float(high - low)))
        resampled = weights @ (values / 2) / n
        for name, edge in (("plain percentile", 0.025), ("expanded percentile", tail)):
            low, high = np.quantile(resampled, [edge, 1 - edge])
            found[name].append((low <= truth <= high, high - low))
    failed = False
    for name, rows in found.items():
        gate = name == "studentised" and (shape != "tail" or n >= 50)
        hits, width = np.mean(rows, axis=0)
        failed |= show(gate, f"mean, {shape}: {name}", n, hits, width)
    return failed


def differences(n: int, grids: int, samples: int, source: np.random.Generator) -> bool:
    """The studentised interval of a paired difference between a `skewed` and a `ceiling` configuration."""
    truth = float(STEPS @ (SHAPES["ceiling"] - SHAPES["skewed"]))
    weights = draws(n, SEED, samples)
    rows = []
    for _ in range(grids):
        gaps = source.choice(21, n, p=SHAPES["ceiling"]) - source.choice(21, n, p=SHAPES["skewed"])
        column = {f"m:{at:03}": Fraction(int(gap), 2) for at, gap in enumerate(gaps)}
        (mean,) = studentised(grid({"x": column}), weights, (-10, 10))
        rows.append((mean.low <= truth <= mean.high, float(mean.high - mean.low)))
    return show(True, "paired difference: studentised", n, *np.mean(rows, axis=0))


def wilson(n: int, grids: int, source: np.random.Generator) -> bool:
    """Wilson's interval, averaged over failure rates drawn evenly from 2 % to 40 %."""
    rows = []
    for truth in source.uniform(0.02, 0.40, max(grids, 2000)):
        rate = failure_rate(int(source.binomial(n, truth)), n)
        rows.append((rate.low <= truth <= rate.high, float(rate.high - rate.low)))
    return show(True, "failure rate: Wilson, rates 2-40 %", n, *np.mean(rows, axis=0))


def judges(entries: int, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return entry, first and second judge's score of three captures an entry: bias 0.3, noise, halves, the ceiling."""
    cluster = np.repeat(np.arange(entries), 3)
    quality = 8 + source.normal(0, 0.7, entries)[cluster] + source.normal(0, 1, len(cluster))
    first, second = (quality + bias + source.normal(0, 0.75, len(cluster)) for bias in (0.3, 0.0))
    return cluster, *(np.clip(np.round(scores * 2) / 2, 0, 10) for scores in (first, second))


def measures(cluster: np.ndarray, x: np.ndarray, y: np.ndarray) -> dict[str, coefficients.Statistic]:
    both = np.column_stack([x, y])
    return {
        "bias": coefficients.mean_difference(x, y, cluster),
        "Pearson": coefficients.pearson(x, y, cluster),
        "Spearman": coefficients.spearman(x, y, cluster),
        "quadratic kappa": coefficients.quadratic_kappa(2 * x, 2 * y, cluster),
        "ICC(2,1)": coefficients.icc(both, False, cluster),
        "alpha": coefficients.alpha(both, "interval", cluster),
    }


def agreement(n: int, grids: int, samples: int, source: np.random.Generator) -> bool:
    """The expanded percentile interval of the agreement of two judges; the truth is that of 40,000 entries."""
    large = 40_000
    truth = {
        name: float(statistic(np.ones((1, large)))[0]) for name, statistic in measures(*judges(large, source)).items()
    }
    weights = draws(n, SEED, samples)
    rows: dict[str, list[tuple[bool, float]]] = {name: [] for name in truth}
    for _ in range(grids):
        for name, statistic in measures(*judges(n, source)).items():
            found = estimate(statistic, weights, "")
            rows[name].append((found.low <= truth[name] <= found.high, float(found.high - found.low)))
    lines = [show(True, f"{name}: expanded percentile", n, *np.mean(values, axis=0)) for name, values in rows.items()]
    return any(lines)


def main() -> None:
    grids, samples = (int(given) for given in (*sys.argv[1:], *("2000", "2000")[len(sys.argv) - 1 :]))
    start = time.monotonic()
    source = np.random.default_rng(SEED)
    print(f"{grids} grids a line, {samples} resamples; standard error of a share {100 * (0.0475 / grids) ** 0.5:.1f}")
    failed = [means(shape, n, grids, samples, source) for shape in SHAPES for n in (12, 50, 196)]
    failed += [differences(n, grids, samples, source) for n in (12, 50, 196)]
    failed += [wilson(n, grids, source) for n in (12, 50, 196)]
    for n in (12, 50, 196):
        failed.append(agreement(n, grids, min(samples, 1000), source))
    print(f"{'a gate failed' if any(failed) else 'all gates hold'}; {time.monotonic() - start:.0f} s")
    sys.exit(any(failed))


if __name__ == "__main__":
    main()
