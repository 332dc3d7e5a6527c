"""Record which software makes the tables and reports of this run, so that the methodology note can name it."""

import argparse
from pathlib import Path

from assay.archive.software import present_versions
from assay.files import write_json
from assay.problems import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    write_json(args.output, present_versions())


if __name__ == "__main__":
    run(main)
