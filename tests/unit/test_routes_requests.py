"""Each route writes a request in the form that its API documents."""

import base64
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from route_requests import PNG, SHA, asked_again, body_of, request

from assay.problems import UserError
from assay.routes import ROUTES, route
from assay.routes.parameters import check_parameters, output_limit

DATA = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
NEUTRAL = {"max_output_tokens": 4000, "reasoning_effort": "low"}
CHAT, RESPONSES, CLAUDE, GEMINI = ROUTES
OPENAI = "https://api.openai.com/v1"


def strict(ranges):
    """The schema of the test's contract as a strict API must get it, with or without ranges."""
    bounds = {"minimum": 0, "maximum": 10} if ranges else {}
    lengths = {"minItems": 1, "maxItems": 9} if ranges else {}
    number = {"type": "number", **bounds}
    scores = {
        "type": "object",
        "properties": {"minimum": number},
        "required": ["minimum"],
        "additionalProperties": False,
    }
    nonce = {"type": "string", "description": "the nonce of this packet, copied exactly"}
    properties = {"nonce": nonce, "scores": scores, "refs": {"type": "array", "items": {"type": "string"}, **lengths}}
    required = ["nonce", "refs", "scores"]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def call(name, base, made, images=None):
    return route(name).http_call(made, base, images or {})


def test_openai_chat_as_documented():
    made = call("openai-chat", OPENAI, request("openai-chat", parameters=NEUTRAL, image=True), {SHA: PNG})
    assert made.url == "https://api.openai.com/v1/chat/completions"
    assert made.headers == {"content-type": "application/json", "accept": "application/json"}
    text = {"type": "text", "text": "Judge this: é"}
    assert body_of(made) == {
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "You are a judge."},
            {"role": "user", "content": [text, {"type": "image_url", "image_url": {"url": DATA}}]},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": strict(ranges=True)},
        },
        "max_completion_tokens": 4000,
        "reasoning_effort": "low",
    }


@pytest.mark.parametrize(
    ("base", "field"),
    [
        (OPENAI, "max_completion_tokens"),
        ("https://x.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://127.0.0.1:8080/v1", "max_tokens"),
        ("https://notopenai.com/v1", "max_tokens"),
    ],
)
def test_the_limit_has_the_name_that_the_server_reads(base, field):
    body = body_of(call("openai-chat", base, request("openai-chat", parameters={"max_output_tokens": 9})))
    assert {key: value for key, value in body.items() if "tokens" in key} == {field: 9}


def test_openrouter_is_pinned_and_its_plugins_are_off():
    parameters = {**NEUTRAL, "provider": {"only": ["openai"]}, "usage": {"include": True}}
    made = call("openai-chat", "https://openrouter.ai/api/v1", request("openai-chat", "openai/m", parameters))
    body = body_of(made)
    assert made.url == "https://openrouter.ai/api/v1/chat/completions"
    assert made.headers["X-OpenRouter-Metadata"] == "enabled"
    pins = {"allow_fallbacks": False, "require_parameters": True, "data_collection": "deny", "only": ["openai"]}
    assert body["provider"] == pins
    assert body["plugins"] == [{"id": "context-compression", "enabled": False}]
    assert body["reasoning"] == {"effort": "low"} and "reasoning_effort" not in body
    assert body["response_format"]["json_schema"]["schema"] == strict(ranges=False)
    assert body["usage"] == {"include": True}


def test_openrouter_fields_go_to_openrouter_alone():
    body = body_of(call("openai-chat", "https://openrouter.ai.example.org/v1", request("openai-chat")))
    assert "provider" not in body and "plugins" not in body
    for name in ("openai-responses", "anthropic-messages"):
        with pytest.raises(UserError, match="OpenRouter"):
            call(name, "https://openrouter.ai/api/v1", request(name))


def test_openai_responses_as_documented():
    made = request("openai-responses", parameters={**NEUTRAL, "text": {"verbosity": "low"}}, image=True)
    sent = call("openai-responses", OPENAI, asked_again(made), {SHA: PNG})
    assert sent.url == "https://api.openai.com/v1/responses"
    text, image = {"type": "input_text", "text": "Judge this: é"}, {"type": "input_image", "image_url": DATA}
    form = {"type": "json_schema", "name": "verdict", "strict": True, "schema": strict(ranges=True)}
    assert body_of(sent) == {
        "model": "m-1",
        "instructions": "You are a judge.",
        "input": [
            {"role": "user", "content": [text, image]},
            {"role": "assistant", "content": "eight"},
            {"role": "user", "content": "the answer is not one JSON object"},
        ],
        "text": {"verbosity": "low", "format": form},
        "max_output_tokens": 4000,
        "reasoning": {"effort": "low"},
        "store": False,
    }


