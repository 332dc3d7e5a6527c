"""Coefficients of agreement and correlation, as functions of how often each cluster counts.

Every function here takes the data and returns a `Statistic`: given weights (rows = resamples, columns = clusters) it
returns one value a row, NaN where the coefficient is not defined. With every weight 1 it is the plain coefficient.
`cluster` gives each row's cluster, 0..c-1; without it each row is its own. Tests hold them to the published worked
examples and to scipy, scikit-learn, pingouin and krippendorff; those compute one value at a time, and 2,000
resamples of 40 coefficients would take them minutes.
"""

from typing import Literal

import numpy as np

from assay.stats.resample import Statistic

Level = Literal["nominal", "ordinal", "interval", "ratio"]
TINY = 1e-12  # a sum of squares below this share of its terms is rounding, not variance


def _clustered(columns: list[np.ndarray], cluster: np.ndarray | None) -> np.ndarray:
    """Return the sum of each column over each cluster: clusters x columns."""
    rows = np.arange(len(columns[0])) if cluster is None else np.asarray(cluster)
    size = int(rows.max()) + 1 if len(rows) else 0
    return np.column_stack([np.bincount(rows, weights=column, minlength=size) for column in columns])


def _sums(table: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted sums: resamples x columns. Clusters after the last that has a row count nothing."""
    return weights[:, : len(table)] @ table


def _divide(top: np.ndarray, bottom: np.ndarray, defined: np.ndarray) -> np.ndarray:
    return np.divide(top, bottom, out=np.full(np.shape(top), np.nan), where=defined)


class _Moments:
    """Weighted sums of squares and products of two columns, about their means."""

    def __init__(self, x: np.ndarray, y: np.ndarray, cluster: np.ndarray | None) -> None:
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        # a whole number keeps halves and quarters exact; taking it off keeps the squares small
        self.centre_x, self.centre_y = (np.round(column.mean()) if len(column) else 0.0 for column in (x, y))
        x, y = x - self.centre_x, y - self.centre_y
        self.table = _clustered([np.ones(len(x)), x, y, x * x, y * y, x * y], cluster)

    def __call__(self, weights: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return n, mean x, mean y, and the sums of squares xx, yy and products xy about the means."""
        n, x, y, xx, yy, xy = _sums(self.table, weights).T
        n = np.where(n > 0, n, np.nan)
        squares_x, squares_y = xx - x * x / n, yy - y * y / n
        squares_x = np.where(squares_x > TINY * (1 + xx), squares_x, 0.0)
        squares_y = np.where(squares_y > TINY * (1 + yy), squares_y, 0.0)
        return n, x / n + self.centre_x, y / n + self.centre_y, squares_x, squares_y, xy - x * y / n


def mean_difference(x: np.ndarray, y: np.ndarray, cluster: np.ndarray | None = None) -> Statistic:
    """Mean of x - y over the rows: the bias of x against y (Bland and Altman 1986)."""
    moments = _Moments(x, y, cluster)

    def statistic(weights: np.ndarray) -> np.ndarray:
        _, mean_x, mean_y, *_ = moments(weights)
        return mean_x - mean_y

    return statistic


def deviation_ratio(x: np.ndarray, y: np.ndarray, cluster: np.ndarray | None = None) -> Statistic:
    """Standard deviation of x divided by that of y: above 1, x spreads its scores wider. NaN without variance."""
    moments = _Moments(x, y, cluster)

    def statistic(weights: np.ndarray) -> np.ndarray:
        _, _, _, xx, yy, _ = moments(weights)
        return np.sqrt(_divide(xx, yy, (yy > 0) & (xx > 0)))

    return statistic


def pearson(x: np.ndarray, y: np.ndarray, cluster: np.ndarray | None = None) -> Statistic:
    """Product-moment correlation (Pearson 1895). NaN where x or y has no variance."""
    moments = _Moments(x, y, cluster)

    def statistic(weights: np.ndarray) -> np.ndarray:
        _, _, _, xx, yy, xy = moments(weights)
        return np.clip(_divide(xy, np.sqrt(xx * yy), (xx > 0) & (yy > 0)), -1.0, 1.0)

    return statistic


def slope(
    x: np.ndarray, y: np.ndarray, cluster: np.ndarray | None = None, group: np.ndarray | None = None
) -> Statistic:
    """Least-squares slope of y on x; with `group`, one common slope and an intercept for each group. NaN where x has no
    variance within any group."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    rows = np.arange(len(x)) if cluster is None else np.asarray(cluster)
    group = np.zeros(len(x), dtype=int) if group is None else np.asarray(group)
    parts = [_Moments(x[group == name], y[group == name], rows[group == name]) for name in np.unique(group)]

    def statistic(weights: np.ndarray) -> np.ndarray:
        xx, xy = np.zeros(len(weights)), np.zeros(len(weights))
        for part in parts:
            n, _, _, squares, _, products = part(weights)
            xx += np.where(n > 0, squares, 0.0)
            xy += np.where(n > 0, products, 0.0)
        return _divide(xy, xx, xx > 0)

    return statistic


def quadratic_kappa(x: np.ndarray, y: np.ndarray, cluster: np.ndarray | None = None) -> Statistic:
    """Cohen's kappa with quadratic weights (Cohen 1968; Fleiss and Cohen 1973) of two columns of category numbers.

    kappa = 1 - sum(w o) / sum(w e), w = (i - j)**2, o the observed and e the expected counts of the two marginals.
    For these weights it is the same as 1 - sum((x - y)**2) / (xx + yy + n (mean x - mean y)**2), which is computed;
    categories that nobody used therefore change nothing. NaN where both judges give one and the same category.
    """
    moments = _Moments(x, y, cluster)

    def statistic(weights: np.ndarray) -> np.ndarray:
        n, mean_x, mean_y, xx, yy, xy = moments(weights)
        chance = xx + yy + n * (mean_x - mean_y) ** 2
        return _divide(2 * xy, chance, chance > 0)

    return statistic


def spearman(x: np.ndarray, y: np.ndarray, cluster: np.ndarray | None = None) -> Statistic:
    """Rank correlation (Spearman 1904): the product-moment correlation of mid-ranks, ranked anew in each resample.

    NaN where x or y has no variance.
    """
    codes = [np.unique(np.asarray(column), return_inverse=True)[1].ravel() for column in (x, y)]
    counts = [_indicator(code, cluster) for code in codes]
    both, pair = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    together = _indicator(pair.ravel(), cluster)

    def statistic(weights: np.ndarray) -> np.ndarray:
        ranks, squares = [], []
        for count in counts:
            size = _sums(count, weights)
            rank = (
                np.cumsum(size, axis=1) - size / 2 - size.sum(axis=1, keepdims=True) / 2
            )  # mid-ranks about their mean
            ranks.append(rank)
            squares.append(np.sum(size * rank * rank, axis=1))
        products = np.sum(_sums(together, weights) * ranks[0][:, both[:, 0]] * ranks[1][:, both[:, 1]], axis=1)
        defined = (squares[0] > 0) & (squares[1] > 0)
        return np.clip(_divide(products, np.sqrt(squares[0] * squares[1]), defined), -1.0, 1.0)

    return statistic


def _indicator(code: np.ndarray, cluster: np.ndarray | None) -> np.ndarray:
    """Return how often each code is in each cluster: clusters x codes."""
    rows = np.arange(len(code)) if cluster is None else np.asarray(cluster)
    table = np.zeros((int(rows.max()) + 1 if len(rows) else 0, int(code.max()) + 1 if len(code) else 0))
    np.add.at(table, (rows, code), 1.0)
    return table


def icc(ratings: np.ndarray, average: bool = False, cluster: np.ndarray | None = None) -> Statistic:
    """Intraclass correlation for absolute agreement, two-way random: ICC(2,1), or with `average` ICC(2,k).

    Shrout and Fleiss 1979, from the mean squares of rows (captures), columns (judges) and error of a complete table,
    captures x judges. NaN where no score differs from another, or where the variances add up to nothing.
    """
    ratings = np.asarray(ratings, dtype=float)
    k = ratings.shape[1]
    values = ratings - (np.round(ratings.mean()) if ratings.size else 0.0)
    row = values.sum(axis=1)
    columns = [np.ones(len(values)), row * row, (values * values).sum(axis=1), *values.T]
    table = _clustered(columns, cluster)

    def statistic(weights: np.ndarray) -> np.ndarray:
        n, rows, total, *judges = _sums(table, weights).T
        n = np.where(n > 1, n, np.nan)
        middle = sum(judges) ** 2 / (n * k)
        column = sum(judge**2 for judge in judges) / n
        between = (rows / k - middle) / (n - 1)
        judge = (column - middle) / (k - 1)
        error = (total - rows / k - column + middle) / ((n - 1) * (k - 1))
        top = between - error
        bottom = between + (judge - error) / n if average else between + (k - 1) * error + k * (judge - error) / n
        varies = total - middle > TINY * (1 + total)
        return _divide(top, bottom, varies & (bottom > TINY))

    return statistic


def alpha(ratings: np.ndarray, level: Level = "interval", cluster: np.ndarray | None = None) -> Statistic:
    """Krippendorff's alpha, 1 - D_o / D_e (Krippendorff 2011; 2019), with missing ratings allowed.

    `ratings` is units x raters, NaN = not rated; units with one rating are left out, as they cannot be compared. D_o is
    the mean squared distance within units (a unit of m ratings weighs 1 / (m - 1) for each of its pairs), D_e that of
    all values paired at random. Distances: nominal 0 or 1; interval v - w; ratio (v - w) / (v + w); ordinal the
    difference of the mid-ranks of the two values in all values, counted anew in each resample.
    NaN where all ratings are the same value, or nothing can be compared.
    """
    ratings = np.asarray(ratings, dtype=float)
    present = ~np.isnan(ratings)
    pairable = present.sum(axis=1) > 1
    rows = (np.arange(len(ratings)) if cluster is None else np.asarray(cluster))[pairable]
    ratings, present = ratings[pairable], present[pairable]
    domain = np.unique(ratings[present])
    size = int(rows.max()) + 1 if len(rows) else 0
    marginals, observed, pairs = _coincidences(np.searchsorted(domain, ratings), present, rows, size, len(domain))
    fixed = None if level == "ordinal" else _distances(domain, level)

    def statistic(weights: np.ndarray) -> np.ndarray:
        counts = _sums(marginals, weights)
        n = counts.sum(axis=1)
        if fixed is None:
            place = np.cumsum(counts, axis=1) - counts / 2 - n[:, None] / 2
            expected = 2 * n * np.sum(counts * place**2, axis=1)
            distances = (place[:, pairs[:, 0]] - place[:, pairs[:, 1]]) ** 2
        else:
            expected = np.sum(counts @ fixed * counts, axis=1)
            distances = fixed[pairs[:, 0], pairs[:, 1]]
        disagreement = np.sum(_sums(observed, weights) * distances, axis=1)
        return 1 - _divide((n - 1) * disagreement, expected, expected > 0)

    return statistic


def _coincidences(
    codes: np.ndarray, present: np.ndarray, rows: np.ndarray, size: int, values: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return per cluster how often each value stands, how much each pair of different values coincides, and the pairs.

    A pair of ratings in a unit of m counts 2 / (m - 1): both orders of it.
    """
    marginals = np.zeros((size, values))
    unit, rater = np.nonzero(present)
    np.add.at(marginals, (rows[unit], codes[unit, rater]), 1.0)
    weight = 2.0 / np.maximum(present.sum(axis=1) - 1, 1)
    found: list[np.ndarray] = []
    for first in range(codes.shape[1]):
        for second in range(first + 1, codes.shape[1]):
            one, other = codes[:, first], codes[:, second]
            use = present[:, first] & present[:, second] & (one != other)
            ends = np.minimum(one, other)[use], np.maximum(one, other)[use]
            found.append(np.column_stack([rows[use], *ends, weight[use]]))
    every = np.concatenate(found) if found else np.zeros((0, 4))
    pairs, index = np.unique(every[:, 1:3].astype(int), axis=0, return_inverse=True)
    observed = np.zeros((size, len(pairs)))
    np.add.at(observed, (every[:, 0].astype(int), index.ravel()), every[:, 3])
    return marginals, observed, pairs


def _distances(domain: np.ndarray, level: Level) -> np.ndarray:
    """Return the squared distance of every two values for a level whose distances do not depend on the counts."""
    gap = domain[:, None] - domain[None, :]
    if level == "nominal":
        return (gap != 0).astype(float)
    if level == "interval":
        return gap**2
    if level == "ratio":
        both = domain[:, None] + domain[None, :]
        return np.divide(gap, both, out=np.zeros_like(gap), where=both != 0) ** 2
    raise ValueError(f"unknown level of measurement: {level}")
