"""Measure what Assay itself costs, on grids of generated captures, and write tests/bench/RESULTS.md.

    python tests/bench/grid_costs.py [--captures 1173 ...] [--http] [--only NAME ...]

Each step is the real Snakefile in its own process. Processor time is that of Snakemake and all its jobs; the largest
process is the kernel's figure; all processes together are sampled every quarter of a second.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from make_bundle import make_bundle

PROJECT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("RESULTS.md")
KEY = {"ASSAY_BENCH_KEY": "bench-key-0123456789"}
LATENCY_SECONDS, CALLS_AT_ONCE = 2.0, 64


@dataclass(frozen=True)
class Cost:
    """What one step took: wall and processor seconds, megabytes of the largest process and of all together."""

    wall: float
    processor: float
    largest: float
    together: float


def family_memory(root: int) -> float:
    """Return the resident megabytes of a process and all that descend from it; shared pages count once each."""
    parents, memory = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                shared = (entry / "statm").read_text().split()
            except OSError:  # it has ended since
                continue
            parents[int(entry.name)] = int(fields[1])
            memory[int(entry.name)] = (int(shared[1]) - int(shared[2])) * os.sysconf("SC_PAGE_SIZE") / 2**20
    total, todo = 0.0, [root]
    while todo:
        process = todo.pop()
        total += memory.get(process, 0)
        todo += [child for child, parent in parents.items() if parent == process]
    return total


def measure(command: Sequence[str], folder: Path) -> Cost:
    """Run a command to its end and return what it took. Raises RuntimeError with its last words if it fails."""
    started = time.monotonic()
    with open(folder / "bench.log", "wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env={**os.environ, **KEY})
        peak, ended = [0.0], threading.Event()

        def sample() -> None:
            while not ended.wait(0.25):
                peak[0] = max(peak[0], family_memory(process.pid))

        watcher = threading.Thread(target=sample)
        watcher.start()
        _, status, used = os.wait4(process.pid, 0)
        ended.set()
        watcher.join()
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{' '.join(command)} failed:\n{(folder / 'bench.log').read_text('utf-8')[-3000:]}")
    return Cost(time.monotonic() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, peak[0])


def snakemake(*options: str, cores: int = 2) -> list[str]:
    return [sys.executable, "-m", "snakemake", "-s", str(PROJECT / "Snakefile"), "--cores", str(cores), *options]


def clear(folder: Path, *names: str) -> None:
    for name in names:
        shutil.rmtree(folder / name, ignore_errors=True)


def change_answer(folder: Path) -> None:
    answer = sorted((folder / "bundle/answers").rglob("*.md"))[0]
    answer.write_text(answer.read_text("utf-8") + "\nOne more sentence.\n", "utf-8")


Step = tuple[str, Callable[[Path], object], list[str]]


def embedded_steps() -> list[Step]:
    """Return the steps on a grid with the embedded route: name, what is done before, what is measured."""
    everything = ("results", "logs", ".snakemake")
    return [
        ("dry run", lambda folder: None, snakemake("--dry-run")),
        ("judge (embedded)", lambda folder: None, snakemake()),
        ("no-op", lambda folder: None, snakemake()),
        ("plan", lambda folder: None, snakemake("plan")),
        ("one changed answer", change_answer, snakemake()),
        ("report", lambda folder: clear(folder, "results/report"), snakemake()),
        ("replay from the store", lambda folder: clear(folder, *everything), snakemake()),
        ("archive", lambda folder: None, snakemake("archive")),
        ("verify", lambda folder: None, snakemake("verify")),
    ]


def run_steps(folder: Path, steps: Sequence[Step], verdicts: int, only: Sequence[str]) -> list[str]:
    """Run the steps and return a Markdown row for each."""
    rows = []
    for name, before, command in steps:
        if only and name not in only:
            continue
        before(folder)
        cost = measure(command, folder)
        per_verdict = f"{1000 * cost.processor / verdicts:.0f} ms"
        cells = [name, f"{cost.wall:.1f} s", f"{cost.processor:.1f} s", per_verdict]
        rows.append(f"| {' | '.join([*cells, f'{cost.largest:.0f} MB', f'{cost.together:.0f} MB'])} |")
        print(rows[-1], flush=True)
    return rows


def http_steps() -> list[Step]:
    """Return the steps against an API that takes LATENCY_SECONDS for each answer, CALLS_AT_ONCE at a time."""
    limit = ["--resources", f"calls_big1={CALLS_AT_ONCE}", f"calls_big2={CALLS_AT_ONCE}"]
    return [
        ("plan, which builds the packets", lambda folder: None, snakemake("plan")),
        (f"judge, {CALLS_AT_ONCE} calls at once", lambda folder: None, snakemake(*limit, cores=CALLS_AT_ONCE)),
    ]


def with_server(workdir: Path, captures: int, only: Sequence[str]) -> list[str]:
    """Judge a grid by HTTP on loopback and return its rows and the physical limit."""
    command = [sys.executable, str(PROJECT / "tests/http/server.py"), "--port", "0", "--latency", str(LATENCY_SECONDS)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", server.stdout.readline())[0]
        folder = workdir / f"http-{captures}"
        make_bundle(folder, captures=captures, route="openai-chat", base_url=f"{address}/v1")
        rows = run_steps(folder, http_steps(), 2 * captures, only)
        limit = 2 * captures * LATENCY_SECONDS / CALLS_AT_ONCE
        return [*rows, f"\nPhysical limit of the judging step: {limit:.1f} s (calls x latency / calls at once)."]
    finally:
        server.kill()
        server.wait()


def machine() -> str:
    processor = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    software = f"Python {platform.python_version()}, Snakemake {version('snakemake')}"
    return f"{os.cpu_count()} cores ({processor[1] if processor else platform.machine()}), {software}"


HEAD = "| step | wall | processor | per verdict | largest process | all processes |\n" + "| --- " * 6 + "|"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--captures", type=int, nargs="+", default=[1173], help="sizes of the grids")
    parser.add_argument("--http", action="store_true", help="also judge the first grid by HTTP on loopback")
    parser.add_argument("--only", nargs="+", default=[], help="names of the steps to run; they build on each other")
    parser.add_argument("--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    text = ["# What Assay itself costs", f"Made by `tests/bench/grid_costs.py` on {machine()}."]
    with tempfile.TemporaryDirectory() as temporary:
        for captures in args.captures:
            folder = Path(temporary) / f"grid-{captures}"
            make_bundle(folder, captures=captures)
            print(f"{captures} captures x 2 judges\n{HEAD}", flush=True)
            rows = run_steps(folder, embedded_steps(), 2 * captures, args.only)
            text += [f"## {captures} captures x 2 judges, 2 cores", "\n".join([HEAD, *rows])]
            shutil.rmtree(folder)
        if args.http:
            rows = with_server(Path(temporary), args.captures[0], args.only)
            title = f"## {args.captures[0]} captures x 2 judges by HTTP, {LATENCY_SECONDS:g} s an answer"
            text += [title, "\n".join([HEAD, *rows])]
            print("\n".join(rows))
    args.output.write_text("\n\n".join(text) + "\n", "utf-8")


if __name__ == "__main__":
    main()
