"""Work directories in which the real Snakefile is run, as a user runs it."""

import hashlib
import multiprocessing
import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "example/performance"
KEY_VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "JUDGE_KEY")


@dataclass(frozen=True)
class Done:
    """A finished call of Snakemake: its exit code and all that it printed."""

    code: int
    text: str

    @property
    def jobs(self) -> Counter:
        """How many jobs of each rule it ran, or would run (from its table of jobs)."""
        table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", self.text, re.MULTILINE | re.DOTALL)
        rows = re.findall(r"^(\w+) +(\d+)$", table[1] if table else "", re.MULTILINE)
        return Counter({rule: int(count) for rule, count in rows})

    @property
    def judged(self) -> list[str]:
        """The verdicts that it made: `mode:x by y, judge z`."""
        return sorted(re.findall(r"^Job \d+: judging: (.*)$", self.text, re.MULTILINE))

    @property
    def nothing(self) -> bool:
        return self.code == 0 and "Nothing to be done" in self.text


def snakemake(work: Path, *arguments: str, cores: int = 2, **environment: str) -> Done:
    """Run Snakemake on this project in a work directory, without any judge's key in the environment."""
    given = {name: value for name, value in os.environ.items() if name not in KEY_VARIABLES}
    command = ["snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(work), "--cores", str(cores)]
    done = subprocess.run(
        [*command, *arguments],
        env={**given, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    return Done(done.returncode, done.stdout)


def snakemake_forked(work: Path, *arguments: str) -> Done:
    """Run Snakemake as above, but in a fork of a process that has imported it already: half the time."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["snakemake.cli", "jsonschema"])
    log = work.with_name(f"{work.name}.log")
    given = ["--snakefile", str(ROOT / "Snakefile"), "--directory", str(work), "--cores", "2", *arguments]
    process = context.Process(target=_main, args=(given, str(log)))
    process.start()
    process.join(300)
    return Done(process.exitcode, log.read_text(encoding="utf-8"))


def _main(arguments: list[str], log: str) -> None:
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    from snakemake.cli import main

    main(arguments)


def copy(finished: Path, work: Path) -> Path:
    """Copy a work directory with all times of its files, as `cp -a` or `mv` does."""
    return Path(shutil.copytree(finished, work, symlinks=True))


def bytes_of(work: Path, *folders: str) -> dict[str, str]:
    """Return path -> SHA-256 of every file of some folders."""
    files = [path for folder in folders for path in sorted((work / folder).rglob("*")) if path.is_file()]
    return {str(path.relative_to(work)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def exchanges(work: Path) -> set[str]:
    """Return the names of the stored exchanges."""
    return {path.stem for path in (work / "store").glob("??/*.json")}
