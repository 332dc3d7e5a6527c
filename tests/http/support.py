"""Requests and judges for the tests, and a process of its own that buys answers."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from assay import problems
from assay.buying.buy import answer
from assay.buying.journal import Journal, ever_in_doubt, in_doubt
from assay.buying.settings import JudgeSettings
from assay.canonical import sha256
from assay.cost import Price
from assay.packages import find_packages
from assay.routes import route
from assay.store import Store

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
KEY = "sk-test-PLANTED/key+0123456789=="
ENVIRON = {"JUDGE_KEY": KEY}
PRICE = Price(input=Decimal(1), output=Decimal(10))
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["nonce", "score"],
    "properties": {"nonce": {"type": "string"}, "score": {"type": "number", "minimum": 0, "maximum": 10}},
}
PATHS = {"gemini": "/v1beta"}


def request(number: int, route: str = "openai-chat", **changes: object) -> dict:
    """Return a small request; another number is another request."""
    text = f"Judge answer {number}.\nnonce: {number:032x}"
    return {
        "format": "assay-request-1",
        "route": route,
        "model": "judge-1",
        "parameters": {"max_output_tokens": 200},
        "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}],
        "response_schema": SCHEMA,
        "ask": 1,
        **changes,
    }


def judge(address: str, route: str = "openai-chat", **changes: object) -> JudgeSettings:
    """Return a judge at a test server, with pauses short enough for a test."""
    settings = {
        "id": "big1",
        "route": route,
        "model": "judge-1",
        "base_url": address + PATHS.get(route, "/v1"),
        "key_env": "JUDGE_KEY",
        "connect_seconds": 2,
        "read_seconds": 1,
        "deadline_seconds": 2,
        "backoff_seconds": 0.02,
        "longest_backoff_seconds": 0.1,
        "price": PRICE,
    }
    return JudgeSettings(**{**settings, **changes})


def buy(store: Path, number: int, settings: JudgeSettings, **options):
    """Buy the answer to one request in this process."""
    wanted = request(number, settings.route)
    return answer(wanted, settings, {}, store, environ=ENVIRON, **options)


def start(
    store: Path, address: str, numbers: list[int], process_group: int | None = None, **changes: object
) -> subprocess.Popen:
    """Start a process that buys the answers to some requests, one after the other."""
    order = json.dumps({"address": address, "store": str(store), "numbers": numbers, "judge": changes})
    return subprocess.Popen(
        [sys.executable, "-S", __file__, order],  # without site packages, as the rules start it
        env={**os.environ, **ENVIRON, "PYTHONPATH": str(SCRIPTS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=process_group,
    )


def check_books(server, store_root: Path, numbers: Iterable[int]) -> int:
    """Every request has one stored answer, and was answered at most once more for each of its calls in doubt.

    Returns the number of calls in doubt.
    """
    store, journal = Store(store_root), Journal(store_root)
    chat = route("openai-chat")
    doubts = Counter(attempt.sha for attempt in ever_in_doubt(journal, store))
    for number in numbers:
        wanted = request(number)
        body = chat.http_call(wanted, server.address + "/v1", {}).body
        assert store.get(sha256(wanted)) is not None
        assert 1 <= server.answered[sha256(body)] <= 1 + doubts[sha256(wanted)]
        assert server.seen[sha256(body)] <= len(journal.attempts(sha256(wanted)))
    assert len(list(store.names())) == len(server.answered) == len(numbers)
    assert in_doubt(journal, store) == []
    return doubts.total()


def main() -> None:
    find_packages()
    order = json.loads(sys.argv[1], parse_float=float)
    if "budget_usd" in order["judge"]:
        order["judge"]["budget_usd"] = Decimal(order["judge"]["budget_usd"])
    settings = judge(order["address"], **{"max_doubtful": 10, **order["judge"]})
    for number in order["numbers"]:
        print(buy(Path(order["store"]), number, settings).sha, flush=True)


if __name__ == "__main__":
    problems.run(main)
