"""Looking up lost answers: only by an id that the API gave, and only a finished answer counts."""

import json
from decimal import Decimal

import pytest

from assay.buying.recover import Found, answer_id, look_up
from assay.buying.send import Answered, Lost

CHAT = "https://openrouter.ai/api/v1/chat/completions"
RESPONSES = "https://api.openai.com/v1/responses"


@pytest.mark.parametrize(
    ("route", "partial", "expected"),
    [
        ("openai-responses", Answered(200, {}, b'{"id": "resp_68af", "object": "resp'), "resp_68af"),
        ("openai-responses", Answered(200, {}, b'{"id": "resp_68a'), ""),
        ("openai-responses", Answered(500, {}, b'{"id": "resp_68af", "object": "resp'), ""),
        ("openai-responses", Answered(200, {}, b'{"output": {"id": "resp_68af"}}'), ""),
        ("openai-chat", Answered(200, {"x-generation-id": "gen-1-Ab"}, b""), "gen-1-Ab"),
        ("openai-chat", Answered(200, {"x-generation-id": "../key"}, b""), ""),
        ("openai-chat", Answered(200, {}, b""), ""),
        ("gemini", None, ""),
    ],
)
def test_the_id_of_a_lost_answer_is_taken_only_from_where_the_api_puts_it(route, partial, expected):
    assert answer_id(route, partial) == expected


def asked(replies):
    """Return a GET that gives the replies in turn, and the list of the addresses that it was asked for."""
    urls = []

    def get(url):
        urls.append(url)
        reply = replies.pop(0)
        return reply if isinstance(reply, Lost) else Answered(reply[0], {}, json.dumps(reply[1]).encode())

    return get, urls


def test_an_unfinished_response_is_asked_for_three_times_and_then_left():
    get, urls = asked([(404, {}), (200, {"status": "in_progress"}), Lost("reset")])
    waits = []
    assert look_up(RESPONSES, "resp_1", get, waits.append) == Found()
    assert (urls, waits) == ([f"{RESPONSES}/resp_1"] * 3, [1, 2])


def test_a_finished_response_is_the_answer_itself():
    get, _ = asked([(404, {}), (200, {"status": "completed", "output": []})])
    found = look_up(RESPONSES, "resp_1", get, lambda tries: None)
    assert json.loads(found.answer.body) == {"status": "completed", "output": []}


def test_openrouter_without_stored_text_still_says_the_cost():
    get, urls = asked([(200, {"data": {"total_cost": 0.0123, "model": "m"}}), (404, {})])
    assert look_up(CHAT, "gen-1", get, lambda tries: None) == Found(cost=Decimal("0.0123"))
    assert urls[0] == "https://openrouter.ai/api/v1/generation?id=gen-1"


@pytest.mark.parametrize(
    "content", [{"data": {"output": {"completion": ""}}}, {"data": None}, [], {"data": {"output": ["text"]}}]
)
def test_openrouter_content_of_another_shape_is_no_answer(content):
    get, _ = asked([(200, {"data": {"total_cost": 0, "model": "m"}}), (200, content)])
    assert look_up(CHAT, "gen-1", get, lambda tries: None).answer is None


def test_a_cancelled_generation_is_no_answer():
    record = {"total_cost": 0.1, "cancelled": True, "model": "m"}
    get, _ = asked([(200, {"data": record}), (200, {"data": {"output": {"completion": "half"}}})])
    assert look_up(CHAT, "gen-1", get, lambda tries: None) == Found(cost=Decimal("0.1"))
