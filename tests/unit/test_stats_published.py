"""Published worked examples, each with its source and its numbers."""

import json
from fractions import Fraction
from math import nan
from pathlib import Path

import numpy as np
import pytest

from assay.stats import coefficients
from assay.stats.means import failure_rate
from assay.stats.paired import holm, sign_flip
from assay.stats.resample import point, student_t
from assay.stats.sensitivity import kendall_tau

RATERS = (Path(__file__).parents[2] / "../shared/raters").resolve()

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: 4 observers, 12 units, missing values.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
).T
# Shrout and Fleiss, Psychological Bulletin 86 (1979), table 2: 6 targets, 4 judges.
SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
# Landis and Koch, Biometrics 33 (1977), pathologists A and B, 118 slides; Agresti, Categorical Data Analysis (2nd
# edition, 2002), section 10.5, merges their two highest categories into this table.
CARCINOMA = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
# Darwin's 15 pairs of Zea mays in eighths of an inch, as in Fisher, The Design of Experiments (1935), section 21.
ZEA_MAYS = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def rows_of(table: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return np.array([i for i, _ in cells]), np.array([j for _, j in cells])


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_alpha_of_the_four_observer_example(level: coefficients.Level, published: float) -> None:
    assert point(coefficients.alpha(KRIPPENDORFF, level), 12) == pytest.approx(published, abs=0.0005)


@pytest.mark.parametrize(("average", "published"), [(False, 0.29), (True, 0.62)])
def test_icc_of_the_shrout_and_fleiss_table(average: bool, published: float) -> None:
    assert point(coefficients.icc(SHROUT_FLEISS, average), 6) == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(
    ("failures", "scored", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, "0.2553", "0.3662"),
        (15, 148, "0.0624", "0.1605"),
        (0, 20, "0.0000", "0.1611"),
        (1, 29, "0.0061", "0.1718"),
    ],
)
def test_wilson_interval_of_newcombe(failures: int, scored: int, low: str, high: str) -> None:
    rate = failure_rate(failures, scored)
    assert rate.value == Fraction(failures, scored)
    assert (f"{float(rate.low):.4f}", f"{float(rate.high):.4f}") == (low, high)


def test_quadratic_kappa_of_the_carcinoma_slides() -> None:
    first, second = rows_of(CARCINOMA)
    assert point(coefficients.quadratic_kappa(first, second), 118) == pytest.approx(0.78, abs=0.005)


def test_quadratic_kappa_is_the_sum_over_the_table_of_its_definition() -> None:
    observed = np.array(CARCINOMA)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    weights = (np.arange(4)[:, None] - np.arange(4)[None, :]) ** 2
    definition = 1 - (weights * observed).sum() / (weights * expected).sum()
    assert point(coefficients.quadratic_kappa(*rows_of(CARCINOMA)), 118) == pytest.approx(definition, abs=1e-14)


def test_spearman_of_intelligence_and_television() -> None:
    """Wikipedia, Spearman's rank correlation coefficient, ten people: squared rank differences 194, rho = -29/165."""
    iq = [106, 86, 100, 101, 99, 103, 97, 113, 112, 110]
    hours = [7, 0, 27, 50, 28, 29, 20, 12, 6, 17]
    assert point(coefficients.spearman(np.array(iq), np.array(hours)), 10) == pytest.approx(-29 / 165, abs=1e-14)


def test_sign_flip_of_darwins_plants_as_fisher_counted() -> None:
    """Fisher: of 32,768 sign patterns 863 reach the total 314 and as many the negative: 5.267 %."""
    p, exact = sign_flip(ZEA_MAYS, np.zeros((0, 15)))
    assert exact
    assert p == Fraction(1726, 32768)
    assert f"{float(p):.5f}" == "0.05267"