def test_anthropic_messages_as_documented():
    made = call(
        "anthropic-messages",
        "https://api.anthropic.com",
        asked_again(request("anthropic-messages", parameters=NEUTRAL, image=True)),
        {SHA: PNG},
    )
    assert made.url == "https://api.anthropic.com/v1/messages"
    assert made.headers["anthropic-version"] == "2026-10-21"
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}
    assert body_of(made) == {
        "model": "m-1",
        "max_tokens": 4000,
        "system": "You are a judge.",
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": "Judge this: é"}, {"type": "image", "source": source}],
            },
            {"role": "assistant", "content": "eight"},
            {"role": "user", "content": "the answer is not one JSON object"},
        ],
        "output_config": {"format": {"type": "json_schema", "schema": strict(ranges=False)}, "effort": "low"},
    }


def test_anthropic_always_gets_the_limit_that_it_demands():
    body = body_of(call("anthropic-messages", "https://api.anthropic.com/v1", request("anthropic-messages")))
    assert body["max_tokens"] == output_limit("anthropic-messages", {}) == 16_000


def test_gemini_as_documented():
    parameters = {**NEUTRAL, "temperature": Decimal("0.5"), "seed": 7, "safetySettings": [], "thinkingConfig": {"a": 1}}
    made = request("gemini", "gemini-3.8-flash", parameters, image=True)
    sent = call("gemini", "https://generativelanguage.googleapis.com/v1beta/", asked_again(made), {SHA: PNG})
    assert sent.url == "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:generateContent"
    image = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(PNG).decode()}}
    assert body_of(sent) == {
        "systemInstruction": {"parts": [{"text": "You are a judge."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Judge this: é"}, image]},
            {"role": "model", "parts": [{"text": "eight"}]},
            {"role": "user", "parts": [{"text": "the answer is not one JSON object"}]},
        ],
        "generationConfig": {
            "maxOutputTokens": 4000,
            "thinkingConfig": {"a": 1, "thinkingLevel": "LOW"},
            "temperature": Decimal("0.5"),
            "seed": 7,
            "responseMimeType": "application/json",
            "responseJsonSchema": strict(ranges=True),
        },
        "safetySettings": [],
    }


@pytest.mark.parametrize("name", ROUTES)
def test_without_structured_output_nothing_asks_for_it(name):
    body = call(name, "http://127.0.0.1:1/v1", request(name, response_format="none")).body.decode()
    assert "schema" not in body and "json" not in body.replace("json object", "")


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("openai-chat", '"response_format":{"type":"json_object"}'),
        ("openai-responses", '"text":{"format":{"type":"json_object"}}'),
        ("gemini", '"generationConfig":{"responseMimeType":"application/json"}'),
    ],
)
def test_json_without_a_schema(name, part):
    assert part in call(name, "http://127.0.0.1:1/v1", request(name, response_format="object")).body.decode()


def test_anthropic_has_no_json_without_a_schema():
    with pytest.raises(UserError, match="response_format"):
        call("anthropic-messages", "https://a.example/v1", request("anthropic-messages", response_format="object"))


@pytest.mark.parametrize("name", ROUTES)
def test_parameters_that_nobody_set_are_not_sent_and_others_go_on_verbatim(name):
    body = body_of(call(name, "http://127.0.0.1:1/v1", request(name)))
    assert not {"temperature", "seed", "reasoning_effort", "reasoning", "n", "stream"} & set(body)
    body = body_of(call(name, "http://127.0.0.1:1/v1", request(name, parameters={"chat_template_kwargs": {"x": [1]}})))
    assert body["chat_template_kwargs"] == {"x": [1]}


@pytest.mark.parametrize("name", ROUTES)
def test_the_same_request_is_the_same_bytes_and_holds_no_key(name):
    module, made = route(name), request(name, image=True)
    again = dict(reversed(made.items()))
    assert module.http_call(made, OPENAI, {SHA: PNG}) == module.http_call(again, OPENAI, {SHA: PNG})
    header, value = module.auth_header("key-123")
    assert "key-123" in value and header.lower() in ("authorization", "x-goog-api-key")


@pytest.mark.parametrize("name", ROUTES)
def test_a_missing_image_is_said(name):
    with pytest.raises(UserError, match=SHA):
        call(name, OPENAI, request(name, image=True))


def test_auth_headers_by_provider_option():
    assert route("openai-chat").auth_header("k", "api-key") == ("api-key", "k")
    assert route("openai-responses").auth_header("k", "api-key") == ("api-key", "k")
    assert route("openai-chat").auth_header("k") == ("Authorization", "Bearer k")
    assert route("anthropic-messages").auth_header("k") == ("Authorization", "Bearer k")
    assert route("anthropic-messages").auth_header("k", "api-key") == ("x-api-key", "k")
    assert route("gemini").auth_header("k") == ("x-goog-api-key", "k")
    for name in ROUTES:
        with pytest.raises(UserError, match="auth"):
            route(name).auth_header("k", "basic")


