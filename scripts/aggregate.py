"""Summarise the ledger, one row per configuration (Phase 6)."""

import argparse
from collections import Counter
from pathlib import Path

from assay.canonical import loads
from assay.files import read_json
from assay.problems import log, run
from assay.scoring.aggregate import summarise, summary_columns
from assay.sheets import read_tsv, write_tsv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ledger", type=Path, required=True)
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--criteria", nargs="+", required=True)
    parser.add_argument("--rounding", required=True, help="decimals of the public numbers, as JSON")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    ledger, intake, rounding = read_tsv(args.ledger), read_json(args.intake), loads(args.rounding)
    rows = []
    for configuration in intake["configurations"]:
        mine = [row for row in ledger if row["configuration"] == configuration["id"]]
        scored = sum(capture["configuration"] == configuration["id"] for capture in intake["scored"])
        counts = Counter(
            a["kind"].replace("-", "_") for a in intake["aside"] if a["configuration"] == configuration["id"]
        )
        counts["missing"] = sum(held_not == configuration["id"] for _, held_not in intake["missing"])
        counts["unjudged"] = scored - len(mine)
        head = {"configuration": configuration["id"], "title": configuration["title"]}
        rows.append({**head, **summarise(mine, counts, args.criteria, rounding)})
    write_tsv(args.output, summary_columns(args.criteria), rows)
    log(f"{len(rows)} configurations summarised")


if __name__ == "__main__":
    run(main)
