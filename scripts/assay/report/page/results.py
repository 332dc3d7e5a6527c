"""The report's tables on the configurations: headline, ranking, differences, families, criteria, sensitivity."""

from collections.abc import Mapping, Sequence

from assay.report.conclusions import facing
from assay.report.numbers import UNKNOWN, between, chance, percent, shown
from assay.report.page.grid import Cell, Column, Grid, figures, lines, words
from assay.report.scores import Scores
from assay.report.summary import with_unit
from assay.report.tidy import Table

Tables = Mapping[str, Table]


def headline(summary: Table, criteria: Sequence[str]) -> Grid:
    """The paper's table: one row per configuration, rounded as published, sorting by the exact values."""
    names = ["overall", *criteria]
    columns = words("Configuration") + figures(*(name.capitalize() for name in names))
    columns += figures("Failures", "USD per 100", "Minutes", "Judged", "Unscorable")
    rows = [
        [
            Cell(row["title"]),
            *(Cell(_public(row, f"mean_{name}"), row[f"mean_{name}"]) for name in names),
            Cell(with_unit(_public(row, "failure_rate"), "{} %"), row["failure_rate"]),
            Cell(with_unit(_public(row, "cost_per_100_usd"), "${}"), row["cost_per_100_usd"]),
            Cell(_public(row, "mean_minutes"), row["mean_minutes"]),
            row["judged"],
            row["unscorable"],
        ]
        for row in summary.rows
    ]
    return Grid("Configuration summary", columns, lines(rows))


def _public(row: Mapping[str, str], name: str) -> str:
    return row[f"public_{name}"]


def ranking(scores: Scores, tables: Tables) -> Grid:
    """The configurations best first, with how firm each place is."""
    columns = [*words("Configuration"), *figures("Rank", "Mean Overall", "95 % interval", "Entries", "Same rank in")]
    columns += [Column("Difference to the next"), Column("Corrected p"), Column("Told apart from the next", word=True)]
    rows = [
        [
            Cell(scores.titles[row["configuration"]]),
            row["rank"] or UNKNOWN,
            Cell(shown(row["value"], 2), row["value"]),
            Cell(between(row, 2), row["low"], sub=row["reason"]),
            row["n"],
            Cell(percent(row["rank_share"]), row["rank_share"]),
            Cell(shown(row["above_next"], 2, signed=True), row["above_next"]),
            Cell(chance(row["above_next_p_holm"]), row["above_next_p_holm"]),
            row["told_apart"] or UNKNOWN,
        ]
        for row in tables["ranking"].rows
    ]
    return Grid("Ranking", columns, lines(rows))


def differences(scores: Scores, tables: Tables) -> Grid:
    """Every two configurations compared over the entries that both have, the better one first."""
    columns = words("Configuration", "Compared with") + figures("Difference", "95 % interval", "Entries", "p")
    columns += [Column("Corrected p"), Column("Told apart", word=True)]
    rows = []
    for row in tables["differences"].rows:
        pair = facing(row, row["second"] if row["value"].startswith("-") else row["first"])
        rows.append(
            [
                Cell(scores.titles[pair["first"]]),
                scores.titles[pair["second"]],
                Cell(shown(pair["value"], 2, signed=True), pair["value"]),
                Cell(between(pair, 2, signed=True), pair["low"], sub=pair["reason"]),
                pair["n"],
                Cell(chance(pair["p"]), pair["p"]),
                Cell(chance(pair["p_holm"]), pair["p_holm"]),
                pair["told_apart"],
            ]
        )
    return Grid("Paired differences", columns, lines(rows))


def families(scores: Scores, tables: Tables) -> Grid:
    """Mean Overall and failure rate of each family, with intervals."""
    columns = words("Configuration", "Family") + figures("Mean Overall", "95 % interval", "Scored", "Failures")
    columns += [Column("95 % interval of failures")]
    found = {
        (row["configuration"], row["family"], row["measure"]): row
        for row in tables["configurations"].rows
        if row["family"] != "all"
    }
    rows = []
    for configuration, title in scores.titles.items():
        for family in scores.families:
            mean = found[configuration, family, "overall"]
            rate = found[configuration, family, "failure_rate"]
            rows.append(
                [
                    Cell(title),
                    family,
                    Cell(shown(mean["value"], 2), mean["value"]),
                    Cell(between(mean, 2), mean["low"], sub=mean["reason"]),
                    mean["n"],
                    Cell(percent(rate["value"]), rate["value"]),
                    Cell(_percents(rate), rate["low"]),
                ]
            )
    return Grid("Families", columns, lines(rows))


def criteria(scores: Scores, tables: Tables) -> Grid:
    """Every mean with its interval, and the failure rate."""
    measures = ["overall", *scores.criteria]
    columns = words("Configuration") + figures(*(name.capitalize() for name in measures), "Failures")
    found = {
        (row["configuration"], row["measure"]): row for row in tables["configurations"].rows if row["family"] == "all"
    }
    rows = []
    for configuration, title in scores.titles.items():
        means = [found[configuration, measure] for measure in measures]
        rate = found[configuration, "failure_rate"]
        cells = [Cell(shown(mean["value"], 2), mean["value"], sub=between(mean, 2)) for mean in means]
        rows.append([Cell(title), *cells, Cell(percent(rate["value"]), rate["value"], sub=_percents(rate))])
    return Grid("Means with intervals", columns, lines(rows))


def _percents(row: Mapping[str, str]) -> str:
    return f"{percent(row['low'])} to {percent(row['high'])}" if row["low"] else UNKNOWN


def sensitivity(scores: Scores, tables: Tables) -> Grid:
    """Every configuration's rank in every way of scoring."""
    order = [row["configuration"] for row in tables["ranking"].rows if row["rank"]]
    columns = words("Way of scoring") + figures(*(scores.titles[name] for name in order))
    columns += [Column("Kendall's tau"), Column("Winner holds", word=True), Column("Order holds", word=True)]
    ways: dict[str, dict[str, Mapping[str, str]]] = {}
    for row in tables["sensitivity"].rows:
        ways.setdefault(row["scenario"], {})[row["configuration"]] = row
    rows = []
    for way in ways.values():
        one = next(iter(way.values()))
        ranks = [Cell(way[name]["rank"], sub=shown(way[name]["mean"], 2)) for name in order]
        rows.append(
            [one["title"], *ranks, Cell(shown(one["tau"], 2), one["tau"]), one["winner_holds"], one["order_holds"]]
        )
    return Grid("Ranks in other ways of scoring", columns, lines(rows))
