"""Asking a judge again: numbered in the request, replayed from the store, and every reply that was paid for is kept."""

import json
import tempfile
from contextlib import chdir
from decimal import Decimal
from pathlib import Path

import pytest
from answers import verdict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server import running

from assay.buying.journal import Journal
from assay.judging import NoVerdict, Question, ask_judge, stored_asks
from assay.reading import Fields, Nonce, Score
from assay.store import Store

NONCE = "ab" * 16
QUESTION = Question(
    [{"role": "user", "content": [{"type": "text", "text": f"How good is it? nonce: {NONCE}"}]}],
    {},
    Fields({"nonce": Nonce(), "score": Score(Decimal(0), Decimal(10))}),
    NONCE,
)
# What a judge may do instead of answering as it must; None is a proper reply.
REPLIES = [
    None,
    "",
    "Eight, I would say.",
    '{"nonce": "' + NONCE + '"}',
    '{"nonce": "' + NONCE + '", "score": 11}',
    '{"nonce": "0", "score": 8}',
    '{"nonce": "' + NONCE + '", "score": 8, "more": 1}',
]


@pytest.fixture(scope="module")
def server():
    with running() as server:
        yield server


def panel(server, most: int) -> dict:
    identity = {"judge": "big1", "model": "judge-1", "route": "openai-chat", "provider": "test"}
    identity |= {"parameters": {"max_output_tokens": 200}, "response_format": "schema", "prompt_version": 1}
    price = {"models": ["judge-1"], "from": "2020-01-01", "to": "2999-12-31", "input": "1", "output": "10"}
    entry = {"identity": identity, "prices": {"prices": [price]}, "settings": {}}
    entry["provider"] = {"base_url": f"{server.address}/v1", "key_env": "ASK_KEY"}
    return {"judges": [entry], "budget_usd": None, "max_asks": most, "in_doubt": "resend", "allow_partial": False}


def outcome(panel: dict) -> tuple:
    """Ask, and return the value and the number of asks, or why there is none."""
    try:
        answered = ask_judge(panel, "big1", QUESTION)
    except NoVerdict as error:
        return error.state, str(error)
    exchanges = (*answered.rejected, answered.exchange)
    assert [exchange.request["ask"] for exchange in exchanges] == list(range(1, answered.asks + 1))
    return answered.value, answered.asks


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    replies=st.lists(st.sampled_from(REPLIES), min_size=6, max_size=6), most=st.integers(1, 4), more=st.integers(0, 2)
)
def test_asks_are_numbered_replayed_and_kept(server, monkeypatch, replies, most, more):
    queue = list(replies)

    def judge(document, seed):
        reply = queue.pop(0)
        return verdict(document, seed) if reply is None else reply

    server.judge, before = judge, server.calls
    monkeypatch.setenv("ASK_KEY", "sk-ask-0123456789")
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        bought = outcome(panel(server, most))
        first = next((number for number, reply in enumerate(replies, 1) if reply is None), len(replies) + 1)
        asked = min(first, most)
        assert server.calls - before == asked
        assert (bought[0] == "invalid") == (first > most)

        monkeypatch.delenv("ASK_KEY")
        assert outcome(panel(server, most)) == bought, "it replays without key and network"
        monkeypatch.setenv("ASK_KEY", "sk-ask-0123456789")

        again = outcome(panel(server, most + more))
        asked = min(first, most + more)
        assert server.calls - before == asked, "a raised max_asks goes on where it was"
        assert again == bought or bought[0] == "invalid"

        kept = [
            exchange
            for _, exchange in stored_asks(panel(server, 9)["judges"][0]["identity"], QUESTION, Store("store"), 9)
        ]
        kept = [exchange for exchange in kept if exchange is not None]
        assert [exchange.request["ask"] for exchange in kept] == list(range(1, asked + 1))
        assert len(list(Store("store").names())) == asked
        for exchange, reply in zip(kept, replies, strict=False):
            text = json.loads(exchange.body)["choices"][0]["message"]["content"]
            assert text == reply if reply is not None else json.loads(text)["nonce"] == NONCE
        attempts = Journal(Path("store")).attempts()
        assert [attempt.state for attempt in attempts] == ["stored"] * asked
        assert len({attempt.sha for attempt in attempts}) == asked


def test_a_judge_is_told_why_its_reply_was_rejected_and_each_ask_is_another_request(server, monkeypatch, tmp_path):
    seen = []

    def judge(document, seed):
        seen.append(document["messages"][-1]["content"])
        return verdict(document, seed) if len(seen) == 3 else "Eight." if len(seen) == 1 else ""

    server.judge = judge
    monkeypatch.setenv("ASK_KEY", "sk-ask-0123456789")
    monkeypatch.chdir(tmp_path)
    value, asks = outcome(panel(server, 3))
    assert (asks, value["nonce"]) == (3, NONCE)
    told = [str(content).partition("An earlier reply to this request was rejected: ")[2] for content in seen]
    assert told[0] == "" and "not one JSON object" in told[1] and "the reply is empty" in told[2]
