"""The whole workflow, killed without warning and served badly: same tables, nothing lost, nothing bought in secret."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from answers import nonce
from faults import PASSING, Plan
from server import JudgeServer, running

from assay.buying.journal import Journal, ever_in_doubt, in_doubt
from assay.store import Store

PROJECT = Path(__file__).resolve().parents[2]
CAPTURES, JUDGES, CORES, KILLS = 150, 2, 4, 20
CALLS = CAPTURES * JUDGES + JUDGES  # a check of each judge comes before anything is judged
KEY = "sk-torture-PLANTED-0123456789"
QUICK = sorted(set(PASSING) - {"trickle", "hang", "rate_seconds", "rate_date"})


def make(folder: Path, server: JudgeServer, captures: int = CAPTURES) -> Path:
    """Make a work directory whose judges are at the test server."""
    order = ["tests/bench/make_bundle.py", str(folder), "--captures", str(captures), "--route", "openai-chat"]
    subprocess.run(
        [sys.executable, *order, "--base-url", f"{server.address}/v1"], cwd=PROJECT, check=True, capture_output=True
    )
    return folder


def start(folder: Path, *options: str) -> subprocess.Popen:
    """Start the workflow as a user would, as a process group of its own."""
    order = ["--snakefile", str(PROJECT / "Snakefile"), "--directory", str(folder), "--cores", str(CORES), *options]
    profile = ["--workflow-profile", str(PROJECT / "profiles/default")]
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", *order, *profile],
        cwd=PROJECT,
        env={**os.environ, "ASSAY_BENCH_KEY": KEY},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(folder: Path) -> None:
    process = start(folder)
    errors = process.communicate(timeout=600)[1]
    assert process.returncode == 0, errors[-3000:]


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "results/tables").iterdir())}


def check(folder: Path, server: JudgeServer) -> int:
    """Compare the store with what the server has answered. Returns the number of calls in doubt."""
    store, journal = Store(folder / "store"), Journal(folder / "store")
    exchanges = {sha: store.get(sha) for sha in store.names()}
    assert len(exchanges) == len(server.answered) == CALLS
    doubts = Counter(nonce(exchanges[attempt.sha].request) for attempt in ever_in_doubt(journal, store))
    answered = {server.nonces[body]: count for body, count in server.answered.items()}
    assert len(answered) == CALLS
    assert all(count <= 1 + doubts[number] for number, count in answered.items())
    assert in_doubt(journal, store) == []
    for path in folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    return doubts.total()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, bytes]:
    with running() as server:
        folder = make(tmp_path_factory.mktemp("undisturbed") / "run", server)
        finish(folder)
        assert check(folder, server) == 0
    return tables(folder)


def kill_during(process: subprocess.Popen, server: JudgeServer, chance: random.Random) -> None:
    """Kill the workflow at a random instant among its next answers; every other time right after one was sent."""
    wanted = server.answered.total() + chance.randint(1, 8)
    right_after, delay = chance.random() < 0.5, chance.uniform(0, 0.3)

    def kill() -> None:
        if server.answered.total() >= wanted:
            time.sleep(delay / 25)
            os.killpg(process.pid, signal.SIGKILL)

    server.after_answer = kill if right_after else lambda: None
    while process.poll() is None and not right_after:
        if server.answered.total() >= wanted:
            time.sleep(delay)
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.005)
    process.communicate()
    server.after_answer = lambda: None
    assert process.returncode == -signal.SIGKILL


def test_killed_twenty_times_it_ends_with_the_same_tables_and_every_call_bought_twice_is_listed(tmp_path, undisturbed):
    chance = random.Random(1)
    with running(latency=0.05) as server:
        folder = make(tmp_path / "run", server)
        for _ in range(KILLS):
            kill_during(start(folder), server, chance)
            assert start(folder, "--unlock").wait() == 0
        assert server.answered.total() < CALLS + KILLS * CORES
        finish(folder)
        assert 1 <= check(folder, server) <= KILLS * CORES
    assert tables(folder) == undisturbed


def test_with_faults_in_three_calls_of_ten_it_ends_with_the_same_tables(tmp_path, undisturbed):
    with running(plan=Plan(0.3, 3, QUICK)) as server:
        folder = make(tmp_path / "run", server)
        finish(folder)
        check(folder, server)
        assert server.calls > CALLS * 1.2
    assert tables(folder) == undisturbed


def test_a_refused_key_ends_the_run_within_five_seconds_after_one_call_per_judge(tmp_path):
    plan = Plan()
    plan.script = ["status_401"] * 50
    with running(plan=plan) as server:
        process = start(make(tmp_path / "run", server, 12))
        errors = process.communicate(timeout=60)[1]
        assert time.time() - server.outcomes[0][0] < 5
        assert process.returncode != 0
        assert 1 <= server.calls <= JUDGES
    assert "The API refused the key: check the environment variable" in errors
    assert "Traceback" not in errors
