"""Compute one run's metrics, settle its claims, run the detectors, and draw its timeline. No model."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import write_json, write_text
from assay.fivejudge.documents import detected_document
from assay.fivejudge.scoring import assess
from assay.fivejudge.timeline import timeline
from assay.problems import UserError, listing, log, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="the run folder")
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--output", type=Path, required=True, help="metrics, claims and findings")
    parser.add_argument("--timeline", type=Path, required=True, help="the picture of the session (SVG)")
    args = parser.parse_args()
    assessed, problems = assess(args.folder, str(args.folder), loads(args.protocol))
    if assessed is None:
        raise UserError(listing(problems))
    write_json(args.output, detected_document(assessed))
    write_text(args.timeline, timeline(assessed.scored.run.trace))
    log(f"detectors: {', '.join(finding.trigger for finding in assessed.findings) or 'nothing found'}")


if __name__ == "__main__":
    run(main)
