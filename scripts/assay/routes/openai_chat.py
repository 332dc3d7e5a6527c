"""OpenAI Chat Completions, and everything compatible: OpenRouter, vLLM, Ollama, llama.cpp, LiteLLM, Azure's v1 path."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from assay.problems import UserError
from assay.routes.failures import body_error, opened
from assay.routes.parameters import check_parameters, split
from assay.routes.shapes import Failure, Finish, HttpCall, Reply, Usage
from assay.routes.wire import (
    RANGES,
    address,
    at,
    content,
    data_url,
    dicts_at,
    dollars_at,
    header,
    is_host,
    post,
    strict_schema,
    text_at,
    tokens_at,
)

NAME = "openai-chat"
_FINISH: dict[str, Finish] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
}
# Stages by which OpenRouter changes what the judge reads or what it wrote.
_ALTERING = ("compress", "heal", "web", "search", "tool", "pdf", "file")


def endpoint(base_url: str, model: str) -> str:
    """Return the address that requests go to."""
    return address(base_url, "v1", "chat/completions")


def auth_header(key: str, auth: str = "bearer") -> tuple[str, str]:
    """Return the header that carries the key; `auth` is the provider's option (`api-key`: Azure)."""
    if auth == "api-key":
        return "api-key", key
    if auth == "bearer":
        return "Authorization", f"Bearer {key}"
    raise UserError(f"auth: {auth!r} is not known; expected bearer or api-key")


def http_call(request: dict, base_url: str, images: Mapping[str, bytes]) -> HttpCall:
    """Translate a request (assay-request-1) into the HTTP call, without its key.

    `images` maps the SHA-256 of an image part to its bytes. Raises UserError for what must not be sent.
    """
    check_parameters(NAME, request["model"], request["parameters"])
    router = is_host(base_url, "openrouter.ai")
    body = {
        "model": request["model"],
        "messages": [_message(message, images) for message in request["messages"]],
        **_format(request, router),
        **_parameters(request["parameters"], base_url, router),
    }
    if not router:
        return post(endpoint(base_url, request["model"]), body)
    return post(endpoint(base_url, request["model"]), body, **{"X-OpenRouter-Metadata": "enabled"})


def _message(message: dict, images: Mapping[str, bytes]) -> dict:
    parts = content(
        message["content"],
        lambda text: {"type": "text", "text": text},
        lambda part: {"type": "image_url", "image_url": {"url": data_url(part, images)}},
    )
    return {"role": message["role"], "content": parts}


def _format(request: dict, router: bool) -> dict:
    form, schema = request.get("response_format", "schema"), request.get("response_schema")
    if form == "object":
        return {"response_format": {"type": "json_object"}}
    if form == "none" or not schema:
        return {}
    # Behind a router may stand an API that refuses ranges; the reader checks them in any case.
    strict = strict_schema(schema, RANGES if router else frozenset())
    named = {"name": "verdict", "strict": True, "schema": strict}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _parameters(parameters: Mapping, base_url: str, router: bool) -> dict:
    neutral, body = split(parameters)
    if "max_output_tokens" in neutral:
        # OpenAI's reasoning models refuse the old name; several compatible servers ignore the new one.
        new = is_host(base_url, "openai.com", "azure.com")
        body["max_completion_tokens" if new else "max_tokens"] = neutral["max_output_tokens"]
    if "reasoning_effort" in neutral:
        effort = neutral["reasoning_effort"]
        nested = {"reasoning": {**body.get("reasoning", {}), "effort": effort}}
        body |= nested if router else {"reasoning_effort": effort}
    if router:
        pins = {"allow_fallbacks": False, "require_parameters": True, "data_collection": "deny"}
        body["provider"] = {**pins, **body.get("provider", {})}
        others = [item for item in body.get("plugins", []) if item.get("id") != "context-compression"]
        body["plugins"] = [{"id": "context-compression", "enabled": False}, *others]
    return body


def read_reply(status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None) -> Reply | Failure:
    """Read a complete response. `now` (with time zone) is needed only to read a Retry-After that is a date."""
    data = opened(NAME, status, headers, body, now)
    if isinstance(data, Failure):
        return data
    if "choices" not in data:
        return Failure("in_doubt", f"{NAME}: HTTP {status} with JSON that is not an answer (it has no choices)")
    choices = data["choices"] if isinstance(data["choices"], list) else []
    common = _common(data, headers)
    if not choices:
        return common._replace(finish="empty", detail="the answer has no choices")
    if len(choices) > 1:
        return common._replace(detail=f"{len(choices)} answers came instead of one (n != 1)")
    choice = choices[0]
    if at(choice, "error") or at(choice, "finish_reason") == "error":
        return _choice_error(choice, headers, now)
    return _altered(_finished(common, choice), data)


