"""Each route reads what its API documents: answer, end, model, usage, cost, and every envelope that was reported."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cost import cost_usd
from assay.model_match import matches
from assay.routes import ROUTES, route
from assay.routes.shapes import Failure, Reply, Usage

APIS = (Path(__file__).parents[2] / "../shared/faults/apis.md").resolve()
CHAT, RESPONSES, CLAUDE, GEMINI = ROUTES

# name -> route, asked model, what must follow: an action, or (end, text, problem with the model)
ENVELOPES = {
    "openai_ok": (CHAT, "gpt-5.4-mini-2026-03-17", ("stop", "{…}", "")),
    "openai_budget_eaten": (CHAT, "m", ("length", None, "")),
    "openai_refusal": (CHAT, "m", ("refusal", None, "")),
    "openai_tool_call": (CHAT, "m", ("tool_calls", None, "")),
    "openai_quota": (CHAT, "m", "stop_run"),
    "openai_rate": (CHAT, "m", "wait"),
    "wrong_model": (CHAT, "gpt-4o", ("stop", "{…}", "wrong_model")),
    "no_model": (CHAT, "m", ("stop", "{…}", "model_unknown")),
    "content_parts": (CHAT, "m", ("stop", "{……}", "")),
    "reasoning_holds_json": (CHAT, "m", ("empty", None, "")),
    "two_choices": (CHAT, "m", ("other", None, "")),
    "or_200_error": (CHAT, "m", "in_doubt"),
    "or_choice_error": (CHAT, "m", "in_doubt"),
    "or_no_choices": (CHAT, "m", ("empty", None, "")),
    "or_fallback": (CHAT, "m", ("stop", "{…}", "wrong_model")),
    "or_cache_hit": (CHAT, "m", ("stop", "{…}", "")),
    "or_capacity": (CHAT, "m", "wait"),
    "resp_incomplete": (RESPONSES, "m", ("length", None, "")),
    "resp_failed_200": (RESPONSES, "m", "in_doubt"),
    "resp_commentary_then_final": (RESPONSES, "m", ("stop", "{…}", "")),
    "anthropic_ok_thinking": (CLAUDE, "claude-opus-5-5", ("stop", "{…}", "")),
    "anthropic_refusal": (CLAUDE, "claude-opus-5-5", ("refusal", None, "")),
    "anthropic_fallback": (CLAUDE, "claude-opus-5-5", ("stop", "{…}", "wrong_model")),
    "anthropic_temperature": (CLAUDE, "m", "stop_judge"),
    "anthropic_spend": (CLAUDE, "m", "stop_run"),
    "anthropic_overloaded": (CLAUDE, "m", "wait"),
    "gemini_no_parts": (GEMINI, "gemini-3.8-flash", ("length", None, "")),
    "gemini_stop_no_parts": (GEMINI, "m", ("empty", None, "")),
    "gemini_blocked": (GEMINI, "m", ("content_filter", None, "")),
    "gemini_thought_part": (GEMINI, "m", ("stop", "{…}", "")),
    "gemini_continuation": (GEMINI, "m", ("length", '{"scores"', "")),
    "gemini_429_list": (GEMINI, "m", "wait"),
    "azure_filter": (CHAT, "m", "blocked"),
    "html_200": (CHAT, "m", "in_doubt"),
    "cut_body": (CHAT, "m", "in_doubt"),
    "ollama_truncated_prompt": (CHAT, "qwen3:14b", ("stop", "{…}", "")),
}


def recorded():
    """The synthetic envelopes beside the project, by name."""
    if not APIS.exists():
        return {}
    lines = (
        APIS.read_text("utf-8").partition("### A13.")[2].partition("```jsonl\n")[2].partition("\n```")[0].splitlines()
    )
    return {line["n"]: line for line in map(json.loads, lines)}


def read(name, status, body, headers=None, now=None):
    data = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8")
    return route(name).read_reply(status, headers or {}, data, now)


def test_every_recorded_envelope_is_tested():
    if not recorded():
        pytest.skip(f"{APIS} IS MISSING: the recorded envelopes are not tested")
    assert set(recorded()) == set(ENVELOPES)


@pytest.mark.parametrize("name", ENVELOPES)
def test_recorded_envelopes(name):
    if not recorded():
        pytest.skip(f"{APIS} IS MISSING: the recorded envelopes are not tested")
    line = recorded()[name]
    api, asked, expected = ENVELOPES[name]
    body = line["body"] if isinstance(line["body"], (dict, list)) else line["body"].encode("utf-8")
    got = read(api, line["status"], body, line.get("headers"))
    if isinstance(expected, str):
        assert isinstance(got, Failure) and got.action == expected, got
        return
    assert isinstance(got, Reply), got
    assert (got.finish, got.text, matches(asked, (), got).partition(":")[0]) == expected


def chat(content="{}", usage=None, reason="stop", message=None, **more):
    """A chat completion."""
    choice = {
        "index": 0,
        "finish_reason": reason,
        "message": {"role": "assistant", "content": content, **(message or {})},
    }
    return {"id": "c-1", "model": "m", "choices": [choice], **({"usage": usage} if usage else {}), **more}


def test_openai_chat_reply_in_full():
    details = {"prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 50}}
    usage = {"prompt_tokens": 900, "completion_tokens": 120, "total_tokens": 1020, **details}
    usage["completion_tokens_details"] = {"reasoning_tokens": 64}
    body = chat("{…}", usage, system_fingerprint="fp_1", service_tier="flex")
    assert read(CHAT, 200, body) == Reply(
        text="{…}",
        finish="stop",
        models=("m",),
        fingerprint="fp_1",
        response_id="c-1",
        usage=Usage(900, 100, 50, 120, 64),
        service_tier="flex",
    )


def test_reasoning_that_is_counted_beside_the_completion_is_billed_as_output():
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 45}
    usage["completion_tokens_details"] = {"reasoning_tokens": 30}
    assert read(CHAT, 200, chat(usage=usage)).usage == Usage(10, None, None, 35, 30)


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content", "reasoning_details"])
def test_reasoning_is_never_read_as_the_answer(key):
    reply = read(CHAT, 200, chat(None, message={key: '{"scores": 1}'}))
    assert (reply.text, reply.finish) == (None, "empty") and "reasoning" in reply.detail


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("function_call", "tool_calls"),
        (None, "other"),
        ("x", "other"),
    ],
)
def test_only_stop_is_a_whole_answer(reason, finish):
    assert read(CHAT, 200, chat("{}", reason=reason)).finish == finish


def test_a_cut_answer_says_what_ate_the_limit():
    usage = {"prompt_tokens": 1, "completion_tokens": 200, "completion_tokens_details": {"reasoning_tokens": 199}}
    reply = read(CHAT, 200, chat("", usage, "length"))
    assert reply.finish == "length" and "199 of 200" in reply.detail and reply.usage.output == 200


def test_openrouter_reply_names_provider_cost_and_every_model():
    ends = [{"provider": "A", "model": "other", "selected": False}, {"provider": "B", "model": "m", "selected": True}]
    meta = {"endpoints": {"available": ends}, "pipeline": [{"type": "guardrail", "name": "content-filter"}]}
    body = json.dumps(chat(openrouter_metadata=meta)).replace(
        '"id"', '"usage":{"cost":0.00014,"prompt_tokens":3},"id"', 1
    )
    reply = read(CHAT, 200, body.encode())
    assert (reply.provider, reply.models, reply.cost_usd) == ("B", ("m",), Decimal("0.00014"))
    ends[0]["selected"] = True
    reply = read(CHAT, 200, chat(openrouter_metadata=meta))
    assert reply.models == ("other", "m") and matches("m", (), reply).startswith("wrong_model")


@pytest.mark.parametrize("stage", ["context-compression", "response-healing", "web"])
def test_an_answer_that_openrouter_has_altered_is_not_scored(stage):
    meta = {"pipeline": [{"type": "plugin", "name": stage}]}
    reply = read(CHAT, 200, chat(openrouter_metadata=meta))
    assert reply.finish == "other" and stage in reply.detail


def test_the_own_key_fee_of_openrouter_is_not_the_whole_cost():
    usage = {"cost": 1, "is_byok": True}
    assert read(CHAT, 200, chat(usage=usage)).cost_usd is None
    usage["cost_details"] = {"upstream_inference_cost": 4}
    assert read(CHAT, 200, chat(usage=usage)).cost_usd == 5


def test_a_cached_answer_of_openrouter_costs_nothing_and_names_its_source():
    headers = {"x-openrouter-cache-status": "HIT", "X-OpenRouter-Cache-Source-Id": "gen-0"}
    reply = read(CHAT, 200, chat(usage={"prompt_tokens": 0, "completion_tokens": 0}), headers)
    assert cost_usd(reply.usage, None, reply.cost_usd) == 0 and "gen-0" in reply.detail


def test_a_partial_answer_that_ends_in_an_overload_is_in_doubt():
    choice = {"finish_reason": "error", "message": {"content": "{"}, "error": {"code": 503, "message": "overloaded"}}
    assert read(CHAT, 200, {"model": "m", "choices": [choice]}).action == "in_doubt"
    choice["message"]["content"] = ""
    assert read(CHAT, 200, {"model": "m", "choices": [choice]}).action == "wait"
    del choice["error"]
    assert read(CHAT, 200, {"model": "m", "choices": [choice]}).action == "in_doubt"


def test_openai_responses_reply_in_full():
    usage = {"input_tokens": 900, "input_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2}}
    usage |= {"output_tokens": 800, "output_tokens_details": {"reasoning_tokens": 700}, "total_tokens": 1700}
    parts = [{"type": "output_text", "text": "{"}, {"type": "output_text", "text": "}"}]
    output = [{"type": "reasoning", "summary": []}, {"type": "message", "content": parts}]
    body = {"id": "resp_1", "status": "completed", "model": "m", "error": None, "output": output, "usage": usage}
    expected = Reply("{}", "stop", models=("m",), response_id="resp_1", usage=Usage(900, 1, 2, 800, 700))
    assert read(RESPONSES, 200, body) == expected
    parts.append({"type": "refusal", "refusal": "no"})
    assert read(RESPONSES, 200, body).finish == "refusal"


@pytest.mark.parametrize(
    ("change", "finish"),
    [
        ({"output": []}, "empty"),
        ({"output": [{"type": "web_search_call"}]}, "tool_calls"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "incomplete", "incomplete_details": {"reason": "steered"}}, "other"),
        ({"status": "incomplete", "incomplete_details": None}, "other"),
        ({"status": "cancelled"}, "other"),
    ],
)
def test_openai_responses_other_ends(change, finish):
    message = {"type": "message", "content": [{"type": "output_text", "text": "{}"}]}
    assert read(RESPONSES, 200, {"status": "completed", "model": "m", "output": [message], **change}).finish == finish


@pytest.mark.parametrize(
    ("body", "action"),
    [
        ({"status": "in_progress", "output": []}, "in_doubt"),
        ({"status": "failed", "error": {"code": "rate_limit_exceeded"}, "output": []}, "wait"),
        ({"status": "failed", "error": {"code": "invalid_prompt"}, "output": []}, "blocked"),
        ({"status": "failed", "error": {"code": "bio_policy"}, "output": []}, "blocked"),
        ({"status": "failed", "error": None, "output": []}, "in_doubt"),
    ],
)
def test_openai_responses_that_failed(body, action):
    assert read(RESPONSES, 200, body).action == action


def test_anthropic_reply_in_full():
    usage = {"input_tokens": 900, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 3, "output_tokens": 150}
    usage |= {"output_tokens_details": {"thinking_tokens": 90}, "service_tier": "standard"}
    blocks = [
        {"type": "thinking", "thinking": '{"scores": 1}'},
        {"type": "text", "text": "{"},
        {"type": "text", "text": "}"},
    ]
    body = {
        "id": "msg_1",
        "type": "message",
        "model": "m",
        "content": blocks,
        "stop_reason": "end_turn",
        "usage": usage,
    }
    usage_read = Usage(923, 3, 20, 150, 90)
    expected = Reply("{}", "stop", models=("m",), response_id="msg_1", usage=usage_read, service_tier="standard")
    assert read(CLAUDE, 200, body) == expected
    body["usage"]["iterations"] = [{"type": "message", "model": "m"}, {"type": "fallback_message"}]
    assert matches("m", (), read(CLAUDE, 200, body)).startswith("wrong_model")
    del body["usage"]["iterations"]
    blocks.append({"type": "fallback", "from": {"model": "m"}, "to": {"model": "n"}})
    assert read(CLAUDE, 200, body).models == ("n", "m")


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("pause_turn", "other"),
        ("stop_sequence", "other"),
        (None, "other"),
    ],
)
def test_anthropic_other_ends(reason, finish):
    body = {"model": "m", "content": [{"type": "text", "text": "{}"}], "stop_reason": reason}
    assert read(CLAUDE, 200, body).finish == finish
    assert read(CLAUDE, 200, {"model": "m", "content": [], "stop_reason": "end_turn"}).finish == "empty"


def test_a_refusal_of_anthropic_says_its_category():
    details = {"type": "refusal", "category": "frontier_llm", "explanation": None}
    body = {"model": "m", "content": [], "stop_reason": "refusal", "stop_details": details}
    assert "frontier_llm" in read(CLAUDE, 200, body).detail


def test_gemini_reply_in_full():
    usage = {"promptTokenCount": 900, "cachedContentTokenCount": 100, "candidatesTokenCount": 50}
    usage |= {"thoughtsTokenCount": 200, "totalTokenCount": 1150}
    parts = [{"text": "draft", "thought": True}, {"text": "{"}, {"text": "}"}]
    body = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "usageMetadata": usage}
    body |= {"modelVersion": "m", "responseId": "r"}
    usage_read = Usage(900, 100, None, 250, 200)
    assert read(GEMINI, 200, body) == Reply("{}", "stop", models=("m",), response_id="r", usage=usage_read)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "tool_calls"),
        ("OTHER", "other"),
        ("ESCALATION", "other"),
        (None, "other"),
        ("NEW_IN_2027", "other"),
        ("MAX_TOKENS", "length"),
    ],
)
def test_gemini_other_ends(reason, finish):
    body = {"candidates": [{"content": {"parts": [{"text": "{}"}]}, "finishReason": reason}], "modelVersion": "m"}
    assert read(GEMINI, 200, body).finish == finish
    two = {"candidates": [*body["candidates"]] * 2, "modelVersion": "m"}
    assert read(GEMINI, 200, two).finish == "other"


def test_gemini_bills_thoughts_and_knows_when_nothing_was_produced():
    thoughts = {"promptTokenCount": 1706, "thoughtsTokenCount": 2999, "totalTokenCount": 4705}
    assert read(GEMINI, 200, {"usageMetadata": thoughts}).usage.output == 2999
    assert read(GEMINI, 200, {"usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9}}).usage.output == 0
    assert read(GEMINI, 200, {"usageMetadata": {"promptTokenCount": 9}}).usage.output is None


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"  \n",
        b"<html>",
        b'{"id":"x","cho',
        b"[]",
        b"[1, 2]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b'data: {"a":1}\n\n',
        b'{"model":"m","model":"n","choices":[]}',
        b"[" * 100000,
        b'{"a":1e99999999999999999999}',
    ],
)
def test_a_success_that_is_no_answer_is_in_doubt(name, body):
    assert read(name, 200, body).action == "in_doubt"


@pytest.mark.parametrize("name", ROUTES)
def test_an_error_inside_a_success_is_an_error(name):
    for error, action in (
        ({"code": 429, "message": "slow down"}, "wait"),
        ({"code": "502"}, "in_doubt"),
        ({"type": "overloaded_error", "message": "Overloaded"}, "wait"),
        ({"type": "authentication_error"}, "stop_run"),
        ({"code": "insufficient_quota"}, "stop_run"),
        ({"code": "model_not_found"}, "stop_judge"),
        ({"code": "content_filter"}, "blocked"),
        ({"type": "invalid_request_error"}, "stop_judge"),
        ("boom", "in_doubt"),
        (["boom"], "in_doubt"),
    ):
        got = read(name, 200, {"error": error, "choices": [], "output": [], "content": [], "candidates": []})
        assert got.action == action, error
        assert "inside HTTP 200" in got.message


def test_padding_and_statistics_without_value_and_a_list_of_one_are_read():
    body = b"\xef\xbb\xbf" + json.dumps(chat(timings={"x": float("nan")})).encode()
    assert read(CHAT, 200, body).finish == "stop"
    assert read(CHAT, 200, b"\r\n \n" + json.dumps([chat()]).encode()).finish == "stop"


KEYS = [
    "error",
    "code",
    "message",
    "choices",
    "output",
    "content",
    "candidates",
    "parts",
    "text",
    "usage",
    "type",
    "finish_reason",
    "stop_reason",
    "finishReason",
    "model",
    "modelVersion",
    "status",
    "details",
    "metadata",
    "availability",
    "usageMetadata",
    "promptFeedback",
    "iterations",
    "endpoints",
    "openrouter_metadata",
    "selected",
    "refusal",
    "retryDelay",
    "retry_after",
    "retryable",
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 600) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


@given(
    json_values,
    st.sampled_from(list(ROUTES)),
    st.integers(100, 599),
    st.dictionaries(st.just("Retry-After"), st.text()),
)
def test_no_body_of_any_shape_crashes_a_route(body, name, status, headers):
    got = read(name, status, body, headers)
    assert isinstance(got, (Reply, Failure))
    if isinstance(got, Reply):
        assert 200 <= status < 300 and (got.finish != "stop" or got.text)
