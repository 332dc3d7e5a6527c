"""Measure what Assay itself costs, on grids of generated captures, and write tests/bench/RESULTS.md.

    python tests/bench/grid_costs.py [--chapters grid profile http growth] [--growth 1000 3000 10000]

Each step is the real Snakefile in its own process. Processor time is that of Snakemake and all its jobs, and beside it
that of Snakemake's main process alone; the largest process is the kernel's figure; the main process and all processes
together are sampled while it runs.
"""

import argparse
import os
import platform
import pstats
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from pathlib import Path

from make_bundle import make_bundle

PROJECT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("RESULTS.md")
KEY = {"ASSAY_BENCH_KEY": "bench-key-0123456789"}
JUDGED_UP_TO = 10000  # captures, in the chapter on growth: judging that many takes over ten minutes
MEMORY_TICKS = 8  # quarters of a second between two looks at the memory of all processes, which cost time themselves
LATENCY_SECONDS, CALLS_AT_ONCE = 2.0, 64


@dataclass(frozen=True)
class Cost:
    """What one step took: wall and processor seconds, megabytes of the largest process and of all together.

    `main` are the processor seconds of the main process alone; `judging` the wall seconds from the first call to the
    last verdict, 0 where nothing was bought.
    """

    wall: float
    processor: float
    main: float
    judging: float
    largest: float
    together: float


def status(process: int) -> list[str]:
    """Return the kernel's fields on a running process, from its state on. Raises OSError when it has ended."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def family_memory(root: int) -> float:
    """Return the megabytes of a process and all that descend from it; a page that several share counts once in all."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it has ended since
                parents[int(entry.name)] = int(status(int(entry.name))[1])
    total, todo = 0, [root]
    while todo:
        process = todo.pop()
        with suppress(OSError):
            total += int(
                re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE)[1]
            )
        todo += [child for child, parent in parents.items() if parent == process]
    return total / 1024


