"""Many processes, faults in three calls of ten, and kills without warning: every answer is bought, kept and counted."""

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest
from faults import PASSING, Plan
from server import running
from support import check_books, start

from assay.canonical import loads

QUICK = sorted(set(PASSING) - {"trickle", "hang", "rate_seconds", "rate_date"})  # the slow ones have tests of their own
REQUESTS = 300
PROCESSES = 6


def shards(chance: random.Random) -> list[list[int]]:
    """Return the requests of each process: every request is wanted by two of them, in another order each."""
    numbers = list(range(REQUESTS))
    parts = [numbers[start::PROCESSES] + numbers[(start + 1) % PROCESSES :: PROCESSES] for start in range(PROCESSES)]
    for part in parts:
        chance.shuffle(part)
    return parts


def bodies(store: Path) -> dict[str, str]:
    """Return every stored answer without what differs from one call to the next (times, request ids)."""
    documents = {path.stem: loads(path.read_bytes()) for path in store.glob("[0-9a-f][0-9a-f]/*.json")}
    return {sha: document["response"]["body"] for sha, document in documents.items()}


def finish(store: Path, address: str, parts: list[list[int]]) -> None:
    processes = [start(store, address, part) for part in parts]
    errors = [process.communicate(timeout=100)[1] for process in processes]
    assert [process.returncode for process in processes] == [0] * PROCESSES, errors


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, str]:
    store = tmp_path_factory.mktemp("undisturbed")
    with running() as server:
        finish(store, server.address, shards(random.Random(0)))
    return bodies(store)


def wait_for_calls(server, calls: int) -> None:
    """Wait until the server has had so many calls: a kill before the first one would test nothing."""
    end = time.monotonic() + 30
    while server.calls < calls and len(server.answered) < REQUESTS:
        assert time.monotonic() < end, "no call came"
        time.sleep(0.01)


def test_twenty_kills_lose_nothing_and_buy_again_only_what_was_in_flight(tmp_path, undisturbed):
    chance = random.Random(20)
    with running(latency=0.05) as server:
        for _ in range(20):
            processes = [start(tmp_path, server.address, part, process_group=0) for part in shards(chance)]
            wait_for_calls(server, server.calls + 1)
            time.sleep(chance.uniform(0, 0.3))
            for process in processes:
                os.killpg(process.pid, signal.SIGKILL)
            for process in processes:
                process.communicate()
        finish(tmp_path, server.address, shards(chance))
        assert 10 <= check_books(server, tmp_path, range(REQUESTS)) <= 20 * PROCESSES
    assert bodies(tmp_path) == undisturbed


def test_faults_in_three_calls_of_ten_change_no_answer(tmp_path, undisturbed):
    with running(plan=Plan(0.3, 30, QUICK)) as server:
        finish(tmp_path, server.address, shards(random.Random(1)))
        assert len({outcome for _, outcome, _ in server.outcomes}) > len(QUICK) // 2
        check_books(server, tmp_path, range(REQUESTS))
    assert _plain(bodies(tmp_path)) == undisturbed


def _plain(found: dict[str, str]) -> dict[str, str]:
    """Take out what the fault `echo` adds to a proper answer."""
    return {
        sha: json.dumps({name: value for name, value in json.loads(body).items() if name != "debug"})
        for sha, body in found.items()
    }
