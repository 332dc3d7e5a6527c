"""The fork server: the same jobs as without it, nobody left behind, and Ctrl-C loses no answer."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import runs
from server import running

from assay.buying.journal import Journal, ever_in_doubt
from assay.fork_server import ForkServer
from assay.store import Store

PROJECT = Path(__file__).resolve().parents[2]
CLIENT = [sys.executable, "-S", "-E", str(PROJECT / "scripts/run_job.py")]
PACKET = ["packet", "--card", "{}", "--prompt", "p", "--specification", "p", "--answer", "none", "--output", "o.json"]
VERDICT = ["judge", "--judge", "big1", "--packet", "none.json", "--configuration", "c", "--round", "1"]


@pytest.fixture
def server():
    forking = ForkServer()
    yield forking
    forking.end()


def job(words: list[str], folder: Path, server: ForkServer | None = None) -> subprocess.CompletedProcess:
    """Run a job as a rule does, with the server or without."""
    environment = {**os.environ, "ASSAY_FORK_SERVER": server.address if server else ""}
    return subprocess.run([*CLIENT, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize("words", [PACKET, VERDICT, [*PACKET, "--odd"], ["judge"], ["packet", "--help"]])
def test_a_job_says_and_returns_the_same_with_and_without_the_server(server, tmp_path, words):
    (tmp_path / "p").write_text("text")
    forked, alone = (job(words, tmp_path, there) for there in (server, None))
    assert (forked.returncode, forked.stdout, forked.stderr) == (alone.returncode, alone.stdout, alone.stderr)
    assert alone.stdout or alone.stderr.startswith("error: ")
    assert "Traceback" not in alone.stderr


def test_a_fault_of_ours_shows_where_it_is_and_ends_only_its_own_job(server, tmp_path):
    (tmp_path / "p").write_text("text")
    broken = job(
        [word if word != "{}" else "[]" for word in PACKET[:-4]] + ["--answer", "p", *PACKET[-2:]], tmp_path, server
    )
    assert broken.returncode == 1
    assert "Traceback" in broken.stderr
    assert job(["packet", "--help"], tmp_path, server).returncode == 0


def test_without_a_server_at_its_place_a_job_does_the_work_itself(tmp_path):
    gone = ForkServer()
    gone.end()
    assert not Path(gone.address).parent.exists()
    assert job(["packet", "--help"], tmp_path, gone).returncode == 0


def test_what_is_no_job_is_refused(tmp_path):
    assert job(["os"], tmp_path).returncode == 1
    assert job(["--help"], tmp_path).returncode == 0


def test_only_this_user_reaches_the_server(server):
    assert Path(server.address).parent.stat().st_mode & 0o777 == 0o700


def test_the_server_ends_with_the_process_that_started_it_however_that_ends(tmp_path):
    code = (
        "from assay.fork_server import ForkServer\nprint(ForkServer().address, flush=True)\nimport time; time.sleep(60)"
    )
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "scripts")}
    starter = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
    address = Path(starter.stdout.readline().strip())
    assert address.exists()
    starter.kill()
    starter.wait()
    end = time.monotonic() + 20
    while address.parent.exists():
        assert time.monotonic() < end, "the server is still there"
        time.sleep(0.05)


def interrupt_a_run(folder: Path, server) -> str:
    """Start a run, press Ctrl-C as soon as several calls are under way, and return what the run said."""
    process = runs.start(folder, runs.TABLES, cores=8)
    end = time.monotonic() + 60
    while server.calls < 10:  # the two checks, and a call for each core
        assert time.monotonic() < end and process.poll() is None, "no calls came"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to Snakemake, its jobs and the fork server
    return process.communicate(timeout=60)[0]


def test_ctrl_c_lets_the_calls_under_way_come_to_their_end_and_nothing_is_paid_twice(tmp_path):
    with running(latency=1.5) as api:
        folder = runs.make(tmp_path / "run", api, 20)
        said = interrupt_a_run(folder, api)
        under_way = api.calls
        assert 10 <= under_way < 42, said
        assert "Traceback" not in said, said
        assert "The run was stopped: Ctrl-C was pressed" in said
        verdicts = list((folder / "results/verdicts").rglob("*.json"))
        assert len(verdicts) == under_way - 2  # all that was paid for, but the two checks
        assert len(list(Store(folder / "store").names())) == under_way, said
        api.latency = 0
        runs.run(folder, runs.TABLES, cores=8)
        assert api.calls == 42
        assert ever_in_doubt(Journal(folder / "store"), Store(folder / "store")) == []
