"""The workflow as a user starts it, against a judge's API on loopback: what is bought, what is said, what is left."""

import json
import os
import pty
import re
import subprocess
import time
from decimal import Decimal

import pytest
import runs
from faults import WRONG_MODEL
from server import running

from assay.buying.journal import Journal
from assay.canonical import plain
from assay.files import read_json
from assay.sheets import read_tsv
from assay.store import Store

CHECKS = 2  # one small question to each judge before anything is judged


@pytest.fixture
def server():
    with running() as server:
        yield server


def no_key_in(folder, text=""):
    """Fail if the key, or the half of it, stands in any file of the work directory or in the text."""
    assert runs.KEY[:16] not in text
    for path in folder.rglob("*"):
        assert not path.is_file() or runs.KEY[:16].encode() not in path.read_bytes(), path


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of three captures whose server echoed the key in headers and bodies, and what the user saw."""
    with running() as server:
        server.plan.script = ["echo", "status_500", "error_200"] * 4
        folder = runs.make(tmp_path_factory.mktemp("finished") / "run", server, 3)
        output = runs.run(folder, runs.TABLES)
    return folder, output, server


def test_the_key_is_in_no_file_and_no_output_although_the_server_echoes_it(finished):
    folder, output, server = finished
    no_key_in(folder, output)
    assert any(b"[key removed]" in path.read_bytes() for path in (folder / "store").rglob("*.json"))
    assert server.headers_seen[0]["Authorization"] == f"Bearer {runs.KEY}"


def test_a_verdict_says_who_answered_what_it_took_and_what_it_cost(finished):
    folder, _, _ = finished
    verdict = read_json(folder / "results/verdicts/optimum/mode/method-0/big1.json")
    said = {"judge_model": "judge-a", "model_answered": "judge-a", "fingerprint": "fp_test", "route": "openai-chat"}
    assert {name: verdict[name] for name in said} == said
    usage = verdict["usage"]
    assert (usage["output"], usage["reasoning"]) == (120, 64)
    assert verdict["cost_usd"] == Decimal(usage["input"] + 1200) / 1_000_000
    assert verdict["exchange"] in set(Store(folder / "store").names())


def test_the_same_run_made_again_from_the_store_needs_no_key_and_no_network(finished, tmp_path):
    folder, _, server = finished
    before, calls = runs.tables(folder), server.calls
    subprocess.run(["cp", "-a", str(folder), str(tmp_path / "copy")], check=True)
    copy = tmp_path / "copy"
    for part in ("results", "logs", ".snakemake"):
        subprocess.run(["rm", "-r", str(copy / part)], check=True)
    output = runs.run(copy, runs.TABLES, key=None)
    assert runs.tables(copy) == before
    assert server.calls == calls
    assert "judging: 6 of 6 verdicts, 0 to do" in output


@pytest.mark.parametrize("key", [None, "", "two words 0123456", "sk-short"[:5]])
def test_without_a_usable_key_a_run_ends_within_seconds_before_any_call_and_names_the_variable(server, tmp_path, key):
    folder = runs.make(tmp_path / "run", server, 2)
    begun = time.monotonic()
    output = runs.run(folder, ends=1, key=key)
    assert time.monotonic() - begun < 15
    assert re.search(rf"nothing was bought:\n  judge big1: the environment variable {runs.KEY_NAME}", output)
    assert not key or key not in output
    assert (server.calls, (folder / "results").exists()) == (0, False)


def test_a_dry_run_and_the_plan_need_no_key(server, tmp_path):
    folder = runs.make(tmp_path / "run", server, 2, budget_usd=1)
    assert "buy: mode:method-0 by optimum, judge big1" in runs.run(folder, "--dry-run", key=None)
    output = runs.run(folder, "plan", key=None)
    rows = read_tsv(folder / "results/plan.tsv")
    assert [(row["judge"], row["to_buy"], row["stored"]) for row in rows] == [("big1", "2", "0"), ("big2", "2", "0")]
    assert "Budget: $1; spent $0.0000, left $1.0000. It suffices for one ask a verdict" in output
    assert server.calls == 0


def test_a_budget_without_a_limit_of_output_tokens_ends_before_any_call_and_says_what_to_set(server, tmp_path):
    folder = runs.make(tmp_path / "run", server, 2, budget_usd=1, judges={})
    output = runs.run(folder, ends=1)
    assert "judge big1 (judge-a) may cost: it has no limit of output tokens. Set judges.big1.parameters." in output
    assert "Nothing will be bought, since usd_at_most is unknown: add the judge's price" in runs.run(folder, "plan")
    assert server.calls == 0


def test_sixteen_calls_at_once_never_pass_half_the_projected_cost_and_a_raised_budget_goes_on(server, tmp_path):
    server.latency = 0.3
    folder = runs.make(tmp_path / "run", server, 24)
    runs.run(folder, "plan")
    projected = sum(Decimal(row["usd_estimate"]) for row in read_tsv(folder / "results/plan.tsv"))
    cap = (projected / 2).quantize(Decimal("0.0001"))
    runs.change(folder, budget_usd=float(cap))
    output = runs.run(folder, ends=1, cores=16)
    assert 0 < server.billed <= cap
    # The server bills when a model has run and never gives back, so its final count was the highest at any instant.
    assert server.most_in_flight[""] > 2
    done = len(list((folder / "results/verdicts").rglob("*.json")))
    assert 0 < done < 48
    assert f"{done} of 48 verdicts are there and kept; missing: {48 - done}." in output
    assert f"The run was stopped: the budget of ${plain(cap)} does not allow another call: $" in output
    assert "Raise budget_usd and start again to go on." in output
    assert f"Budget: ${plain(cap)}; spent $" in (plan := runs.run(folder, "plan"))
    assert "It suffices for" not in plan
    calls = server.calls
    runs.change(folder, budget_usd=1)
    runs.run(folder, runs.TABLES, cores=16)
    assert server.calls == 48 + CHECKS
    assert server.duplicates == {}
    assert calls < server.calls


def test_a_spent_budget_gives_partial_tables_where_they_are_allowed_and_whole_ones_once_it_is_raised(server, tmp_path):
    folder = runs.make(tmp_path / "run", server, 4, budget_usd=0.02, allow_partial=True)
    output = runs.run(folder)
    missing = runs.unjudged(folder)
    assert missing and {row["state"] for row in missing} == {"over-budget"}
    assert f"missing: {len(missing)}." in output
    for name in ("summary.md", "methodology.md"):
        assert "Partial run" in (folder / "results/report" / name).read_text()
    assert "forced" in runs.run(folder, "--dry-run", key=None)
    assert len(runs.unjudged(folder)) == len(missing), "a dry run changes nothing"
    runs.change(folder, budget_usd=1)
    runs.run(folder)
    assert (runs.unjudged(folder), server.calls) == ([], 8 + CHECKS)
    assert "Partial" not in (folder / "results/report/summary.md").read_text()


def test_a_blocked_packet_is_sent_once_named_at_the_end_and_left_out_of_a_partial_run(server, tmp_path):
    folder = runs.make(tmp_path / "run", server, 3)
    server.plan.script = [None, None, None, "blocked"]
    output = runs.run(folder, ends=1)
    calls = server.calls
    assert calls == 6 + CHECKS
    assert "5 of 6 verdicts are there and kept; missing: 1." in output
    reasons = [line for line in output.splitlines() if line.startswith("  mode:") and "no verdict (blocked)" in line]
    assert len(reasons) == 1 and "move the stored refusal away: store/" in reasons[0]
    assert (folder / "logs/missing.tsv").read_text().count("\n") == 1
    again = runs.run(folder, ends=1)
    assert "no verdict (blocked)" in again
    runs.change(folder, allow_partial=True)
    runs.run(folder)
    (row,) = runs.unjudged(folder)
    assert row["state"] == "blocked" and "flagged by the content policy" in row["reason"]
    assert len(read_tsv(folder / "results/tables/ledger.tsv")) == 2, "a capture with one verdict of two has no score"
    partial = runs.tables(folder)
    runs.run(folder)
    assert runs.tables(folder) == partial
    assert server.calls == calls, "neither a start with nor one without allow_partial sends it again"


def test_what_found_no_answer_is_asked_for_again_at_the_next_start(server, tmp_path):
    once = {**runs.LIMITED, "max_attempts": 1}
    folder = runs.make(tmp_path / "run", server, 2, allow_partial=True, judges={"big1": once, "big2": once})
    server.plan.script = [None, None, None, "status_500"]
    runs.run(folder)
    assert [row["state"] for row in runs.unjudged(folder)] == ["unanswered"]
    runs.run(folder)
    assert runs.unjudged(folder) == []
    assert "missing" not in {path.stem for path in (folder / "logs").iterdir()}


@pytest.mark.parametrize("partial", [False, True])
def test_a_fatal_answer_in_mid_run_stops_all_of_it_with_one_message_even_in_a_partial_run(server, tmp_path, partial):
    folder = runs.make(tmp_path / "run", server, 30, allow_partial=partial)
    server.plan.script = [None] * 12 + ["quota"] * 100
    output = runs.run(folder, ends=1, cores=4)
    assert server.calls <= 12 + 4
    assert len(re.findall("^error: ", output, re.MULTILINE)) <= 12, "not one failure for each verdict that is left"
    assert output.count("The run was stopped: judge big") == 1
    assert "The account's money or quota is used up: top it up, then start the run again" in output
    assert not (folder / "results/tables").exists()


def test_another_model_is_kept_not_scored_and_named_and_counts_once_it_is_accepted(server, tmp_path):
    folder = runs.make(tmp_path / "run", server, 2)
    server.plan.script = [None, None, None, "wrong_model"]
    output = runs.run(folder, ends=1)
    assert re.search(rf"judge-[ab] was asked, and {WRONG_MODEL} answered; .*accepted_ids", output)
    kept = [sha for sha in Store(folder / "store").names() if WRONG_MODEL in str(Store(folder / "store").get(sha).body)]
    assert len(kept) == 1
    assert not any(kept[0] in path.read_text() for path in (folder / "results/verdicts").rglob("*.json"))
    judges = json.loads((folder / "config/config.yaml").read_text())["judges"]
    runs.change(folder, judges={role: {**given, "accepted_ids": [WRONG_MODEL]} for role, given in judges.items()})
    runs.run(folder)
    assert server.calls == 4 + CHECKS
    rows = read_tsv(folder / "results/tables/answered.tsv")
    assert sorted(row["model_answered"] for row in rows) == sorted({"judge-a", "judge-b", WRONG_MODEL})
    note = (folder / "results/report/methodology.md").read_text()
    assert re.search(r"More than one snapshot answered for: big[12]\.", note)


def test_cores_may_be_far_above_the_processors_and_the_profile_limits_the_calls_to_each_judge(server, tmp_path):
    server.latency = 1.5
    folder = runs.make(tmp_path / "run", server, 20)
    runs.run(folder, runs.TABLES, "--resources", "calls_big1=3", "calls_big2=32", cores=40)
    assert server.most_in_flight["judge-a"] == 3
    assert 8 < server.most_in_flight["judge-b"] <= 20


def test_eight_cores_are_at_most_eight_calls_at_once(server, tmp_path):
    server.latency = 1
    runs.run(runs.make(tmp_path / "run", server, 12), runs.TABLES, cores=8)
    assert 4 < server.most_in_flight[""] <= 8


def test_the_log_gets_plain_lines_with_verdicts_calls_and_dollars(server, tmp_path):
    server.plan.script = [None] * 3 + ["status_500"]
    output = runs.run(runs.make(tmp_path / "run", server, 4), runs.TABLES)
    last = [line for line in output.splitlines() if line.startswith("judging: ")][-1]
    calls = "8 of 8 verdicts, 0 to do; 10 calls answered, 0 in flight; 1 in doubt"
    assert re.fullmatch(rf"judging: {calls}; \$0\.\d{{4}} spent, about \$0\.\d{{4}} in all", last)
    assert "\r" not in output


def test_a_terminal_gets_one_line_that_is_written_again_in_place(server, tmp_path):
    server.latency = 1
    folder = runs.make(tmp_path / "run", server, 4)
    leader, follower = pty.openpty()
    order = ["--snakefile", str(runs.PROJECT / "Snakefile"), "--directory", str(folder), "--cores", "2"]
    order.append(runs.TABLES)
    process = subprocess.Popen(
        [os.sys.executable, "-m", "snakemake", *order],
        stdout=follower,
        stderr=follower,
        cwd=runs.PROJECT,
        env={**os.environ, runs.KEY_NAME: runs.KEY},
    )
    os.close(follower)
    seen = b""
    while chunk := _read(leader):
        seen += chunk
    assert process.wait() == 0, seen[-2000:]
    written = re.findall(rb"\r\x1b\[2Kjudging: (\d) of 8 verdicts", seen)
    assert len(set(written)) >= 3 and written[-1] == b"8"
    for line in seen.replace(b"\r\n", b"\n").split(b"\n"):
        assert re.fullmatch(rb".*judging: [^\r]*|(?!.*judging: ).*|.*\r\x1b\[2K(?!judging).*", line), line


def _read(handle):
    try:
        return os.read(handle, 65536)
    except OSError:  # the other end of a terminal is gone
        return b""


def test_a_rejected_reply_is_asked_again_at_most_max_asks_times_and_never_bought_again(server, tmp_path):
    server.judge = lambda document, seed: "I would give this answer a 7 out of 10."
    folder = runs.make(tmp_path / "run", server, 1, max_asks=2)
    output = runs.run(folder, ends=1)
    assert "does not answer as it must, so nothing is judged: asked 2 times; the last reply was rejected" in output
    assert server.calls == 2 * CHECKS
    runs.run(folder, ends=1, key=None)
    assert (server.calls, len(list(Store(folder / "store").names()))) == (4, 4)


def test_every_ask_of_a_verdict_is_kept_and_paid_for(server, tmp_path):
    proper, asked = server.judge, []

    def judge(document, seed):
        asked.append(document)
        told = "An earlier reply to this request was rejected" in json.dumps(document)
        return proper(document, seed) if told or "ready" in json.dumps(document) else "Seven."

    server.judge = judge
    folder = runs.make(tmp_path / "run", server, 1)
    runs.run(folder, runs.TABLES)
    verdict = read_json(folder / "results/verdicts/optimum/mode/method-0/big1.json")
    costs = [attempt.cost for attempt in Journal(folder / "store").attempts() if attempt.judge == "big1"]
    assert (verdict["asks"], len(costs)) == (2, 3)
    assert verdict["cost_usd"] == sum(costs[1:])
    assert server.calls == len(set(server.seen)) == 4 + CHECKS
