"""A run whose judges were bought over HTTP: its journal goes into the archive, its key does not, and it verifies."""

import shutil
import sys
from pathlib import Path

import pytest

from assay.archive.build import build
from assay.archive.pack import unpack
from assay.archive.verify import verify
from assay.canonical import canonical, loads, sha256
from assay.documents import read_yaml
from bench.make_bundle import make_bundle
from finished_runs import finish

sys.path.append(str(Path(__file__).parents[1] / "http"))
from server import running
from tampering import in_text, rehash

KEY = "sk-bench-planted-0123456789"


@pytest.fixture(scope="module")
def bought(tmp_path_factory):
    """An unpacked archive of two captures judged over HTTP."""
    base = tmp_path_factory.mktemp("bought")
    with pytest.MonkeyPatch.context() as patch, running() as server:
        patch.setenv("ASSAY_BENCH_KEY", KEY)
        make_bundle(base / "work", captures=2, route="openai-chat", base_url=f"{server.address}/v1")
        for text in (path for part in ("specs", "answers") for path in (base / "work/bundle" / part).rglob("*.md")):
            text.write_text(text.read_text("utf-8")[:600], "utf-8")
        finish(base / "work")
        calls = server.calls
    built = build(
        base / "work", read_yaml(base / "work/config/config.yaml"), base / "a.tar.xz", {"ASSAY_BENCH_KEY": KEY}
    )
    assert built.notices == []
    assert calls == 2 * 2 + 2
    return unpack(base / "a.tar.xz", base / "unpacked")


@pytest.fixture
def copy(bought, tmp_path):
    return Path(shutil.copytree(bought, tmp_path / "copy"))


def test_it_verifies_without_the_server_and_without_the_key(bought):
    found = verify(bought)
    assert found.passed
    assert {line.what: line.checked for line in found.lines}["exchanges in the store"] == 6


def test_the_journal_is_in_and_what_is_of_the_moment_is_not(bought):
    lines = (bought / "store/journal.jsonl").read_text().splitlines()
    assert sum('"stored"' in line for line in lines) == 6
    assert not (bought / "store/limits").exists() and not (bought / "store/locks").exists()
    assert not any(KEY.encode() in path.read_bytes() for path in bought.rglob("*") if path.is_file())


def exchange_of(folder: Path, verdict: Path) -> Path:
    sha = loads(verdict.read_bytes())["exchange"]
    return folder / f"store/{sha[:2]}/{sha}.json"


def test_a_changed_answer_of_a_model_is_named_by_the_verdict_that_it_no_longer_gives(copy):
    verdict = min((copy / "results/verdicts").rglob("big1.json"))
    path = exchange_of(copy, verdict)
    document = loads(path.read_bytes())
    impression = loads(verdict.read_bytes())["impression"]
    assert impression in document["response"]["body"]
    document["response"]["body"] = document["response"]["body"].replace(impression, "Superb.")
    document["response_sha256"] = sha256(document["response"])
    path.write_text(canonical(document))
    rehash(copy)
    faults = dict(verify(copy).faults)
    assert 'expected "Superb."' in faults[verdict.relative_to(copy).as_posix()]


def test_an_answer_of_another_model_is_named(copy):
    path = exchange_of(copy, min((copy / "results/verdicts").rglob("big1.json")))
    document = loads(path.read_bytes())
    document["response"]["body"] = document["response"]["body"].replace("bench-judge-a", "bench-judge-mini")
    document["response_sha256"] = sha256(document["response"])
    path.write_text(canonical(document))
    rehash(copy)
    faults = dict(verify(copy).faults)
    assert "bench-judge-mini answered" in faults[path.relative_to(copy).as_posix()]


def test_an_exchange_that_the_journal_does_not_know_is_named(copy):
    sha = exchange_of(copy, min((copy / "results/verdicts").rglob("big1.json"))).stem
    lines = (copy / "store/journal.jsonl").read_text().splitlines(keepends=True)
    (copy / "store/journal.jsonl").write_text("".join(line for line in lines if sha not in line))
    rehash(copy)
    faults = dict(verify(copy).faults)
    assert faults[f"store/{sha[:2]}/{sha}.json"] == "the journal does not say that it was bought"


def test_a_model_that_may_answer_by_another_name_must_be_named_in_the_configuration(copy):
    in_text("config/config.yaml", '"big1": {', '"big1": {"accepted_ids": ["bench-judge-mini"],')(copy)
    rehash(copy)
    faults = dict(verify(copy).faults)
    assert "accepted_ids" in faults["results/panel.json"]
