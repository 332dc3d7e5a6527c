"""Work directories that are finished once for all tests, and copied for each."""

import fcntl
import os
import shutil
from pathlib import Path

import pytest
from workdirs import EXAMPLE, copy, snakemake

import small_bundle


def once(tmp_path_factory, name: str, make) -> Path:
    """Make a folder once for all test processes: with pytest-xdist, the first one makes it and the others wait."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder, done = shared / name, shared / f"{name}.done"
    with open(shared / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            done.touch()
    return folder


@pytest.fixture(scope="session")
def finished_example(tmp_path_factory) -> Path:
    """Return the work directory of the example after its first run; its log is in first-run.txt. Do not change it."""

    def make(folder: Path) -> None:
        shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("results", "store", "logs", ".snakemake"))
        done = snakemake(folder)
        (folder / "first-run.txt").write_text(done.text, encoding="utf-8")
        assert done.code == 0, done.text

    return once(tmp_path_factory, "finished-example", make)


@pytest.fixture(scope="session")
def finished_small(tmp_path_factory) -> Path:
    """Return the work directory of the small bundle after its first run. Do not change it."""

    def make(folder: Path) -> None:
        small_bundle.make(folder)
        done = snakemake(folder)
        (folder / "first-run.txt").write_text(done.text, encoding="utf-8")
        assert done.code == 0, done.text

    return once(tmp_path_factory, "finished-small", make)


@pytest.fixture
def example(finished_example, tmp_path) -> Path:
    """Return a copy of the finished example."""
    return copy(finished_example, tmp_path / "example")


@pytest.fixture
def small(finished_small, tmp_path) -> Path:
    """Return a copy of the finished small work directory."""
    return copy(finished_small, tmp_path / "small")


@pytest.fixture(scope="session")
def finished_runs(tmp_path_factory) -> Path:
    """Return the work directory of the five-judge example after its first run. Do not change it."""

    def make(folder: Path) -> None:
        source = EXAMPLE.parent / "five-judge"
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("results", "store", "logs", ".snakemake"))
        done = snakemake(folder)
        (folder / "first-run.txt").write_text(done.text, encoding="utf-8")
        assert done.code == 0, done.text

    return once(tmp_path_factory, "finished-runs", make)


@pytest.fixture
def runs(finished_runs, tmp_path) -> Path:
    """Return a copy of the finished five-judge example."""
    return copy(finished_runs, tmp_path / "runs")
