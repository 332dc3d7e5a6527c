"""Check the whole bundle, and write what is judged, what is not, and by whom (Intake Protocol)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import write_json
from assay.problems import log, run
from assay.protocol import formula
from assay.run import intake_document, open_run, panel_document


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="the run's configuration as JSON")
    parser.add_argument("--intake", type=Path, required=True, help="where to write what is judged and what is not")
    parser.add_argument("--panel", type=Path, required=True, help="where to write the judges")
    args = parser.parse_args()
    found = open_run(loads(args.config))
    write_json(args.intake, intake_document(found))
    write_json(args.panel, panel_document(found))
    log(formula(found.protocol))
    sizes = [len(part) for part in (found.set.scored, found.set.aside, found.set.missing)]
    log("{} captures to judge, {} set aside, {} not held".format(*sizes))


if __name__ == "__main__":
    run(main)
