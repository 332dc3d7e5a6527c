"""profiles/slurm on a real Slurm of one node: the example is judged on it in batches, with the same tables as here."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import answers
import pytest
import slurm
from server import Handler, JudgeServer, running

PROJECT = Path(__file__).resolve().parents[2]
EXAMPLE = PROJECT / "example/performance"
KEY = "sk-cluster-PLANTED-0123456789"
CAPTURES = 37
REFUSED = "mode:pre-mortem by frugal, big1"
REFUSED_ANSWER = EXAMPLE / "bundle/answers/frugal/mode-pre-mortem.md"
REFUSAL = "I had rather not score this one."
CONFIG = """\
bundle: bundle
run: on-a-cluster
providers:
  loopback: {{base_url: "{address}/v1", key_env: JUDGE_KEY}}
substitutions:
  big1: {{model: judge-2026-01-01, provider: loopback, route: openai-chat, reason: a judge that is asked over HTTP}}
max_asks: {max_asks}
"""
QUICK = [
    *("--slurm-init-seconds-before-status-checks", "1"),  # the plugin's own 40 s are for clusters of many users
    *("--slurm-status-command", "squeue"),  # sacct needs a data base
    *("--latency-wait", "5"),
    *("--cores", "1"),
    *("--group-components", "batch=20", "checks=100"),
]

pytestmark = pytest.mark.skipif(bool(slurm.absent()), reason=f"NOT TESTED: no Slurm here ({', '.join(slurm.absent())})")


class Reluctant(Handler):
    """Refuses to score one capture until it is asked again."""

    def answer_of(self, model: str) -> bytes:
        shown = json.dumps(self.document, ensure_ascii=False)
        answer = json.dumps(REFUSED_ANSWER.read_text(encoding="utf-8").strip(), ensure_ascii=False)[1:-1]
        if answer in shown and "An earlier reply" not in shown:
            tokens = answers.input_tokens(self.document)
            return json.dumps(answers.envelope(self.api, model, REFUSAL, self.sha, tokens)).encode()
        return super().answer_of(model)


@dataclass(frozen=True)
class Judged:
    """The example after two starts on Slurm; `bought` is the number of calls in the first, `jobs` what Slurm knows."""

    work: Path
    first: subprocess.CompletedProcess
    bought: int
    second: subprocess.CompletedProcess
    jobs: str
    commands: set[bytes]
    locks: str


def make(folder: Path, server: JudgeServer, max_asks: int) -> Path:
    """Make a work directory that judges the example, with one judge behind HTTP."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("results", "store", "logs", ".snakemake"))
    configure(folder, server, max_asks)
    return folder


def configure(folder: Path, server: JudgeServer, max_asks: int) -> None:
    """Write the work directory's config/config.yaml."""
    (folder / "config/config.yaml").write_text(CONFIG.format(address=server.address, max_asks=max_asks))


def snakemake(folder: Path, *options: str, **environ: str) -> subprocess.CompletedProcess:
    """Run Snakemake on the project as a user does."""
    order = [sys.executable, "-m", "snakemake", "--snakefile", str(PROJECT / "Snakefile"), "--directory", str(folder)]
    environ = {**os.environ, "JUDGE_KEY": KEY, **environ}
    return subprocess.run([*order, *options], cwd=PROJECT, env=environ, capture_output=True, text=True, timeout=280)


@contextmanager
def command_lines() -> Iterator[set[bytes]]:
    """Collect the command lines of all processes while the block runs."""
    seen: set[bytes] = set()
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.2):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    seen.add(file.read_bytes())
                except OSError:  # the process has ended meanwhile
                    continue

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    with running() as server:
        server.RequestHandlerClass = Reluctant
        yield server


