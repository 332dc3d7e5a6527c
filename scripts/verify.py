"""Verify a finished run: derive everything again from the bundle and the exchanges, and compare byte for byte.

PATH is a work directory, an unpacked archive or an archive file; nothing in it is changed. No key is needed, and no
network can be used. Exit code 0: everything is the same and every check passes; 1: something differs, and is named.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # an archive stays as it was unpacked

from assay.archive.pack import unpack  # noqa: E402
from assay.archive.show import table  # noqa: E402
from assay.archive.verify import verify  # noqa: E402
from assay.canonical import loads  # noqa: E402
from assay.problems import run  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, metavar="PATH")
    parser.add_argument("--config", help="the run's configuration as JSON (default: PATH's config/config.yaml)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = unpack(args.path, Path(temporary)) if args.path.is_file() else args.path
        found = verify(folder, loads(args.config) if args.config else None)
    print(table(found))
    sys.exit(0 if found.passed else 1)


if __name__ == "__main__":
    run(main)
