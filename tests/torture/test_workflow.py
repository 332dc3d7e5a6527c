"""The whole workflow, killed without warning and served badly: same tables, nothing lost, nothing bought in secret."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
import runs
from answers import nonce
from faults import PASSING, Plan
from server import JudgeServer, running

from assay.buying.journal import Journal, ever_in_doubt, in_doubt
from assay.store import Store

CAPTURES, JUDGES, CORES, KILLS = 150, 2, 8, 20
VERDICTS = CAPTURES * JUDGES
CALLS = VERDICTS + JUDGES  # a check of each judge comes before anything is judged
QUICK = sorted(set(PASSING) - {"trickle", "hang", "rate_seconds", "rate_date"})  # the slow ones have tests of their own
# Three calls of ten meet a fault, so that some requests meet several in a row.
PATIENT = {**runs.LIMITED, "read_timeout_seconds": 5, "max_doubtful": 10, "max_attempts": 20}


def make(folder: Path, server: JudgeServer, captures: int = CAPTURES) -> Path:
    return runs.make(folder, server, captures, judges={"big1": PATIENT, "big2": PATIENT})


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
        assert not path.is_file() or runs.KEY[:16].encode() not in path.read_bytes(), path
    return doubts.total()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, bytes]:
    with running() as server:
        folder = make(tmp_path_factory.mktemp("undisturbed") / "run", server)
        runs.run(folder, cores=CORES)
        assert (check(folder, server), server.calls) == (0, CALLS)
    return runs.tables(folder)


def kill_during(process: subprocess.Popen, server: JudgeServer, chance: random.Random) -> None:
    """Kill the workflow at a random instant among its next answers; every other time right after one was sent."""
    wanted = server.answered.total() + chance.randint(1, 12)
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
    chance, doubts = random.Random(1), 0
    with running(latency=0.05) as server:
        folder = make(tmp_path / "run", server)
        store = folder / "store"
        for _ in range(KILLS):
            kill_during(runs.start(folder, "--nolock", cores=CORES), server, chance)
            before, doubts = doubts, len(ever_in_doubt(Journal(store), Store(store)))
            assert doubts <= before + CORES, "no more than was in flight at this kill"
        assert len(server.answered) < CALLS, "the last kill came before the end"
        runs.run(folder, "--nolock", cores=CORES)
        assert 1 <= check(folder, server) == doubts
    assert runs.tables(folder) == undisturbed


def test_with_faults_in_three_calls_of_ten_it_ends_with_the_same_tables(tmp_path, undisturbed):
    with running(plan=Plan(0.3, 3, QUICK)) as server:
        folder = make(tmp_path / "run", server)
        runs.run(folder, cores=CORES)
        check(folder, server)
        assert server.calls > CALLS * 1.2
        assert len({outcome for _, outcome, _ in server.outcomes}) > len(QUICK) * 0.8
    assert runs.tables(folder) == undisturbed


def test_a_refused_key_ends_the_run_within_five_seconds_after_one_call_per_judge(tmp_path):
    plan = Plan()
    plan.script = ["status_401"] * 50
    with running(plan=plan) as server:
        output = runs.run(make(tmp_path / "run", server, 12), ends=1)
        assert time.time() - server.outcomes[0][0] < 5
        assert 1 <= server.calls <= JUDGES
    assert "The API refused the key: check the environment variable" in output
    assert "0 of 24 verdicts are there and kept; missing: 24." in output
