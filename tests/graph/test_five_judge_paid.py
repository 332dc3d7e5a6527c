"""Five judges through a real HTTP API on loopback, and a real agent's patch: one run, hand-computed scores."""

import json
import re
import threading
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from workdirs import ROOT, exchanges, snakemake

from assay.files import read_json
from assay.sheets import read_tsv

SHARED = (ROOT / "../shared/agents/junit-marshmallow-1867").resolve()
TEST = "tests.test_serialization.TestFieldSerialization::test_timedelta_field"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-value = 1\n+value = 2\n"
CHALLENGE = "briefing: Make the value two.\nrubric: Look at the value.\nfamily: bugfix\n"
ROLES = {
    "process": "judge-p",
    "strategy1": "judge-c, family: claude",
    "strategy2": "judge-g, family: gpt",
    "strategy3": "judge-m, family: gemini",
    "recovery": "judge-r",
    "integrity": "judge-i",
}
# What each model gives overall: the first time it is asked about the run, and the second time.
SCORES = {
    "judge-p": ["80"],
    "judge-c": ["20", "60"],
    "judge-g": ["50", "66"],
    "judge-m": ["90", "72.5"],
    "judge-r": ["75", "74"],
}


class Judges(ThreadingHTTPServer):
    """Judges that point to real evidence, but for the first reply of Recovery, which points to nothing."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: dict[str, int] = {}
        self.lock = threading.Lock()
        self.bodies: list[str] = []


class Handler(BaseHTTPRequestHandler):
    """The chat API's shape."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode("utf-8")
        request = json.loads(body)
        with self.server.lock:
            self.server.bodies.append(body)
            reply = self.reply(request["model"], "\n".join(texts(request["messages"])), request)
        message = {"message": {"role": "assistant", "content": json.dumps(reply)}, "finish_reason": "stop", "index": 0}
        usage = {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000}
        made = json.dumps({"id": "x", "model": request["model"], "choices": [message], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(made)))
        self.end_headers()
        self.wfile.write(made)

    def reply(self, model: str, text: str, request: dict) -> dict:
        nonce = re.findall(r"nonce: ([0-9a-f]{32})", text)[-1]
        if '"ready"' in text:
            return {"nonce": nonce, "ready": "yes"}
        count = self.server.asked.get(model, 0)
        self.server.asked[model] = count + 1
        if model == "judge-i":
            return {"nonce": nonce, "findings": [], "rationale": "Nothing happened."}
        lost = model == "judge-r" and count == 0
        scores = SCORES[model]
        criteria = re.findall(r"^- (\w+) \(", text, re.MULTILINE)
        evidence = ["event:of-nothing"] if lost else [re.findall(r'"ref":"([^"]+)"', text)[0]]
        number = Decimal(scores[min(max(count - (model == "judge-r"), 0), len(scores) - 1)])
        overall = int(number) if number == int(number) else float(number)
        return {
            "nonce": nonce,
            "scores": dict.fromkeys(criteria, overall),
            "overall": overall,
            "rationale": "As the record shows.",
            "evidence": evidence,
        }


def texts(messages: list[dict]) -> Iterator[str]:
    for message in messages:
        parts = message["content"]
        yield from [parts] if isinstance(parts, str) else (part["text"] for part in parts)


@pytest.fixture
def judges() -> Iterator[Judges]:
    with Judges() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def one_run(work: Path, roles: str, config: str, files: dict[str, str]) -> Path:
    """Write a work directory with one challenge and one run of it."""
    bundle = work / "bundle"
    agents = "configurations: [{id: agent-x, title: Agent}]\n"
    write(bundle / "bundle.yaml", f"id: one\ntitle: One run\nprotocol: five-judge\n{agents}role_map: judges.yaml\n")
    write(bundle / "judges.yaml", f"configuration: judges\nfrozen: 2026-05-01\nroles:\n{roles}")
    head = "entry\tconfiguration\taccepted\treason\trun\tmodel_snapshot\tcost_usd\tminutes\tnotes\n"
    write(bundle / "captures.tsv", f"{head}challenge:one\tagent-x\tyes\t\truns/one\tmodel-x\t\t\t\n")
    row = "challenge:one\tchallenge\tOne\tchallenge.yaml\n"
    write(bundle / "catalogue.tsv", f"entry\tfamily\tname\tchallenge\n{row}")
    write(bundle / "challenge.yaml", CHALLENGE)
    for name, text in {"challenge.yaml": CHALLENGE, "build.json": '{"ok": true}\n', **files}.items():
        write(bundle / "runs/one" / name, text)
    write(work / "config/config.yaml", f"bundle: bundle\nrun: one-1\n{config}")
    return work


def lines(*rows: dict) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def ledger(work: Path) -> dict[str, str]:
    return read_tsv(work / "results/tables/ledger.tsv")[0]


