"""Check the whole bundle, and write what is judged and what is not (Intake Protocol)."""

import argparse
from pathlib import Path

from assay.bundle.check import check_bundle
from assay.bundle.read import read_bundle
from assay.bundle.scored_set import scored_set
from assay.files import write_json
from assay.problems import UserError, listing, log, run
from assay.protocols import implementation, named_protocol
from assay.run import intake_document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", type=Path, required=True, help="the bundle's folder")
    parser.add_argument("--output", type=Path, required=True, help="where to write what is judged and what is not")
    args = parser.parse_args()
    bundle, problems = read_bundle(args.bundle, implementation(named_protocol(args.bundle)).read())
    problems += check_bundle(bundle)
    if problems:
        raise UserError(listing(problems))
    write_json(args.output, intake_document(bundle))
    log(scored_set(bundle).counts)


if __name__ == "__main__":
    run(main)
