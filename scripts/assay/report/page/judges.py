"""The report's tables on the judges: agreement, disagreements, self-preference, families, length, halo."""

from collections.abc import Callable, Mapping

from assay.report.numbers import UNKNOWN, between, chance, shown
from assay.report.page.grid import Cell, Column, Grid, figures, lines, words
from assay.report.scores import Scores
from assay.report.tidy import Table

Tables = Mapping[str, Table]
STATISTICS = {
    "bias": "Bias",
    "ratio": "Spread",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kappa": "Weighted kappa",
    "icc_single": "ICC(2,1)",
    "icc_average": "ICC(2,k)",
    "alpha": "Krippendorff's alpha",
}


def agreement(tables: Tables) -> Grid:
    """Every statistic of agreement, per criterion; with more than two judges, each two and the panel have rows."""
    columns = words("Criterion", "Judges") + figures(*STATISTICS.values())
    found: dict[tuple[str, str], dict[str, Mapping[str, str]]] = {}
    for row in tables["agreement"].rows:
        found.setdefault((row["criterion"], row["judges"]), {})[row["statistic"]] = row
    rows = []
    for (criterion, judges), by_name in found.items():
        cells = [_estimate(by_name.get(name), signed=name == "bias") for name in STATISTICS]
        rows.append([criterion.capitalize(), judges.replace(" ", ", "), *cells])
    return Grid("Agreement of the judges", columns, lines(rows))


def _estimate(row: Mapping[str, str] | None, signed: bool = False) -> Cell:
    if row is None or not row["value"]:
        return Cell(UNKNOWN, "", sub="" if row is None else row["reason"])
    return Cell(
        shown(row["value"], 2, signed), row["value"], sub=between(row, 2, signed) if row["low"] else row["reason"]
    )


def disagreements(scores: Scores, tables: Tables, page: Callable[[str, str], str]) -> Grid:
    """The largest differences between two judges; `page` gives the address of (entry, configuration)."""
    columns = words("Entry", "Configuration", "Criterion", "Judges") + figures("First", "Second", "Difference")
    rows = [
        [
            Cell(row["entry"], href=page(row["entry"], row["configuration"])),
            scores.titles[row["configuration"]],
            row["criterion"].capitalize(),
            f"{row['first']}, {row['second']}",
            Cell(row["first_score"]),
            Cell(row["second_score"]),
            Cell(shown(row["difference"], 1, signed=True), row["difference"]),
        ]
        for row in tables["disagreements"].rows
    ]
    return Grid("Largest disagreements", columns, lines(rows))


def self_preference(scores: Scores, tables: Tables) -> Grid:
    """How much each judge favours the configurations with its own model."""
    columns = words("Judge", "With its model alone", "Compared with") + figures("Self-preference", "Entries", "p")

    def titles(cell: str) -> str:
        return ", ".join(scores.titles[name] for name in cell.split()) or UNKNOWN

    rows = [
        [
            row["judge"],
            titles(row["own"]),
            titles(row["others"]),
            _estimate(row, signed=True),
            row["n"],
            Cell(chance(row["p"]), row["p"]),
        ]
        for row in tables["self_preference"].rows
    ]
    return Grid("Self-preference", columns, lines(rows))


def family_favour(tables: Tables) -> Grid:
    """How much more each judge gives a family than the others do, against the other families."""
    columns = words("Judge", "Family") + figures("Judge − others", "Against other families", "p", "Corrected p")
    rows = [
        [
            row["judge"],
            row["family"],
            Cell(shown(row["gap"], 2, signed=True), row["gap"]),
            _estimate(row, signed=True),
            Cell(chance(row["p"]), row["p"]),
            Cell(chance(row["p_holm"]), row["p_holm"]),
        ]
        for row in tables["family_favour"].rows
    ]
    return Grid("Family favour", columns, lines(rows))


def length(tables: Tables) -> Grid:
    """How each judge's Overall goes with the length of the answer, within configurations."""
    columns = words("Judge") + figures("Spearman, score and length", "Points per doubling of the length")
    found = {(row["judge"], row["statistic"]): row for row in tables["length"].rows if row["configuration"] == "all"}
    judges = dict.fromkeys(judge for judge, _ in found)
    rows = [[j, _estimate(found[j, "spearman"], True), _estimate(found[j, "slope"], True)] for j in judges]
    return Grid("Length", columns, lines(rows))


def halo(tables: Tables) -> Grid:
    """How far each judge's criteria run together."""
    columns = words("Judge") + figures("Mean correlation between criteria") + [Column("Lowest pair", word=True)]
    columns += [Column("Highest pair", word=True)]
    rows = []
    for row in tables["halo"].rows:
        if row["first"] == "mean":
            pairs = [
                r for r in tables["halo"].rows if r["judge"] == row["judge"] and r["first"] != "mean" and r["value"]
            ]
            pairs.sort(key=lambda r: (float(r["value"]), r["first"], r["second"]))
            ends = [f"{r['first']}, {r['second']}: {shown(r['value'], 2)}" for r in (pairs[:1] + pairs[-1:])]
            rows.append([row["judge"], _estimate(row), *(ends or [UNKNOWN, UNKNOWN])])
    return Grid("Halo", columns, lines(rows))
