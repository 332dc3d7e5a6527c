"""Build one capture's packet: what the judges are shown, and nothing else (Phase 1).

--card is what the sheets and the protocol say of the capture, as JSON; --visual is followed by the visual artefact, or
by nothing.
"""

import os

from assay.arguments import arguments
from assay.canonical import loads
from assay.files import read_bytes, write_json
from assay.packet import build_packet
from assay.problems import run


def main() -> None:
    names = ("card", "prompt", "specification", "answer", "output")
    args = arguments(__doc__, names, many=("visual",))
    texts = [read_bytes(args[name]).decode("utf-8") for name in ("prompt", "specification", "answer")]
    visual = (os.path.basename(args["visual"][0]), read_bytes(args["visual"][0])) if args["visual"] else None
    write_json(args["output"], build_packet(loads(args["card"]), *texts, visual))


if __name__ == "__main__":
    run(main)
