"""Weigh the averaged criteria and cap Overall (Phase 4)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.problems import log, run
from assay.scoring.cap import ADDED, cap
from assay.sheets import read_columns, read_tsv, write_tsv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--averaged", type=Path, required=True)
    parser.add_argument("--weights", required=True, help="the criteria with their weights, as JSON")
    parser.add_argument("--cap", required=True, help="the criterion that caps Overall; empty = none")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    rows = [cap(row, loads(args.weights), args.cap or None) for row in read_tsv(args.averaged)]
    write_tsv(args.output, [*read_columns(args.averaged), *ADDED], rows)
    log(f"{len(rows)} captures weighed; the cap bit in {sum(row['capped'] == 'yes' for row in rows)}")


if __name__ == "__main__":
    run(main)
