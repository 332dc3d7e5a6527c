"""Archive and verify a whole grid, and print how long it takes and how large it is.

    python tests/bench/bench_archive.py [--captures N] [--keep FOLDER]

The grid is generated and judged by the embedded baselines; the archive is verified by the program in it, unpacked in
another place, with another user name, locale and time zone. Exit code 1 if it does not verify, or takes longer than
five minutes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

from assay.archive.build import build  # noqa: E402
from assay.archive.pack import unpack  # noqa: E402
from assay.documents import read_yaml  # noqa: E402
from bench.make_bundle import FULL_CAPTURES, make_bundle  # noqa: E402
from finished_runs import finish  # noqa: E402

MOST_SECONDS = 300
ELSEWHERE = {"LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Kiritimati", "USER": "somebody", "LOGNAME": "somebody"}


def timed(what: str, work: Callable[[], object]) -> tuple[object, float]:
    """Do something, and print how long it took in seconds."""
    began = time.monotonic()
    result = work()
    seconds = time.monotonic() - began
    print(f"{what}: {seconds:.1f} s", flush=True)
    return result, seconds


def verify_elsewhere(folder: Path, home: Path) -> bool:
    """Verify an unpacked archive with its own program, as somebody else would; print what that printed."""
    env = {"PATH": os.defpath, "HOME": str(home), **ELSEWHERE}
    command = [sys.executable, "workflow/scripts/verify.py", "."]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    print(done.stdout + done.stderr)
    return done.returncode == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--captures", type=int, default=FULL_CAPTURES)
    parser.add_argument("--keep", type=Path, help="make the grid and its archive in this folder, and keep them")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        base = (args.keep or Path(temporary)).resolve()
        work, file = base / "work", base / "grid.tar.xz"
        timed("generate the grid", lambda: make_bundle(work, args.captures))
        timed("judge it, and make tables and reports", lambda: finish(work))
        config = read_yaml(work / "config/config.yaml")
        built, _ = timed("archive it", lambda: build(work, config, file, {}))
        print(f"{built.files} files, {built.size / 1e6:.1f} MB packed")
        folder, _ = timed("unpack it elsewhere", lambda: unpack(file, base / "elsewhere"))
        sound, seconds = timed("verify it elsewhere", lambda: verify_elsewhere(folder, base / "home"))
    if not sound or seconds > MOST_SECONDS:
        sys.exit(1)


if __name__ == "__main__":
    main()
