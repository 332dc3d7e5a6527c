"""Go through the protocol's named checks on a finished run (specification, Failure Modes)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.checks import five_judge, performance
from assay.checks.finished import read_finished
from assay.checks.table import COLUMNS, run_checks
from assay.problems import log, run
from assay.sheets import write_tsv

CHECKS = {"performance": performance.CHECKS, "five-judge": five_judge.CHECKS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--bundle", type=Path, required=True, help="the bundle's folder")
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--store", type=Path, default=Path("store"), help="folder of the exchanges")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    protocol = loads(args.protocol)
    rows = run_checks(CHECKS[protocol["protocol"]], read_finished(protocol, args.bundle, args.results, args.store))
    write_tsv(args.output, COLUMNS, rows)
    for row in rows:
        log(f"{row['result']}: {row['title']}" + (f": {row['first_finding']}" if row["first_finding"] else ""))


if __name__ == "__main__":
    run(main)