def test_paid_judges_are_asked_again_for_evidence_that_is_not_there_and_fresh_verdicts_replace_a_split(
    judges, tmp_path
):
    address = f"http://127.0.0.1:{judges.server_port}/v1"
    roles = "".join(
        f"  {role}: {{model: {model}, provider: acme, route: openai-chat}}\n" for role, model in ROLES.items()
    )
    config = f'providers: {{acme: {{base_url: "{address}", key_env: JUDGE_KEY}}}}\n'
    times = [f"2026-05-01T09:0{minute}:00Z" for minute in range(3)]
    session = lines(
        {"id": "e1", "kind": "action", "time": times[0], "targets": ["a.py"], "purpose": "read"},
        {"id": "e2", "kind": "error", "time": times[1], "message": "it broke"},
        {"id": "e3", "kind": "patch", "time": times[2], "targets": ["a.py"]},
    )
    tests = '<testsuite><testcase name="one"/><testcase name="two"/></testsuite>'
    suites = {"tests/static.xml": tests, "tests/hidden.xml": tests}
    work = one_run(tmp_path / "work", roles, config, {"changes.diff": DIFF, "telemetry.jsonl": session, **suites})

    done = snakemake(work, JUDGE_KEY="sk-planted-canary")
    assert done.code == 0, done.text
    row = ledger(work)
    # 20, 50, 90 are all apart: mean 53.333333 less 10. Objective 100.
    # 50 + 17.5 % of 80 + 17.5 % of 43.333333 + 15 % of 75 = 50 + 14 + 7.583333275 + 11.25; Recovery was asked twice.
    assert (row["strategy_score"], row["panel_case"], row["final"]) == ("43.333333", "3", "82.833333275")
    assert read_json(work / "results/verdicts/agent-x/challenge/one/recovery.json")["asks"] == 2
    assert judges.asked == {**dict.fromkeys(SCORES, 1), "judge-r": 2, "judge-i": 1}
    assert len(exchanges(work)) == 6 + 7
    told = [body for body in judges.bodies if "event:of-nothing" in body]
    assert len(told) == 1 and "is not in the record" in told[0]

    done = snakemake(work, "adjudicate", JUDGE_KEY="sk-planted-canary")
    assert done.code == 0, done.text
    row = ledger(work)
    # Process and Recovery stand (74 is within 10 of 75). 60, 66, 72.5 are within 15, so their median replaces 43.33.
    assert (row["strategy_score"], row["panel_case"], row["recovery_score"]) == ("66", "1", "75")
    assert row["adjudication"] == "process:stands strategy:replaced recovery:stands"
    assert row["final"] == "86.8"  # 50 + 14 + 11.55 + 11.25
    assert row["strategy3"] == "72.5"
    for body in judges.bodies:
        assert "agent-x" not in body and "model-x" not in body and "43.333333" not in body
    assert snakemake(work, "--dry-run").nothing


def test_a_real_patch_whose_claim_its_tests_contradict_is_scored(tmp_path):
    if not SHARED.exists():
        pytest.skip(f"REAL RECORDINGS ABSENT: {SHARED} is not there, so this test proves nothing here")
    claim = "The TimeDelta serialization issue is fixed: values are rounded to the nearest integer."
    session = lines(
        {"id": "p", "kind": "patch", "time": None, "targets": ["src/marshmallow/fields.py"]},
        {
            "id": "c",
            "kind": "claim",
            "time": None,
            "text": claim,
            "confidence": "high",
            "about": "test_timedelta_field",
        },
    )
    models = dict.fromkeys(("process", "recovery", "integrity"), "rules-1")
    models |= {f"strategy{n}": f"strategy-{m}-1, family: {m}" for n, m in enumerate(("words", "outcome", "both"), 1)}
    roles = "".join(f"  {role}: {{model: {m}, provider: embedded, route: embedded}}\n" for role, m in models.items())
    files = {
        "changes.diff": (SHARED / "agent.patch").read_text("utf-8"),
        "tests/hidden.xml": (SHARED / "after_agent_patch.xml").read_text("utf-8"),
        "tests/severity.tsv": f"test\tlevel\n{TEST}\tcritical\n",
        "telemetry.jsonl": session,
    }
    work = one_run(tmp_path / "work", roles, "", files)
    done = snakemake(work)
    assert done.code == 0, done.text
    row = ledger(work)
    # 275 tests, the critical one (weight 3) fails: 274 of 277; no model's praise lifts it, and the claim costs 5.
    assert (row["objective_score"], row["anchor_active"], row["triggers"]) == (
        "98.916968",
        "yes",
        "false_confidence:-5",
    )
    scores = [
        (row[f"{judge}_score"], row[f"{judge}_weight"]) for judge in ("objective", "process", "strategy", "recovery")
    ]
    weighted = sum(Decimal(score) * Decimal(weight) / 100 for score, weight in scores)
    assert Decimal(row["final"]) == min(weighted, Decimal("98.916968")) - 5
    page = (work / "results/report/runs/agent-x/challenge/one.md").read_text("utf-8")
    assert (
        "no event says whether it reads or searches" in page and "False confidence" in page and "assert 2 == 1" in page
    )
