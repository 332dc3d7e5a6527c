"""Build one capture's packet: what the judges are shown, and nothing else (Phase 1)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import write_json
from assay.packet import build_packet
from assay.problems import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--card", required=True, help="what the sheets and the protocol say of the capture, as JSON")
    parser.add_argument("--prompt", type=Path, required=True)
    parser.add_argument("--specification", type=Path, required=True)
    parser.add_argument("--answer", type=Path, required=True)
    parser.add_argument("--visual", type=Path, nargs="*", help="the visual artefact, if there is one")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    texts = [path.read_bytes().decode("utf-8") for path in (args.prompt, args.specification, args.answer)]
    visual = (args.visual[0].name, args.visual[0].read_bytes()) if args.visual else None
    write_json(args.output, build_packet(loads(args.card), *texts, visual))


if __name__ == "__main__":
    run(main)
