"""Compute the statistics of the ledger as tidy tables: intervals, differences, ranking, judges, sensitivity."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import read_json
from assay.problems import log, run
from assay.report.facts import run_facts
from assay.report.scores import scores_of
from assay.report.statistics_tables import statistics_tables
from assay.sheets import read_tsv, write_tsv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--ledger", type=Path, required=True)
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--panel", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    args = parser.parse_args()
    panel = read_json(args.panel)
    scores = scores_of(read_tsv(args.ledger), loads(args.protocol), run_facts(read_json(args.intake), panel))
    within = {judge["identity"]["judge"]: judge["within"] for judge in panel["judges"]}
    contains = {name: [judge for judge, lanes in within.items() if name in lanes] for name in scores.titles}
    for name, table in statistics_tables(scores, contains, args.seed).items():
        write_tsv(args.output / f"{name}.tsv", table.columns, table.rows)
    log(f"statistics of {len(scores.rows)} captures, seed {args.seed}")


if __name__ == "__main__":
    run(main)