def test_holm_of_the_four_hypotheses_example() -> None:
    """Wikipedia, Holm-Bonferroni method: at 5 % the fourth and the first are rejected, then 2 x 0.03 = 0.06 stops."""
    adjusted = holm([Fraction(1, 100), Fraction(4, 100), Fraction(3, 100), Fraction(5, 1000)])
    assert adjusted == [Fraction(3, 100), Fraction(6, 100), Fraction(6, 100), Fraction(2, 100)]


@pytest.mark.parametrize(("degrees", "published"), [(4, 2.776), (11, 2.201), (49, 2.010), (195, 1.972)])
def test_students_t_of_the_tables(degrees: int, published: float) -> None:
    assert student_t(degrees) == pytest.approx(published, rel=0.003 if degrees < 10 else 0.0003)


@pytest.mark.parametrize(
    ("metric", "published"),
    [
        ("Informativeness", 0.2848732349364207),
        ("Relevance", 0.11512128779864284),
        ("Fluency", -0.015808123685552733),
        ("Coherence", 0.06497202567878013),
    ],
)
def test_published_ordinal_alphas_of_real_raters_to_twelve_digits(metric: str, published: float) -> None:
    file = RATERS / "newsroom_newsroom.json"
    if not file.exists():
        pytest.skip(f"THE REAL RATER DATA ARE ABSENT: {file} does not exist, four published alphas go unchecked")
    instances = json.loads(file.read_text(encoding="utf-8"))["instances"]
    ratings = np.array([row["annotations"][metric]["individual_human_scores"] for row in instances], dtype=float)
    assert ratings.shape == (420, 3)
    found = point(coefficients.alpha(ratings, "ordinal"), 420)
    assert f"{found:.12f}" == f"{published:.12f}"


def random_ratings(seed: int, missing: bool) -> np.ndarray:
    source = np.random.default_rng(seed)
    quality = source.normal(7, 1.5, 60)
    ratings = np.clip(np.round((quality[:, None] + source.normal(0, 1, (60, 3))) * 2) / 2, 0, 10)
    if missing:
        ratings[source.random((60, 3)) < 0.25] = nan
    return ratings


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("missing", [False, True])
def test_alpha_is_that_of_the_krippendorff_package(level: coefficients.Level, missing: bool) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    for seed in range(5):
        ratings = random_ratings(seed, missing)
        theirs = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=level)
        assert point(coefficients.alpha(ratings, level), 60) == pytest.approx(theirs, abs=1e-12)


def test_icc_is_that_of_pingouin() -> None:
    pingouin, pandas = pytest.importorskip("pingouin"), pytest.importorskip("pandas")
    ratings = random_ratings(1, missing=False)
    target, judge = np.indices(ratings.shape)
    data = pandas.DataFrame({"t": target.ravel(), "j": judge.ravel(), "s": ratings.ravel()})
    theirs = pingouin.intraclass_corr(data, targets="t", raters="j", ratings="s")["ICC"].to_numpy()
    assert point(coefficients.icc(ratings), 60) == pytest.approx(theirs[1], abs=1e-9)
    assert point(coefficients.icc(ratings, average=True), 60) == pytest.approx(theirs[4], abs=1e-9)


def test_correlations_and_kendall_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for seed in range(5):
        x, y, _ = random_ratings(seed, missing=False).T
        assert point(coefficients.pearson(x, y), 60) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
        assert point(coefficients.spearman(x, y), 60) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
        assert point(coefficients.slope(x, y), 60) == pytest.approx(stats.linregress(x, y).slope, abs=1e-12)
        ours = kendall_tau(*({str(i): Fraction(v) for i, v in enumerate(column[:9])} for column in (x, y)))
        assert float(ours) == pytest.approx(stats.kendalltau(x[:9], y[:9]).statistic, abs=1e-9)


def test_kappa_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    x, y, _ = (random_ratings(3, missing=False) * 2).astype(int).T
    theirs = metrics.cohen_kappa_score(x, y, weights="quadratic", labels=list(range(21)))
    assert point(coefficients.quadratic_kappa(x, y), 60) == pytest.approx(theirs, abs=1e-12)
