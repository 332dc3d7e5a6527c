"""Planning: what is stored and what is to buy, what that costs at a known price, and `unknown` where it is not."""

import json
from decimal import Decimal

import pytest

from assay.canonical import canonical, sha256
from assay.cost import Price
from assay.judging import packet_question, request_for
from assay.packet import build_packet
from assay.planning import ASSUMED_OUTPUT_TOKENS, BYTES_PER_TOKEN, COLUMNS, plan_item, plan_row, verdict_state
from assay.protocol import read_protocol, rubric
from assay.store import Store

CARD = dict.fromkeys(
    ("entry", "family", "technique", "target", "source", "configuration", "model_snapshot", "notes"), "x"
)
CARD |= {"rubric": rubric(read_protocol("performance"))}
IDENTITY = {
    "judge": "big1",
    "model": "judge-1",
    "provider": "acme",
    "route": "openai-chat",
    "parameters": {"max_completion_tokens": 1000},
    "response_format": "schema",
}
CRITERIA = ("fidelity", "soundness", "completeness", "relevance", "calibration")
PRICE = Price(input=Decimal(2), output=Decimal(10))
NOW = ("2026-12-01T00:00:00Z", "2026-12-01T00:00:09Z")


def question(answer="An answer."):
    return packet_question(build_packet(CARD, "A prompt.", "A specification.", answer, None), "big1")


def keep(store, asked, text, ask=1, rejected="", output=200):
    request = request_for(IDENTITY, asked, ask, rejected)
    body = {
        "id": "c",
        "object": "chat.completion",
        "model": "judge-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": output, "total_tokens": 1000 + output},
    }
    store.put(request, 200, {"content-type": "application/json"}, json.dumps(body).encode(), *NOW)


def good(asked):
    scores, notes = dict.fromkeys(CRITERIA, 7.5), dict.fromkeys(CRITERIA, "n")
    return json.dumps({"nonce": asked.nonce, "scores": scores, "notes": notes, "impression": "i"})


def item(store, asked, price=PRICE):
    return plan_item(IDENTITY, asked, store, 3, lambda day, tier: price)


def test_nothing_stored_is_all_to_buy(tmp_path):
    store, asked = Store(tmp_path), question()
    row = plan_row(IDENTITY, [item(store, asked)], PRICE)
    tokens = len(canonical(request_for(IDENTITY, asked)["messages"]).encode()) // BYTES_PER_TOKEN
    assert list(row) == COLUMNS
    assert (row["verdicts"], row["stored"], row["to_buy"]) == ("1", "0", "1")
    assert (row["input_tokens"], row["output_tokens"]) == (str(tokens), str(ASSUMED_OUTPUT_TOKENS))
    exact = (Decimal(tokens) * 2 + ASSUMED_OUTPUT_TOKENS * 10) / 1_000_000
    assert abs(Decimal(row["usd_estimate"]) - exact) <= Decimal("0.00005")
    assert Decimal(row["usd_at_most"]) > Decimal(row["usd_estimate"])
    assert row["usd_spent"] == "0.0000"
    assert verdict_state(IDENTITY, asked, store, 3) == "buy"


def test_a_stored_verdict_is_replayed_and_costs_nothing_more(tmp_path):
    store, asked = Store(tmp_path), question()
    keep(store, asked, good(asked))
    row = plan_row(IDENTITY, [item(store, asked)], PRICE)
    assert (row["stored"], row["to_buy"], row["usd_estimate"], row["usd_at_most"]) == ("1", "0", "0.0000", "0.0000")
    assert row["usd_spent"] == "0.0040"
    assert verdict_state(IDENTITY, asked, store, 3) == "replay"


def test_stored_replies_say_how_long_the_next_ones_may_be(tmp_path):
    store, first, second = Store(tmp_path), question(), question("Another answer.")
    keep(store, first, good(first), output=300)
    row = plan_row(IDENTITY, [item(store, first), item(store, second)], PRICE)
    assert (row["stored"], row["to_buy"], row["output_tokens"]) == ("1", "1", "300")


def test_a_rejected_reply_is_asked_again_and_was_paid_for(tmp_path):
    store, asked = Store(tmp_path), question()
    keep(store, asked, "no JSON at all")
    row = plan_row(IDENTITY, [item(store, asked)], PRICE)
    assert (row["stored"], row["to_buy"], row["usd_spent"]) == ("0", "1", "0.0040")
    assert verdict_state(IDENTITY, asked, store, 3) == "buy, ask 2"
    assert verdict_state(IDENTITY, asked, store, 1) == "replay, invalid"


@pytest.mark.parametrize("column", ["usd_estimate", "usd_at_most"])
def test_an_unknown_price_is_unknown_and_never_0(tmp_path, column):
    assert plan_row(IDENTITY, [item(Store(tmp_path), question())], None)[column] == "unknown"


def test_an_unknown_price_makes_what_was_spent_unknown(tmp_path):
    store, asked = Store(tmp_path), question()
    keep(store, asked, good(asked))
    assert plan_row(IDENTITY, [item(store, asked, None)], None)["usd_spent"] == "unknown"


def test_nothing_bounds_the_cost_without_an_output_limit(tmp_path):
    identity = {**IDENTITY, "parameters": {}}
    found = plan_item(identity, question(), Store(tmp_path), 3, lambda day, tier: PRICE)
    row = plan_row(identity, [found], PRICE)
    assert row["usd_at_most"] == "unknown" and row["usd_estimate"] != "unknown"


def test_the_baseline_costs_nothing(tmp_path):
    identity = {**IDENTITY, "route": "embedded", "model": "coverage-words-1", "parameters": {}}
    found = plan_item(identity, question(), Store(tmp_path), 3, lambda day, tier: None)
    row = plan_row(identity, [found], None)
    assert (row["to_buy"], row["input_tokens"], row["output_tokens"]) == ("1", "0", "0")
    assert {row[name] for name in ("usd_estimate", "usd_at_most", "usd_spent")} == {"0.0000"}


def test_planning_writes_nothing(tmp_path):
    item(Store(tmp_path / "store"), question())
    assert list(tmp_path.iterdir()) == []


def test_a_changed_answer_is_another_request():
    assert sha256(request_for(IDENTITY, question())) != sha256(request_for(IDENTITY, question("Another.")))
