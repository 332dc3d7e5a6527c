"""One finished run, made once by the real workflow from a small part of the example, and its archive."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.archive.pack import unpack
from assay.sheets import read_columns, read_tsv, write_tsv

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "example/performance"
# A visual that is a picture, a shared id, an entry without a specification, a rejected capture, one that is not held.
ENTRIES = (
    "mode:causal-dag",
    "visual:causal-dag",
    "visual:timeline",
    "lens:second-order-effects",
    "lens:circle-of-competence",
    "lens:hanlons-razor",
)
ENTRY, AGENTS = "challenge:duration-parser", ("thrasher", "cheater")  # of the five-judge example
FAMILIES = "{mode: 1, visual: 1, lens: 3, configurations: 3}"


def cut(folder: Path, keep: Callable[[dict[str, str]], bool]) -> None:
    """Leave in the sheets of a bundle the rows to keep."""
    for sheet in ("catalogue", "captures"):
        path = folder / f"bundle/{sheet}.tsv"
        write_tsv(path, read_columns(path), [row for row in read_tsv(path) if keep(row)])


def small_example(folder: Path) -> Path:
    """Make a work directory with the example cut down to ENTRIES."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("results", "store", "logs", ".snakemake", "archive"))
    cut(folder, lambda row: row["entry"] in ENTRIES)
    head = folder / "bundle/bundle.yaml"
    lines = [f"expected: {FAMILIES}" if line.startswith("expected:") else line for line in head.read_text().split("\n")]
    head.write_text("\n".join(lines))
    return folder


def snakemake(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run the project's workflow in a work directory."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "2", *arguments]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A finished run (`folder`), its archive as the workflow made it (`file`), and that unpacked (`unpacked`)."""
    base = tmp_path_factory.mktemp("run")
    folder = small_example(base / "work")
    done = snakemake(folder, "archive")
    assert done.returncode == 0, done.stderr
    file = folder / "archive/example-1.tar.xz"
    return SimpleNamespace(folder=folder, file=file, unpacked=unpack(file, base / "unpacked"), said=done.stdout)


@pytest.fixture
def work(made, tmp_path):
    """A copy of the finished work directory."""
    ignore = shutil.ignore_patterns(".snakemake", "logs", "archive")
    return Path(shutil.copytree(made.folder, tmp_path / "work", ignore=ignore))


@pytest.fixture
def unpacked(made, tmp_path):
    """A copy of the unpacked archive."""
    return Path(shutil.copytree(made.unpacked, tmp_path / "unpacked"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The example cut down to one challenge and two agents, judged and archived by the workflow."""
    folder = tmp_path_factory.mktemp("five") / "work"
    shutil.copytree(
        ROOT / "example/five-judge", folder, ignore=shutil.ignore_patterns("results", "store", ".snakemake")
    )
    cut(folder, lambda row: row["entry"] == ENTRY and row.get("configuration", AGENTS[0]) in AGENTS)
    head = folder / "bundle/bundle.yaml"
    lines = head.read_text("utf-8").replace("{challenge: 2, configurations: 3}", "{challenge: 1, configurations: 2}")
    start = lines.index("  - id: careful")
    head.write_text(lines[:start] + lines[lines.index("  - id: thrasher") :], "utf-8")
    done = snakemake(folder, "archive")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def opened(finished, tmp_path_factory):
    """Its archive, unpacked elsewhere."""
    return unpack(finished / "archive/example-1.tar.xz", tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture
def issues(monkeypatch):
    """Return a function that says what the validator finds wrong with an unpacked archive, without a network."""
    import rocrate
    from rocrate_validator import models, services
    from rocrate_validator.utils.http import HttpRequester

    context = json.loads((Path(rocrate.__file__).parent / "data/ro-crate.jsonld").read_text("utf-8"))
    # The library ships the context of a later version; these four terms had other addresses in 1.1.
    terms = "https://bioschemas.org/"
    context["@context"] |= {name: terms + name for name in ("ComputationalWorkflow", "FormalParameter")}
    context["@context"] |= {name: f"{terms}ComputationalWorkflow#{name}" for name in ("input", "output")}
    text = json.dumps(context)

    def get(_, url: str, **__):
        assert url == "https://w3id.org/ro/crate/1.1/context"
        headers = {"Content-Type": "application/ld+json"}
        return SimpleNamespace(status_code=200, headers=headers, text=text, content=text.encode(), json=lambda: context)

    monkeypatch.setattr(HttpRequester, "get", get, raising=False)

    def find(folder: Path) -> list[str]:
        settings = models.ValidationSettings(
            rocrate_uri=str(folder),
            profile_identifier="workflow-run-crate-0.5",
            requirement_severity=models.Severity.REQUIRED,
            offline=True,
        )
        result = services.validate(settings)
        assert len(list(result.executed_checks)) > 50
        return [f"{issue.check.identifier}: {issue.message}" for issue in result.get_issues()]

    return find