@pytest.fixture(scope="module")
def plugins(tmp_path_factory) -> Path:
    """Return the folder into which `envs/setup.sh cluster` has put the plugins, in a copy of the project that has the
    rest already: every start of Snakemake loads the plugins that it finds, so they stay out of this environment."""
    project = tmp_path_factory.mktemp("plugins")
    shutil.copytree(PROJECT / "envs", project / "envs")
    subprocess.run([sys.executable, "-m", "venv", str(project / ".venv")], check=True)
    stamp = subprocess.run(["cksum", "envs/requirements.txt"], cwd=project, capture_output=True, check=True).stdout
    (project / ".venv/assay-requirements.txt").write_bytes(stamp)
    setup, start = in_readme()[:2]
    subprocess.run(["sh", "-c", setup], cwd=project, check=True)
    assert start.startswith("./assay --workflow-profile slurm --directory ")
    (folder,) = (project / ".venv/lib").glob("python*/site-packages")
    return folder


def in_readme() -> list[str]:
    """Return the commands of the README's part on clusters: set-up, start, try of the locks."""
    part = (PROJECT / "README.md").read_text("utf-8").partition("## On a cluster")[2].partition("\n## ")[0]
    blocks = re.findall(r"```text\n(.*?)```", part, re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def judged(tmp_path_factory, server, plugins) -> Judged:
    """Judge the example on Slurm: a first start that cannot have one verdict, and a second one that can."""
    work = make(tmp_path_factory.mktemp("cluster") / "work", server, max_asks=1)
    with slurm.running(tmp_path_factory.mktemp("slurm")) as cluster, command_lines() as commands:
        environ = {**cluster.environ, "PYTHONPATH": str(plugins)}
        first = snakemake(work, "--workflow-profile", "slurm", *QUICK, **environ)
        bought = server.calls
        configure(work, server, max_asks=2)
        second = snakemake(work, "--workflow-profile", "slurm", *QUICK, **environ)
        jobs = cluster.call("scontrol", "show", "jobs", "--details")
        (work.parent / "my-run").mkdir()
        locks = cluster.call("sh", "-c", f"cd {work.parent}; {in_readme()[2]} || echo usable")
    return Judged(work, first, bought, second, jobs, commands, locks)


def test_a_batch_goes_on_after_a_verdict_that_cannot_be_had(judged):
    said = judged.first.stderr
    assert judged.first.returncode == 1, said[-3000:]
    assert f"{REFUSED}: no verdict (invalid)" in said, said[-3000:]
    assert judged.bought == CAPTURES + 1, said[-3000:]  # one of them is the check of the judge
    assert "Traceback" not in said
    assert "AttributeError" not in said


def test_the_next_start_completes_the_run_and_buys_nothing_twice(judged, server):
    assert judged.second.returncode == 0, judged.second.stderr[-3000:]
    assert server.calls == judged.bought + 1
    assert not server.duplicates


def test_the_try_of_the_readme_finds_that_locks_hold(judged):
    assert judged.locks == "usable\n"


def test_nodes_judge_in_batches(judged):
    found = sorted(re.findall(r"Comment=(\S+)", judged.jobs))
    assert found == ["rule_batch_judge_packet"] * 3 + ["rule_checks_judge_check"], judged.jobs
    assert judged.jobs.count("JobState=COMPLETED") == 3, judged.jobs  # all but the batch that lacked one verdict


def test_the_key_reaches_the_nodes_and_nothing_shows_it(judged, server):
    assert {headers["Authorization"] for headers in server.headers_seen} == {f"Bearer {KEY}"}
    assert any(b"--executor\0slurm-jobstep" in command for command in judged.commands)
    assert not [command for command in judged.commands if KEY.encode() in command]
    for text in (judged.first.stdout, judged.first.stderr, judged.second.stdout, judged.second.stderr, judged.jobs):
        assert KEY not in text
    files = [path for path in judged.work.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_tables_are_the_same_bytes_as_of_a_local_run(judged, server, tmp_path):
    local = make(tmp_path / "local", server, max_asks=2)
    done = snakemake(local, "--cores", "2")
    assert done.returncode == 0, done.stderr[-3000:]
    for folder in ("results/tables", "results/packets"):
        there, here = (
            {str(path.relative_to(side)): path.read_bytes() for path in (side / folder).rglob("*") if path.is_file()}
            for side in (judged.work, local)
        )
        assert there, folder
        assert there == here
