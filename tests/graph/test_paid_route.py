"""Judging through a real HTTP API, as the rules do it: paid once, replayed for ever, and without a word of the key."""

import subprocess
import sys

import pytest
from workdirs import ROOT, bytes_of, exchanges, snakemake

import small_bundle
from assay.files import read_json
from assay.sheets import read_tsv

KEY = "sk-planted-canary-0123456789"
ROLES = """\
configuration: big
frozen: 2026-01-01
roles:
  big1: {model: judge-a, provider: acme, route: openai-chat}
  big2: {model: judge-b, provider: acme, route: openai-chat}
"""


@pytest.fixture
def server(tmp_path):
    """Run the judge's API on loopback in a process of its own; yield its address and the file that counts its calls."""
    count = tmp_path / "calls.tsv"
    command = [sys.executable, str(ROOT / "tests/http/server.py"), "--count-file", str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip(), count
        process.terminate()


def test_a_paid_run_buys_each_verdict_once_and_then_needs_neither_key_nor_server(server, tmp_path):
    address, count = server
    work = tmp_path / "work"
    bundle = small_bundle.make(work)
    small_bundle.write(bundle / "optimum.yaml", ROLES)
    providers = f'providers: {{acme: {{base_url: "{address}/v1", key_env: JUDGE_KEY}}}}\n'
    judges = (
        "judges: {big1: {parameters: {max_completion_tokens: 900}}, big2: {parameters: {max_completion_tokens: 900}}}\n"
    )
    small_bundle.write(work / "config/config.yaml", f"bundle: bundle\nrun: paid-1\n{providers}{judges}")

    done = snakemake(work, JUDGE_KEY=KEY)
    assert done.code == 0, done.text
    calls = [line.split("\t") for line in count.read_text().splitlines()]
    assert len(calls) == 12 and {outcome for outcome, *_ in calls} == {"answered"}
    assert len({sha for _, sha, _ in calls}) == 12
    assert len(exchanges(work)) == 12
    answered = read_tsv(work / "results/tables/answered.tsv")
    assert [(row["judge"], row["model_answered"], row["verdicts"]) for row in answered] == [
        ("big1", "judge-a", "5"),
        ("big2", "judge-b", "5"),
    ]
    verdict = read_json(work / "results/verdicts/tiny/visual/chart/big2.json")
    assert verdict["cost_usd"] is None, "the price of this model is unknown, not 0"
    assert "no model judge" not in (work / "results/report/summary.md").read_text()

    results = bytes_of(work, "results")
    done = snakemake(work, "--forceall", "--config", "budget_usd=0")
    assert done.code == 0, done.text
    assert len(count.read_text().splitlines()) == 12
    assert bytes_of(work, "results/verdicts", "results/tables") == {
        name: sha for name, sha in results.items() if name.startswith(("results/verdicts", "results/tables"))
    }
    for path in work.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in done.text