def own_seconds(process: int) -> float:
    """Return the processor seconds that a running process has used itself."""
    fields = status(process)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(command: Sequence[str], folder: Path) -> Cost:
    """Run a command to its end and return what it took. Raises RuntimeError with its last words if it fails."""
    started = time.monotonic()
    with open(folder / "bench.log", "wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env={**os.environ, **KEY})
        peak, main, calls, ended = [0.0], [0.0], [], threading.Event()
        journal = folder / "store/journal.jsonl"
        bought = journal.exists()

        def sample() -> None:
            for tick in count():
                if ended.wait(0.25):
                    return
                if tick % MEMORY_TICKS == 0:
                    peak[0] = max(peak[0], family_memory(process.pid))
                with suppress(OSError):  # it has ended since; the last figure is a little stale then
                    main[0] = own_seconds(process.pid)
                if not bought and not calls and journal.exists():
                    calls.append(time.time())

        watcher = threading.Thread(target=sample)
        watcher.start()
        _, status, used = os.wait4(process.pid, 0)
        ended.set()
        watcher.join()
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{' '.join(command)} failed:\n{(folder / 'bench.log').read_text('utf-8')[-3000:]}")
    wall, judging = time.monotonic() - started, last_verdict(folder) - calls[0] if calls else 0
    return Cost(wall, used.ru_utime + used.ru_stime, main[0], judging, used.ru_maxrss / 1024, peak[0])


def last_verdict(folder: Path) -> float:
    return max(path.stat().st_mtime for path in (folder / "results/verdicts").rglob("*.json"))


def snakemake(*options: str, cores: int = 2) -> list[str]:
    return [sys.executable, "-m", "snakemake", "-s", str(PROJECT / "Snakefile"), "--cores", str(cores), *options]


def clear(folder: Path, *names: str) -> None:
    for name in names:
        shutil.rmtree(folder / name, ignore_errors=True)


def nothing(folder: Path) -> None:
    """Leave the work directory as the step before has left it."""


def change_answer(folder: Path) -> None:
    answer = sorted((folder / "bundle/answers").rglob("*.md"))[0]
    answer.write_text(answer.read_text("utf-8") + "\nOne more sentence.\n", "utf-8")


Step = tuple[str, Callable[[Path], object], list[str]]


def embedded_steps() -> list[Step]:
    """Return the steps on a grid with the embedded route: name, what is done before, what is measured."""
    everything = ("results", "logs", ".snakemake")
    return [
        ("dry run", nothing, snakemake("--dry-run")),
        ("judge (embedded)", nothing, snakemake()),
        ("no-op", nothing, snakemake()),
        ("plan", nothing, snakemake("plan")),
        ("one changed answer", change_answer, snakemake()),
        ("report", lambda folder: clear(folder, "results/report"), snakemake()),
        ("replay from the store", lambda folder: clear(folder, *everything), snakemake()),
        ("archive", nothing, snakemake("archive")),
        ("verify", nothing, snakemake("verify")),
    ]


def run_steps(folder: Path, steps: Sequence[Step], verdicts: int) -> list[str]:
    """Run the steps and return a Markdown row for each."""
    rows, notes = [], []
    for name, before, command in steps:
        before(folder)
        cost = measure(command, folder)
        per_verdict = f"{1000 * cost.processor / verdicts:.0f} ms"
        cells = [name, f"{cost.wall:.1f} s", f"{cost.processor:.1f} s", f"{cost.main:.1f} s", per_verdict]
        rows.append(f"| {' | '.join([*cells, f'{cost.largest:.0f} MB', f'{cost.together:.0f} MB'])} |")
        print(rows[-1], flush=True)
        if cost.judging:
            limit = verdicts * LATENCY_SECONDS / CALLS_AT_ONCE
            notes.append(
                LIMIT.format(limit=limit, judging=cost.judging, ratio=cost.judging / limit, wall=cost.wall / limit)
            )
    return rows + notes


LIMIT = (
    "\nPhysical limit of the judging: {limit:.1f} s (calls x latency / calls at once). From the first call (a check of "
    "each judge, alone) to the last verdict: {judging:.1f} s, {ratio:.2f} times the limit. The whole command, with the "
    "start of Snakemake and its graph: {wall:.2f} times."
)


def http_steps() -> list[Step]:
    """Return the steps against an API that takes LATENCY_SECONDS for each answer, CALLS_AT_ONCE at a time."""
    limit = ["--resources", f"calls_big1={CALLS_AT_ONCE}", f"calls_big2={CALLS_AT_ONCE}"]
    return [
        ("plan, which builds the packets", nothing, snakemake("plan")),
        (f"judge, {CALLS_AT_ONCE} at once", nothing, snakemake("--until", "judge", *limit, cores=CALLS_AT_ONCE)),
        ("tables and report behind it", nothing, snakemake()),
    ]


def with_server(workdir: Path, captures: int) -> list[str]:
    """Judge a grid by HTTP on loopback and return its rows and the physical limit."""
    command = [sys.executable, str(PROJECT / "tests/http/server.py"), "--port", "0", "--latency", str(LATENCY_SECONDS)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", server.stdout.readline())[0]
        folder = workdir / f"http-{captures}"
        make_bundle(folder, captures=captures, route="openai-chat", base_url=f"{address}/v1")
        return run_steps(folder, http_steps(), 2 * captures)
    finally:
        server.kill()
        server.wait()


def machine() -> str:
    processor = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    software = f"Python {platform.python_version()}, Snakemake {version('snakemake')}"
    return f"{os.cpu_count()} cores ({processor[1] if processor else platform.machine()}), {software}"


HEAD = (
    "| step | wall | processor | main process | per verdict | largest process | all processes |\n" + "| --- " * 7 + "|"
)
HTTP_NAME = f"{LATENCY_SECONDS:g} s an answer, {CALLS_AT_ONCE} calls at once"


def profile(folder: Path) -> list[str]:
    """Return where the time of a dry run goes: rows of the functions that take longest, their callees not counted."""
    file = folder / "dry-run.profile"
    command = [sys.executable, "-m", "cProfile", "-o", str(file), *snakemake("--dry-run")[1:]]
    subprocess.run(command, cwd=folder, env={**os.environ, **KEY}, check=True, capture_output=True)
    stats = pstats.Stats(str(file))
    total = stats.total_tt
    packages: Counter[str] = Counter()
    for (name, _, _), (_, _, own, _, _) in stats.stats.items():
        packages[package(name)] += own
    return ["| part | share of the time |\n| --- | ---: |"] + [
        f"| {name} | {100 * own / total:.0f} % |" for name, own in packages.most_common(10)
    ]


def package(file: str) -> str:
    """Return the part of the software that a source file belongs to."""
    if str(PROJECT) in file:
        return "Assay"
    installed = re.search(r"site-packages/(snakemake/\w+|\w+)", file)
    standard = re.search(r"python3[^/]*/(\w+)", file)
    return installed[1] if installed else standard[1] if standard else "built-in functions and import"


def growth(workdir: Path, sizes: Sequence[int]) -> list[str]:
    """Return rows for each size: what the graph costs and, up to JUDGED_UP_TO captures, what judging with it does."""
    rows = []
    for captures in sizes:
        folder = workdir / f"growth-{captures}"
        make_bundle(folder, captures=captures)
        steps = [
            (f"{name}, {captures} captures", *rest)
            for name, *rest in embedded_steps()[: 3 if captures <= JUDGED_UP_TO else 1]
        ]
        rows += run_steps(folder, steps, 2 * captures)
        shutil.rmtree(folder)
    return rows


def measured(workdir: Path, captures: int, sizes: Sequence[int]) -> dict[str, tuple[str, Callable[[], list[str]]]]:
    """Return the chapters of RESULTS.md by name: the title of each, and what makes its lines."""
    grid = workdir / "grid"

    def whole() -> list[str]:
        make_bundle(grid, captures=captures)
        return [HEAD, *run_steps(grid, embedded_steps(), 2 * captures)]

    def profiled() -> list[str]:
        make_bundle(workdir / "profiled", captures=captures)
        return profile(workdir / "profiled")

    return {
        "grid": (f"{captures} captures x 2 judges, 2 cores", whole),
        "profile": ("Where the time of a dry run goes", profiled),
        "http": (
            f"{captures} captures x 2 judges by HTTP, {HTTP_NAME}",
            lambda: [HEAD, *with_server(workdir, captures)],
        ),
        "growth": ("Growth", lambda: [HEAD, *growth(workdir, sizes)]),
    }


def earlier(output: Path) -> dict[str, str]:
    """Return the chapters of an earlier RESULTS.md by their titles."""
    parts = output.read_text("utf-8").split("\n## ")[1:] if output.exists() else []
    return {title: text.strip() for title, _, text in (part.partition("\n") for part in parts)}


def main() -> None:
    names = ("grid", "profile", "http", "growth")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--captures", type=int, default=1173, help="size of the grid")
    parser.add_argument("--growth", type=int, nargs="*", default=[1000, 3000, 10000], help="sizes for the growth")
    parser.add_argument(
        "--chapters", nargs="+", choices=names, default=names, help="what to measure anew; all else stays"
    )
    parser.add_argument("--output", type=Path, default=RESULTS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        chapters, known = measured(Path(temporary), args.captures, args.growth), earlier(args.output)
        for name in args.chapters:
            title, make = chapters[name]
            known[title] = "\n".join(make())
    text = ["# What Assay itself costs", f"Made by `tests/bench/grid_costs.py` on {machine()}."]
    text += [f"## {title}\n\n{known[title]}" for title, _ in chapters.values() if title in known]
    args.output.write_text("\n\n".join(text) + "\n", "utf-8")


if __name__ == "__main__":
    main()
