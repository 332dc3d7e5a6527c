"""Compare all agents' changes to one challenge (five-judge protocol, Integrity: plagiarism)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import write_json
from assay.fivejudge.documents import likeness_document
from assay.problems import UserError, listing, log, run
from assay.runs.faults import Faults
from assay.runs.patch import Patch, read_patch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", nargs="+", required=True)
    parser.add_argument("--changes", type=Path, nargs="+", required=True, help="their diffs, in the same order")
    parser.add_argument("--start", type=Path, nargs="*", help="files of the challenge's starting point")
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    changes = {agent: patch(path) for agent, path in zip(args.agents, args.changes, strict=True)}
    start = "\n".join(path.read_bytes().decode("utf-8", "replace") for path in args.start or ())
    document = likeness_document(changes, start, loads(args.protocol))
    write_json(args.output, document)
    for pair in document["pairs"]:
        log(f"{' and '.join(pair['agents'])}: {pair['share'] or pair['reason']}")


def patch(path: Path) -> Patch:
    """Read a diff. Raises UserError when it is not sound."""
    faults = Faults(str(path))
    made = read_patch(path, faults)
    if made is None:
        raise UserError(listing(faults.problems()))
    return made


if __name__ == "__main__":
    run(main)
