"""Write down the panel, and state the formula before anything is judged (Intake Protocol 6)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import write_json
from assay.problems import log, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formula", required=True)
    parser.add_argument("--panel", required=True, help="the judges and how they are reached, as JSON")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    write_json(args.output, loads(args.panel))
    log(args.formula)


if __name__ == "__main__":
    run(main)
