"""Pictures: the same bytes, readable in light and dark, with their numbers, and nothing in them that could run."""

import re
import warnings
from xml.etree import ElementTree

import matplotlib
import pytest

from assay.report.figures import judges, means, spread
from assay.report.figures.drawing import SETTINGS, plain
from assay.report.figures.palette import contrast, themes
from assay.report.statistics_tables import statistics_tables
from assay.report.tidy import Table
from report_cases import grid, row, scores

TITLES = {"best": "Best $x_1$ <b>&\x07", "low": "Low"}
NAMES = {"overall", "differences", "criteria", "families", "distribution", "cost", "minutes", "judges-fidelity"}


def drawn(rows) -> dict:
    made = scores(rows, titles=TITLES)
    tables = statistics_tables(made, {"best": [], "low": []}, 1)
    amounts = [{"configuration": "best", "cost_per_100_usd": "12.5", "mean_minutes": "3"}]
    amounts += [{"configuration": "low", "cost_per_100_usd": "", "mean_minutes": "0"}]
    summary = Table(tuple(amounts[0]), amounts)
    with matplotlib.rc_context(SETTINGS):
        found = [make(made, tables) for make in (means.overall, means.differences, means.criteria, means.families)]
        found += [
            spread.distribution(made, tables),
            spread.cost(made, tables, summary),
            spread.minutes(made, tables, summary),
        ]
        found += [judges.judge_scatter(made, "fidelity")]
    return {picture.name: picture for picture in found}


@pytest.fixture(scope="module")
def pictures():
    return drawn(grid({"best": 8, "low": 3}))


def test_the_same_scores_give_the_same_bytes(pictures):
    again = drawn(grid({"best": 8, "low": 3}))
    assert set(pictures) == NAMES
    assert {name: picture.svg for name, picture in again.items()} == {n: p.svg for n, p in pictures.items()}


def test_a_picture_is_safe_well_formed_and_colours_are_classes(pictures):
    ids = []
    for picture in pictures.values():
        root = ElementTree.fromstring(picture.svg)
        assert root.get("role") == "img" and root.get("aria-label")
        for element in root.iter():
            assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "image", "metadata")
            assert not any(name == "style" or name.startswith("on") for name in element.attrib)
            for kind, letter in (("fill", "f"), ("stroke", "s")):
                if element.get(kind, "none").startswith("#"):
                    assert f"{letter}-" in element.get("class", ""), element.attrib
        ids += [element.get("id") for element in root.iter() if element.get("id")]
        assert "matplotlib" not in picture.svg.lower() and "Date" not in picture.svg
    assert len(ids) == len(set(ids))  # also side by side in one page


def test_titles_are_plain_text(pictures):
    texts = [t.text for t in ElementTree.fromstring(pictures["overall"].svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "Best $x_1$ <b>&" in texts
    assert plain("a\x00b\ud800c\n d") == "a b c d" and len(plain("x" * 300)) == 26


def test_a_picture_comes_with_the_numbers_that_it_draws(pictures):
    assert [r["configuration"] for r in pictures["overall"].data.rows] == ["best", "low"]
    assert len(pictures["judges-fidelity"].data.rows) == 24
    assert sum(int(r["captures"]) for r in pictures["distribution"].data.rows) == 24
    assert [r["cost_per_100_usd"] for r in pictures["cost"].data.rows] == ["12.5", ""]
    assert "not drawn, amount unknown: Low" in pictures["cost"].svg


def test_every_point_is_a_link_with_words_outside_the_tab_order(pictures):
    svg = "{http://www.w3.org/2000/svg}"
    links = list(ElementTree.fromstring(pictures["judges-fidelity"].svg).iter(f"{svg}a"))
    assert len(links) == 24
    for link in links:
        assert re.fullmatch(r"\.\./report\.html#(best|low)/(mode|visual|lens)/e\d\d", link.get("href"))
        assert link.get("tabindex") == "-1" and ": big1 " in link.find(f"{svg}title").text


def test_points_with_equal_scores_stand_apart_and_near():
    placed = judges.spread([("7", "8")] * 200 + [("7.5", "8")])
    assert placed[0] == (7.0, 8.0) and placed[-1] == (7.5, 8.0)
    assert len(set(placed)) == 201
    assert all((x - 7) ** 2 + (y - 8) ** 2 <= 0.25**2 for x, y in placed[:200])


def test_a_bin_is_split_at_the_failure_line():
    rows = [row(f"mode:e{n}", "a", {"big1": [s] * 5}) for n, s in enumerate(("3.9", "4", "3.5", "10"))]
    made = scores(rows, ["big1"])
    bins = spread.distribution(made, statistics_tables(made, {"a": []}, 1)).data.rows
    assert [(b["from"], b["to"], b["failure"], b["captures"]) for b in bins] == [
        ("3.5", "4", "yes", "2"),
        ("4", "4.5", "no", "1"),
        ("9.5", "10", "no", "1"),
    ]


def test_labels_of_near_points_are_moved_apart_and_others_are_not():
    assert spread.apart([(1, 5.0), (1.1, 4.9), (9, 4.95)], near=2, least=0.5) == [5.0, 4.5, 4.95]


@pytest.mark.parametrize(
    "rows", [[], grid({"best": 10}, 1), grid({"best": 0, "low": 0}, 6)], ids=["none", "one", "equal"]
)
def test_few_or_equal_scores_are_drawn_without_a_complaint(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(drawn(rows)) == NAMES


def test_colours_contrast_on_light_and_on_dark_paper():
    named = themes()
    for theme in (0, 1):
        paper = named["paper"][theme]
        assert all(contrast(named[name][theme], paper) >= 4.5 for name in ("ink", "muted", "accent", "warn"))
        assert contrast(named["faint"][theme], paper) >= 3
        assert all(contrast(named[f"t{step}"][theme], named[f"h{step}"][theme]) >= 4.5 for step in range(20))
