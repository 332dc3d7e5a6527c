"""The statistics tables against the functions and numbers they come from, and the sentences made of them."""

from fractions import Fraction

import pytest

from assay.report.statistics_tables import TABLES, statistics_tables
from assay.scoring.numbers import exact, text
from assay.stats.judges import agreement
from assay.stats.means import bootstrap_means, failure_rate
from report_cases import CRITERIA, flat, grid, row, scores

SEED = 7
NONE = {"best": [], "middle": [], "low": []}


@pytest.fixture(scope="module")
def rows():
    return grid({"best": 8, "middle": 7.5, "low": 3})


@pytest.fixture(scope="module")
def tables(rows):
    return statistics_tables(scores(rows), NONE, SEED)


def found(table, **wanted) -> dict[str, str]:
    [one] = [r for r in table.rows if all(r[column] == value for column, value in wanted.items())]
    return one


def sentence(tables, topic: str) -> str:
    return next((r["sentence"] for r in tables["conclusions"].rows if r["topic"] == topic), "")


def test_every_table_is_there_and_rectangular(tables):
    assert list(tables) and set(tables) == set(TABLES)
    for table in tables.values():
        assert all(set(r) == set(table.columns) for r in table.rows)


def test_means_and_failure_rates_are_those_of_the_functions(rows, tables):
    made = scores(rows)
    for one in bootstrap_means(made.by_configuration(), SEED).configurations:
        cells = found(tables["configurations"], family="all", measure="overall", configuration=one.configuration)
        assert [exact(cells[name]) for name in ("low", "high")] == [one.mean.low, one.mean.high]
        assert abs(exact(cells["value"]) - one.mean.value) < Fraction(1, 10**12)
    lens = [r for r in rows if r["family"] == "lens" and r["configuration"] == "low"]
    rate = failure_rate(sum(r["failure"] == "yes" for r in lens), len(lens))
    cells = found(tables["configurations"], family="lens", measure="failure_rate", configuration="low")
    assert (exact(cells["value"]), exact(cells["high"]), cells["n"]) == (rate.value, rate.high, "4")


def test_agreement_on_overall_is_of_each_judges_own_capped_overall(tables):
    cells = found(tables["agreement"], criterion="overall", statistic="bias")
    assert exact(cells["value"]) > 0 and cells["judges"] == "big1 big2"
    one = row("mode:a", "best", {"big1": ["2", "10", "10", "10", "10"], "big2": flat("6")})
    own = scores([one]).by_judge("overall")
    assert own == {"big1": {("mode:a", "best"): 2}, "big2": {("mode:a", "best"): 6}}
    several = {judge: scores(grid({"best": 8})).by_judge("fidelity")[judge] for judge in ("big1", "big2")}
    again = statistics_tables(scores(grid({"best": 8})), {"best": []}, SEED)["agreement"]
    kappa = found(again, criterion="fidelity", statistic="kappa")
    assert exact(kappa["value"]) == agreement(several, SEED).pairs[0].kappa.value


def test_the_ranking_says_which_neighbours_cannot_be_told_apart():
    made = grid({"best": 8, "low": 3})
    twin = [{**r, "configuration": "twin"} for r in made if r["configuration"] == "best"]
    tables = statistics_tables(scores([*made, *twin]), {"best": [], "low": [], "twin": []}, SEED)
    assert [(r["rank"], r["configuration"], r["told_apart"]) for r in tables["ranking"].rows] == [
        ("1", "best", "no"),
        ("1", "twin", "yes"),
        ("3", "low", ""),
    ]
    assert sentence(tables, "winner").startswith("Best and Twin have the highest mean Overall, ")
    assert "cannot be told apart: Best and Twin." in sentence(tables, "neighbours")


def test_the_winner_is_named_with_interval_difference_and_corrected_p(tables):
    said = sentence(tables, "winner")
    assert said.startswith("Best has the highest mean Overall, ") and "95 % interval" in said
    assert "the difference to Middle, the next, is +0.50 points" in said and "(corrected p = 0.001)" in said
    assert "12 of 36 scored captures fail (Overall under 4.0); most of one configuration: Low, 12." in sentence(
        tables, "failures"
    )


def test_a_winner_that_is_not_sure_is_not_called_sure():
    made = [
        row(f"mode:e{n}", c, {"big1": flat(s), "big2": flat(s)})
        for n in range(6)
        for c, s in zip("ab", "78" if n % 2 else "87", strict=True)
    ]
    made += [row("mode:e9", c, {"big1": flat(s), "big2": flat(s)}) for c, s in zip("ab", ("9", "8.5"), strict=True)]
    tables = statistics_tables(scores(made), {"a": [], "b": []}, SEED)
    assert "the two cannot be told apart" in sentence(tables, "winner")


def test_the_order_of_rows_changes_nothing(rows, tables):
    assert statistics_tables(scores(rows[::-1], titles={n: n.capitalize() for n in NONE}), NONE, SEED) == tables


def test_another_seed_changes_intervals_and_no_value(rows, tables):
    other = statistics_tables(scores(rows), NONE, SEED + 1)
    for name in ("ranking", "agreement"):
        assert [r["value"] for r in other[name].rows] == [r["value"] for r in tables[name].rows]
    assert [r["low"] for r in other["agreement"].rows] != [r["low"] for r in tables["agreement"].rows]


def test_one_judge_leaves_the_comparisons_empty_and_the_rest_whole():
    made = [row(f"mode:e{n}", "a", {"big1": flat(str(5 + n % 4))}) for n in range(8)]
    tables = statistics_tables(scores(made, ["big1"]), {"a": []}, SEED)
    for name in ("agreement", "disagreements", "self_preference", "family_favour"):
        assert tables[name].rows == []
    assert found(tables["ranking"], configuration="a")["rank"] == "1"
    assert [r["judge"] for r in tables["halo"].rows if r["first"] == "mean"] == ["big1"]


def test_no_score_at_all_is_said_and_no_error():
    tables = statistics_tables(scores([], titles={"a": "A", "b": "B"}), {"a": [], "b": []}, SEED)
    assert sentence(tables, "winner") == "Nothing has a score."
    assert [(r["configuration"], r["reason"]) for r in tables["ranking"].rows] == [
        ("a", "no scores"),
        ("b", "no scores"),
    ]


def test_self_preference_is_about_configurations_with_the_judges_own_model():
    made = grid({"own": 7, "free": 7})
    for r in made:
        if r["configuration"] == "own":
            r |= {f"big1_{c}": text(exact(r[f"big1_{c}"]) + 1) for c in CRITERIA}
    tables = statistics_tables(scores(made), {"own": ["big1"], "free": []}, SEED)
    big1, big2 = tables["self_preference"].rows
    assert (big1["own"], big1["others"], big1["value"]) == ("own", "free", "1")
    assert big2["value"] == "" and "no configuration with this judge's model alone" in big2["reason"]
    assert "big1 +1.00 points" in sentence(tables, "self_preference")
