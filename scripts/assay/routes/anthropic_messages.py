"""Anthropic Messages."""

from collections.abc import Mapping
from datetime import datetime

from assay.problems import UserError
from assay.routes.failures import opened
from assay.routes.parameters import ANTHROPIC_OUTPUT_TOKENS, check_parameters, split
from assay.routes.shapes import Failure, Finish, HttpCall, Reply, Usage
from assay.routes.wire import (
    RANGES,
    address,
    base64_of,
    content,
    dicts_at,
    post,
    refuse_openrouter,
    strict_schema,
    text_at,
    tokens_at,
)

NAME = "anthropic-messages"
VERSION = "2026-10-21"
_FINISH: dict[str, Finish] = {
    "end_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refusal",
}


def endpoint(base_url: str, model: str) -> str:
    """Return the address that requests go to."""
    return address(base_url, "v1", "messages")


def auth_header(key: str, auth: str = "bearer") -> tuple[str, str]:
    """Return the header that carries the key; `auth` is the provider's option (`api-key`: the header x-api-key)."""
    if auth == "api-key":
        return "x-api-key", key
    if auth == "bearer":
        return "Authorization", f"Bearer {key}"
    raise UserError(f"auth: {auth!r} is not known; expected bearer or api-key")


def http_call(request: dict, base_url: str, images: Mapping[str, bytes]) -> HttpCall:
    """Translate a request (assay-request-1) into the HTTP call, without its key.

    `images` maps the SHA-256 of an image part to its bytes. Raises UserError for what must not be sent.
    """
    refuse_openrouter(NAME, base_url)
    check_parameters(NAME, request["model"], request["parameters"])
    neutral, parameters = split(request["parameters"])
    system = [part["text"] for m in request["messages"] if m["role"] == "system" for part in m["content"]]
    body = {
        "model": request["model"],
        "messages": [_message(message, images) for message in request["messages"] if message["role"] != "system"],
        "max_tokens": neutral.get("max_output_tokens", ANTHROPIC_OUTPUT_TOKENS),
        **({"system": "\n\n".join(system)} if system else {}),
        **parameters,
    }
    output = {**body.get("output_config", {}), **_format(request)}
    if "reasoning_effort" in neutral:
        output["effort"] = neutral["reasoning_effort"]
    if output:
        body["output_config"] = output
    return post(endpoint(base_url, request["model"]), body, anthropic_version=VERSION)


def _message(message: dict, images: Mapping[str, bytes]) -> dict:
    def image(part: dict) -> dict:
        source = {"type": "base64", "media_type": part["media_type"], "data": base64_of(part, images)}
        return {"type": "image", "source": source}

    return {
        "role": message["role"],
        "content": content(message["content"], lambda text: {"type": "text", "text": text}, image),
    }


def _format(request: dict) -> dict:
    form, schema = request.get("response_format", "schema"), request.get("response_schema")
    if form == "object":
        raise UserError(f"response_format: {NAME} has no form `object`; use schema or none")
    if form == "none" or not schema:
        return {}
    return {"format": {"type": "json_schema", "schema": strict_schema(schema, RANGES)}}


def read_reply(status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None) -> Reply | Failure:
    """Read a complete response. `now` (with time zone) is needed only to read a Retry-After that is a date."""
    data = opened(NAME, status, headers, body, now)
    if isinstance(data, Failure):
        return data
    if not isinstance(data.get("content"), list):
        return Failure("in_doubt", f"{NAME}: HTTP {status} with JSON that is not an answer (it has no content)")
    reason = text_at(data, "stop_reason")
    text = "".join(text_at(block, "text") for block in dicts_at(data, "content") if block.get("type") == "text")
    reply = Reply(
        text=text or None,
        finish=_FINISH.get(reason, "other"),
        models=_models(data),
        response_id=text_at(data, "id"),
        usage=_usage(data.get("usage")),
        service_tier=text_at(data, "usage", "service_tier"),
    )
    if reply.finish == "stop":
        return reply if text.strip() else reply._replace(finish="empty", detail="no text")
    return reply._replace(detail=_detail(data, reason))


def _models(data: dict) -> tuple[str, ...]:
    """All models that took part. A fallback that does not name its model is listed as such, so that it matches none."""
    model = text_at(data, "model")
    if not model:
        return ()
    steps = [
        text_at(step, "model") or "an unnamed fallback"
        for step in dicts_at(data, "usage", "iterations")
        if step.get("type") == "fallback_message" or text_at(step, "model")
    ]
    blocks = [block for block in dicts_at(data, "content") if block.get("type") == "fallback"]
    steps += [text_at(b, "to", "model") or text_at(b, "to") or "an unnamed fallback" for b in blocks]
    return (*(name for name in dict.fromkeys(steps) if name != model), model)


def _usage(usage: object) -> Usage:
    fresh = tokens_at(usage, "input_tokens")
    written = tokens_at(usage, "cache_creation_input_tokens")
    cached = tokens_at(usage, "cache_read_input_tokens")
    return Usage(
        input=None if fresh is None else fresh + (written or 0) + (cached or 0),
        cached=cached,
        cache_write=written,
        output=tokens_at(usage, "output_tokens"),
        reasoning=tokens_at(usage, "output_tokens_details", "thinking_tokens"),
    )


def _detail(data: dict, reason: str) -> str:
    why = [text_at(data, "stop_details", key) for key in ("category", "explanation")]
    return ": ".join([f"stop_reason is {reason or 'absent'}", *(text for text in why if text)])
