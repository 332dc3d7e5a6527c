"""Build the packet of one judge: the part of a recorded run that it may see (five-judge protocol, Who sees what)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import read_json, write_json
from assay.fivejudge.packets import view_packet
from assay.problems import log, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--card", required=True, help="entry, judge and run folder, as JSON")
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--objective", type=Path, required=True, help="the Objective judge's document")
    parser.add_argument("--files", type=Path, nargs="*", required=True, help="the files of the run that it may see")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    card, protocol = loads(args.card), loads(args.protocol)
    folder = Path(card["run"])
    held = [path.relative_to(folder).as_posix() for path in args.files]
    packet = view_packet(card["entry"], card["judge"], folder, held, read_json(args.objective), protocol)
    write_json(args.output, packet)
    for notice in packet["shown"]["left_out"]:
        log(notice)


if __name__ == "__main__":
    run(main)