@pytest.mark.parametrize("name", ROUTES)
def test_a_base_url_without_a_path_gets_the_apis_version(name):
    module = route(name)
    version = "v1beta" if name == "gemini" else "v1"
    assert module.endpoint("http://localhost:9", "m") == module.endpoint(f"http://localhost:9/{version}/", "m")


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize(
    "parameter",
    [
        *({key: 1} for key in ("models", "fallbacks", "route", "n", "stream", "background", "tools", "transforms")),
        *({key: 1} for key in ("preset", "candidateCount", "web_search_options", "previous_response_id", "model")),
        *({key: 1} for key in ("messages", "response_format", "contents", "input", "system")),
        {"plugins": [{"id": "response-healing"}]},
        {"plugins": [{"id": "web", "enabled": True}]},
        {"provider": {"allow_fallbacks": True}},
        {"provider": {"require_parameters": False}},
        {"text": {"format": {}}},
        {"output_config": {"format": {}}},
        {"generationConfig": {"candidateCount": 1}},
        {"max_output_tokens": 0},
        {"max_output_tokens": True},
        {"generationConfig": {"maxOutputTokens": "5"}},
        {"reasoning_effort": ""},
        {"temperature": "hot"},
        {"seed": "x"},
    ],
)
def test_parameters_that_would_change_the_judge_are_refused(name, parameter):
    with pytest.raises(UserError, match=next(iter(parameter))):
        check_parameters(name, "m-1", parameter)
    with pytest.raises(UserError):
        call(name, OPENAI, request(name, parameters=parameter))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [("anthropic-messages", key) for key in ("temperature", "top_p", "seed")] + [("openai-responses", "seed")],
)
def test_parameters_that_the_api_refuses_are_refused_before_the_run(name, parameter):
    with pytest.raises(UserError, match=parameter):
        check_parameters(name, "m-1", {parameter: 1})


@pytest.mark.parametrize("name", ROUTES)
@pytest.mark.parametrize(
    "model",
    [
        "openrouter/auto",
        "auto",
        "~openai/gpt-latest",
        "gpt-5-chat-latest",
        "qwen3:latest",
        "x/y:free",
        "x/y:NITRO",
        "x/y:online",
        "x/y:floor",
        "@preset/p",
        "x/y@preset/p",
        "openrouter/free",
        "",
        " m",
        "m 1",
        "m\n",
    ],
)
def test_aliases_and_routers_are_refused(name, model):
    with pytest.raises(UserError):
        check_parameters(name, model, {})


@pytest.mark.parametrize(
    ("name", "own"),
    [
        (CHAT, {"max_tokens", "max_completion_tokens"}),
        (RESPONSES, set()),
        (CLAUDE, {"max_tokens"}),
        (GEMINI, {"maxOutputTokens"}),
    ],
)
def test_a_limit_by_a_name_that_the_api_does_not_know_is_refused(name, own):
    for field in ("max_tokens", "max_completion_tokens", "maxOutputTokens"):
        if field in own:
            check_parameters(name, "m-1", {field: 5})
            assert output_limit(name, {field: 5}) == 5
            with pytest.raises(UserError, match="keep max_output_tokens alone"):
                check_parameters(name, "m-1", {"max_output_tokens": 5, field: 5})
        else:
            with pytest.raises(UserError, match="max_output_tokens"):
                check_parameters(name, "m-1", {field: 5})


def test_one_limit_is_enough_for_gemini():
    nested = {"generationConfig": {"maxOutputTokens": 5}}
    check_parameters(GEMINI, "m-1", nested)
    with pytest.raises(UserError, match="keep max_output_tokens alone"):
        check_parameters(GEMINI, "m-1", {**nested, "max_output_tokens": 5})


def test_pinned_models_are_not_refused():
    for name in ("gpt-5.4-mini-2026-03-17", "openai/gpt-6-sol", "qwen3:14b", "claude-opus-5-5", "accounts/x/models/y"):
        check_parameters("openai-chat", name, {"temperature": Decimal("0"), "seed": 0, "provider": {"only": ["x"]}})
    with pytest.raises(UserError, match="models/"):
        check_parameters("gemini", "models/gemini-3.8-flash", {})


def test_an_unknown_route_is_said_with_the_known_ones():
    with pytest.raises(UserError, match="openai-chat, openai-responses, anthropic-messages, gemini"):
        route("web-chat")


def test_the_hot_path_stays_light():
    heavy = {"requests", "jsonschema", "pandas", "yaml", "email", "numpy", "http"}
    modules = "assay.routes, assay.reading, assay.cost, assay.redact, assay.model_match"
    code = f"import sys; import {modules}; print(*sys.modules)"
    scripts = Path(__file__).parents[2] / "scripts"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(scripts)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not heavy & {name.partition(".")[0] for name in done.stdout.split()}
