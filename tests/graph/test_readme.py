"""Every command of the README does what the README says, in a fresh copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text("utf-8")
# What is for a cluster is run by tests/cluster.
HERE = re.sub(r"^## On a cluster\n.*?^(?=## )", "", README, flags=re.DOTALL | re.MULTILINE)


def blocks(kind: str) -> list[str]:
    """Return the README's code blocks of one kind, in order."""
    return re.findall(rf"```{kind}\n(.*?)```", HERE, re.DOTALL)


def commands() -> list[str]:
    """Return every command line of the README that a shell can run here; `export` lines set keys and stay out."""
    lines = [line.strip() for kind in ("sh", "text") for block in blocks(kind) for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("export ")]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files under version control, with the environment of this test run as its `.venv`."""
    target = tmp_path_factory.mktemp("clone")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (PROJECT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, target / name)
    (target / ".venv").mkdir()
    for part in Path(sys.prefix).iterdir():
        if part.name != "assay-requirements.txt":
            (target / ".venv" / part.name).symlink_to(part)
    stamp = subprocess.run(["cksum", "envs/requirements.txt"], cwd=target, capture_output=True, check=True).stdout
    (target / ".venv/assay-requirements.txt").write_bytes(stamp)
    shutil.copytree(target / "example/performance", target / "my-run")
    return target


def run(clone: Path, command: str) -> str:
    done = subprocess.run(
        ["sh", "-c", command], cwd=clone, capture_output=True, text=True, env={**os.environ, "CI": ""}, timeout=300
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def test_every_command_of_the_readme_runs(clone: Path) -> None:
    said = {command: run(clone, command) for command in commands() if command != "./run-tests"}
    table = (clone / "example/performance/results/report/summary.md").read_text("utf-8")
    assert "| Optimum | 7.8 | 8.9 | 5.4 | 8.8 | 9.3 | 6.7 | 8 % | $11 | 5.0 |" in table
    assert "usd_at_most" in said["./assay --cores 8 --directory my-run plan"]


def test_the_test_command_is_the_one_that_ci_calls() -> None:
    assert "./run-tests" in commands()
    assert "./run-tests" in (PROJECT / ".ci/run").read_text("utf-8")
    assert os.access(PROJECT / "run-tests", os.X_OK)


def test_the_readme_shows_the_table_that_the_first_command_makes(clone: Path) -> None:
    run(clone, "rm -rf example/performance/results && ./assay --cores 2 --directory example/performance")
    made = (clone / "example/performance/results/report/summary.md").read_text("utf-8")
    for line in re.findall(r"^\| (?:Optimum|Frugal|Single model) \|.*$", README, re.MULTILINE):
        assert line.removesuffix(" |") in made


def test_files_and_keys_that_the_readme_names_exist() -> None:
    for path in ("config/protocols/performance.yaml", "example/performance/bundle", "config/config.yaml"):
        assert path in README
        assert (PROJECT / path).exists()
