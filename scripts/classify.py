"""Mark the failures and write the score ledger (Phase 5)."""

import argparse
from pathlib import Path

from assay.problems import log, run
from assay.scoring.classify import classify, ledger_columns
from assay.sheets import read_columns, read_tsv, write_tsv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scored", type=Path, required=True)
    parser.add_argument("--threshold", required=True, help="a failure is Overall under this number")
    parser.add_argument("--criteria", nargs="+", required=True)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    rows = [classify(row, args.threshold) for row in read_tsv(args.scored)]
    write_tsv(args.output, ledger_columns(read_columns(args.scored), args.criteria), rows)
    log(f"{sum(row['failure'] == 'yes' for row in rows)} of {len(rows)} captures are failures")


if __name__ == "__main__":
    run(main)
