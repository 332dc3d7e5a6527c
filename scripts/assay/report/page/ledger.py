"""The report's tables of captures: failures, capped ones, those without a score, and the whole ledger."""

from collections.abc import Callable, Mapping, Sequence

from assay.report.numbers import shown
from assay.report.page.grid import Cell, Column, Grid, Line, figures, lines, words
from assay.report.scores import Row, Scores
from assay.report.tidy import Table
from assay.scoring.numbers import exact, text

Page = Callable[[str, str], str]


def marks(row: Row) -> tuple[tuple[str, str], ...]:
    """Return a capture's marks as (kind, words)."""
    found = [("failure", "failure")] if row["failure"] == "yes" else []
    found += [("cap", "capped")] if row["capped"] == "yes" else []
    return (*found, *(("flag", flag) for flag in row["flags"].split()))


def widest_gap(row: Row, scores: Scores) -> str:
    """Return the largest difference between two judges on one criterion, exactly; '' with one judge."""
    if len(scores.judges) < 2:
        return ""
    given = [[exact(row[f"{judge}_{c}"]) for judge in scores.judges] for c in scores.criteria]
    return text(max(max(values) - min(values) for values in given))


def failures(scores: Scores, page: Page) -> Grid:
    """Every capture under the threshold, the lowest first."""
    rows = sorted((row for row in scores.rows if row["failure"] == "yes"), key=lambda row: exact(row["overall"]))
    columns = words("Entry", "Configuration", "Family") + figures("Overall", *_names(scores))
    found = [
        [_entry(row, page), scores.titles[row["configuration"]], row["family"], row["overall"], *_criteria(row, scores)]
        for row in rows
    ]
    return Grid("Failures", columns, lines(found))


def capped(scores: Scores, page: Page) -> Grid:
    """Every capture whose Overall the cap lowered, by how much."""
    rows = [row for row in scores.rows if row["capped"] == "yes"]
    rows.sort(key=lambda row: exact(row["overall"]) - exact(row["weighted"]))
    columns = words("Entry", "Configuration", "Family") + figures("Weighted", "Overall", "Lowered by")
    found = [
        [
            _entry(row, page),
            scores.titles[row["configuration"]],
            row["family"],
            row["weighted"],
            row["overall"],
            Cell(text(exact(row["weighted"]) - exact(row["overall"]))),
        ]
        for row in rows
    ]
    return Grid("Captures that the cap lowered", columns, lines(found))


def _names(scores: Scores) -> list[str]:
    return [criterion.capitalize() for criterion in scores.criteria]


def _entry(row: Row, page: Page) -> Cell:
    return Cell(row["entry"], href=page(row["entry"], row["configuration"]))


def _criteria(row: Row, scores: Scores) -> list[Cell]:
    return [Cell(shown(row[criterion], 2), row[criterion]) for criterion in scores.criteria]


def ledger(scores: Scores, names: Mapping[str, str], page: Page) -> Grid:
    """The whole ledger; `names` maps each entry to its technique's name."""
    columns = words("Entry", "Configuration") + figures("Overall", *_names(scores), "Weighted")
    columns += [Column("Marks", word=True), *figures("Widest gap", "USD", "Minutes")]
    return Grid("Ledger", columns, [_line(row, scores, names, page) for row in scores.rows])


def _line(row: Row, scores: Scores, names: Mapping[str, str], page: Page) -> Line:
    gap = widest_gap(row, scores)
    cells = [
        Cell(row["entry"], href=page(row["entry"], row["configuration"]), sub=names[row["entry"]]),
        Cell(scores.titles[row["configuration"]]),
        Cell(row["overall"]),
        *_criteria(row, scores),
        Cell(row["weighted"]),
        Cell("", marks=marks(row)),
        Cell(gap),
        Cell(row["cost_usd"]),
        Cell(row["minutes"]),
    ]
    kinds = [f"configuration:{row['configuration']}", f"family:{row['family']}"]
    kinds += [f"mark:{kind}" for kind, _ in marks(row)]
    return Line(cells, (*kinds, f"gap:{'wide' if gap and exact(gap) >= 2 else 'narrow'}"))


def not_scored(scores: Scores, intake: Mapping, unjudged: Sequence[Mapping[str, str]]) -> Grid:
    """Every capture of the bundle that is not in the ledger, with the reason."""
    columns = [*words("Entry", "Configuration", "What"), Column("Why", word=True, wrap=True)]
    rows = [(a["entry"], a["configuration"], a["kind"].replace("-", " "), a["reason"]) for a in intake["aside"]]
    rows += [
        (entry, configuration, "not held", "the bundle has no capture") for entry, configuration in intake["missing"]
    ]
    rows += [
        (row["entry"], row["configuration"], "no verdict", f"{row['judge']}: {row['state']}: {row['reason']}")
        for row in unjudged
    ]
    found = [[entry, scores.titles[configuration], what, why] for entry, configuration, what, why in rows]
    return Grid("Captures without a score", columns, lines(found))


def checks(found: Table) -> Grid:
    """The named checks of the finished run, with what each looked at and what it found first."""
    columns = [*words("Failure mode", "Result"), Column("Looked at"), Column("First finding", word=True, wrap=True)]
    rows = [
        [
            row["title"],
            row["result"] if row["result"] == "pass" else Cell("", marks=(("failure", row["result"]),)),
            Cell(f"{row['looked_at']} {row['unit']}", row["looked_at"]),
            f"{row['findings']}: {row['first_finding']}" if row["first_finding"] else "none",
        ]
        for row in found.rows
    ]
    return Grid("Checks of the finished run", columns, lines(rows))
