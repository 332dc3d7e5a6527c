"""Pack a finished run into one file that anyone can verify: same run, same bytes.

The run is first derived again from its bundle and its exchanges; one that differs from that is not archived.
"""

import argparse
import os
from pathlib import Path

from assay.archive.build import build
from assay.canonical import loads
from assay.problems import log, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", required=True, help="the run's configuration as JSON")
    parser.add_argument("--output", type=Path, required=True, help="the archive to write (.tar.xz)")
    args = parser.parse_args()
    built = build(Path.cwd(), loads(args.config), args.output, os.environ)
    for notice in built.notices:
        log(f"notice: {notice}")
    log(f"{args.output}: {built.files} files, {built.size} bytes")
    log(f"SHA-256 of the archive:     {built.archive_sha256}")
    log(f"SHA-256 of its SHA256SUMS:  {built.sums_sha256}")
    log("Publish the second one: it names the content, however it is packed; verify prints it too.")


if __name__ == "__main__":
    run(main)