def _choice_error(choice: dict, headers: Mapping[str, str], now: datetime | None) -> Failure:
    failure = body_error(NAME, at(choice, "error") or {"code": 502, "message": "finish_reason is error"}, headers, now)
    if failure.action in ("wait", "retry") and _text(at(choice, "message", "content")):
        return failure._replace(action="in_doubt")  # a part of an answer came, so a model has run
    return failure


def _common(data: dict, headers: Mapping[str, str]) -> Reply:
    selected = [end for end in _endpoints(data) if end.get("selected") is True]
    model = text_at(data, "model")
    models = dict.fromkeys([*(text_at(end, "model") for end in selected), model]) if model else {}
    hit = header(headers, "X-OpenRouter-Cache-Status").upper() == "HIT"
    source = header(headers, "X-OpenRouter-Cache-Source-Id")
    return Reply(
        text=None,
        finish="other",
        detail=f"cached answer of {source or 'an earlier call'}" if hit else "",
        models=tuple(name for name in models if name),
        provider=text_at(data, "provider") or (text_at(selected[-1], "provider") if selected else ""),
        fingerprint=text_at(data, "system_fingerprint"),
        response_id=text_at(data, "id"),
        usage=_usage(data),
        cost_usd=Decimal(0) if hit else _cost(data),
        service_tier=text_at(data, "service_tier"),
    )


def _endpoints(data: dict) -> list[dict]:
    ends = at(data, "openrouter_metadata", "endpoints")
    return dicts_at(ends, "available") or dicts_at(ends, "endpoints")


def _usage(data: dict) -> Usage:
    usage = data.get("usage")
    given, output = tokens_at(usage, "prompt_tokens"), tokens_at(usage, "completion_tokens")
    reasoning = tokens_at(usage, "completion_tokens_details", "reasoning_tokens")
    if given is not None and output is not None and reasoning:
        # Some servers count reasoning beside the completion instead of inside it; their total tells.
        output += reasoning if tokens_at(usage, "total_tokens") == given + output + reasoning else 0
    return Usage(
        input=given,
        cached=tokens_at(usage, "prompt_tokens_details", "cached_tokens"),
        cache_write=tokens_at(usage, "prompt_tokens_details", "cache_write_tokens"),
        output=output,
        reasoning=reasoning,
    )


def _cost(data: dict) -> Decimal | None:
    cost = dollars_at(data, "usage", "cost")
    if cost is None or at(data, "usage", "is_byok") is not True:
        return cost
    upstream = dollars_at(data, "usage", "cost_details", "upstream_inference_cost")  # `cost` is OpenRouter's fee alone
    return None if upstream is None else cost + upstream


def _text(parts: object, kind: str = "text") -> str:
    if isinstance(parts, str):
        return parts if kind == "text" else ""
    return "".join(text_at(part, kind) for part in dicts_at(parts) if part.get("type") == kind)


def _finished(reply: Reply, choice: object) -> Reply:
    message, reason = at(choice, "message"), text_at(choice, "finish_reason")
    text = _text(at(message, "content"))
    refusal = text_at(message, "refusal") or _text(at(message, "content"), "refusal")
    reply = reply._replace(text=text or None)
    if refusal:
        return reply._replace(finish="refusal", detail=refusal)
    finish = _FINISH.get(reason, "other")
    if finish == "length":
        return reply._replace(finish=finish, detail=_spent(reply.usage))
    if finish == "stop" and not text.strip():
        if dicts_at(message, "tool_calls"):
            return reply._replace(finish="tool_calls", detail="a tool call instead of an answer")
        thought = any(at(message, key) for key in ("reasoning", "reasoning_content", "reasoning_details"))
        return reply._replace(finish="empty", detail="reasoning without an answer" if thought else "no text")
    if finish == "stop":
        return reply._replace(finish=finish)
    return reply._replace(finish=finish, detail=f"finish_reason is {reason or 'absent'}")


def _spent(usage: Usage) -> str:
    if usage.reasoning and usage.output:
        return f"{usage.reasoning} of {usage.output} output tokens went into reasoning"
    return "the limit of output tokens was reached"


def _altered(reply: Reply, data: dict) -> Reply:
    pipeline = dicts_at(data, "openrouter_metadata", "pipeline")
    stages = [f"{text_at(stage, 'type')}/{text_at(stage, 'name')}" for stage in pipeline]
    altering = [stage for stage in stages if any(word in stage.lower() for word in _ALTERING)]
    if reply.finish != "stop" or not altering:
        return reply
    return reply._replace(finish="other", detail=f"OpenRouter changed the packet or the answer: {', '.join(altering)}")
