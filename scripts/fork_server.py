"""Serve the jobs of one start of Snakemake (assay.fork_server): LISTENING and ALIVE are inherited file handles."""

import socket
import sys

from assay.fork_server import serve, warm_up
from assay.packages import find_packages
from run_job import SCRIPTS


def main() -> None:
    listening, alive = map(int, sys.argv[1:])
    find_packages()  # Python was started without them, so that the forked are as jobs alone would be
    serve(socket.socket(fileno=listening), alive, warm_up(SCRIPTS))


if __name__ == "__main__":
    main()
