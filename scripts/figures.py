"""Draw every picture of the report: an SVG file each, with its data as TSV beside it."""

import argparse
from pathlib import Path

import matplotlib

from assay.canonical import loads
from assay.files import read_json, write_text
from assay.problems import log, run
from assay.report.facts import run_facts
from assay.report.figures import means, spread
from assay.report.figures.drawing import SETTINGS
from assay.report.figures.judges import judge_scatter
from assay.report.figures.picture import Picture
from assay.report.scores import Scores, scores_of
from assay.report.tables import read_statistics, read_table
from assay.report.tidy import Table
from assay.sheets import read_tsv, write_tsv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--panel", type=Path, required=True)
    parser.add_argument("--tables", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    args = parser.parse_args()
    facts = run_facts(read_json(args.intake), read_json(args.panel))
    scores = scores_of(read_tsv(args.tables / "ledger.tsv"), loads(args.protocol), facts)
    statistics = read_statistics(args.tables / "statistics")
    with matplotlib.rc_context(SETTINGS):
        pictures = draw(scores, statistics, read_table(args.tables / "summary.tsv"))
    for picture in pictures:
        write_text(args.output / f"{picture.name}.svg", picture.svg)
        write_tsv(args.output / f"{picture.name}.tsv", picture.data.columns, picture.data.rows)
    log(f"{len(pictures)} pictures drawn")


def draw(scores: Scores, statistics: dict[str, Table], summary: Table) -> list[Picture]:
    """Return every picture of the run; judges are drawn against each other where there are two or more."""
    pictures = [make(scores, statistics) for make in (means.overall, means.differences, means.criteria)]
    pictures += [means.families(scores, statistics), spread.distribution(scores, statistics)]
    pictures += [make(scores, statistics, summary) for make in (spread.cost, spread.minutes)]
    if len(scores.judges) > 1:
        pictures += [judge_scatter(scores, criterion) for criterion in scores.criteria]
    return pictures


if __name__ == "__main__":
    run(main)
