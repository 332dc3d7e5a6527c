"""Average the judges per criterion, one row per capture (Phase 3); list the verdicts that are missing."""

import argparse
from pathlib import Path

from assay.files import read_json
from assay.problems import UserError, log, run
from assay.scoring.average import (
    ANSWERED_COLUMNS,
    UNJUDGED_COLUMNS,
    answered,
    average,
    averaged_columns,
    refusal,
    unjudged,
)
from assay.sheets import write_tsv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--verdicts", type=Path, default=Path("results/verdicts"), help="folder of the verdicts")
    parser.add_argument("--judges", nargs="+", required=True)
    parser.add_argument("--criteria", nargs="+", required=True)
    parser.add_argument("--partial", choices=["yes", "no"], required=True, help="make the table without all verdicts")
    parser.add_argument("--output", type=Path, required=True, help="the averaged scores")
    parser.add_argument("--answered", type=Path, required=True, help="which models gave the verdicts")
    parser.add_argument("--unjudged", type=Path, required=True, help="the verdicts that are missing")
    args = parser.parse_args()
    rows, missing, given = [], [], []
    for capture in read_json(args.intake)["scored"]:
        folder = args.verdicts / capture["configuration"] / capture["family"] / capture["id"]
        verdicts = {judge: read_json(folder / f"{judge}.json") for judge in args.judges}
        absent = unjudged(capture, verdicts)
        missing += absent
        given += [verdict for verdict in verdicts.values() if verdict["format"] == "assay-verdict-1"]
        if not absent:
            rows.append(average(capture, verdicts, args.judges, args.criteria))
    if missing and args.partial == "no":
        raise UserError(refusal(missing))
    write_tsv(args.output, averaged_columns(args.judges, args.criteria), rows)
    write_tsv(args.unjudged, UNJUDGED_COLUMNS, missing)
    write_tsv(args.answered, ANSWERED_COLUMNS, answered(given))
    log(f"{len(rows)} captures averaged over {len(args.judges)} judges; {len(missing)} verdicts missing")


if __name__ == "__main__":
    run(main)
