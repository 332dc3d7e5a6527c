"""Combine the first verdicts of every run, and flag the disputed ones (five-judge protocol, Disputes)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import read_json
from assay.fivejudge.finished import finished
from assay.fivejudge.protocol import roles
from assay.fivejudge.record import disputed, judged
from assay.problems import UserError, log, run
from assay.scoring.average import UNJUDGED_COLUMNS, refusal, unjudged
from assay.sheets import write_tsv

FLAGGED = ["entry", "configuration", "rule", "reason", "judges", "roles"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--judges", nargs="+", required=True)
    parser.add_argument("--partial", choices=["yes", "no"], required=True, help="make tables without all verdicts")
    parser.add_argument("--flagged", type=Path, required=True, help="the disputed runs, by reason")
    parser.add_argument("--unjudged", type=Path, required=True, help="the verdicts that are missing")
    args = parser.parse_args()
    protocol, fillers = loads(args.protocol), roles(loads(args.protocol))
    flagged, missing = [], []
    for one in finished(args.results, read_json(args.intake), args.judges):
        missing += unjudged(one.capture, one.documents)
        for dispute in disputed(one.known, judged(one.known, one.verdicts, protocol), protocol):
            row = {"rule": dispute.rule, "reason": dispute.reason, "judges": " ".join(dispute.judges)}
            row["roles"] = " ".join(role for judge in dispute.judges for role in fillers[judge])
            flagged.append({**row, **{name: one.capture[name] for name in ("entry", "configuration")}})
    if missing and args.partial == "no":
        raise UserError(refusal(missing))
    write_tsv(args.flagged, FLAGGED, flagged)
    write_tsv(args.unjudged, UNJUDGED_COLUMNS, missing)
    log(f"{len(flagged)} reasons to adjudicate; {len(missing)} verdicts missing")


if __name__ == "__main__":
    run(main)
