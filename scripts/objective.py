"""Score one run by its evidence alone, and list every test and every addend (five-judge protocol, Objective)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import write_json
from assay.fivejudge.documents import objective_document
from assay.problems import log, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="the run folder")
    parser.add_argument("--files", type=Path, nargs="*", required=True, help="its files that are evidence")
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    held = [path.relative_to(args.folder).as_posix() for path in args.files]
    document = objective_document(args.folder, held, loads(args.protocol))
    write_json(args.output, document)
    log(f"objective: {document['score'] if document['score'] is not None else 'unscorable'}")


if __name__ == "__main__":
    run(main)
