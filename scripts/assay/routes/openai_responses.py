"""OpenAI Responses."""

from collections.abc import Mapping
from datetime import datetime

from assay.routes import openai_chat
from assay.routes.failures import body_error, opened
from assay.routes.parameters import check_parameters, split
from assay.routes.shapes import Failure, HttpCall, Reply, Usage
from assay.routes.wire import (
    address,
    content,
    data_url,
    dicts_at,
    post,
    refuse_openrouter,
    strict_schema,
    text_at,
    tokens_at,
)

NAME = "openai-responses"

auth_header = openai_chat.auth_header


def endpoint(base_url: str, model: str) -> str:
    """Return the address that requests go to."""
    return address(base_url, "v1", "responses")


def http_call(request: dict, base_url: str, images: Mapping[str, bytes]) -> HttpCall:
    """Translate a request (assay-request-1) into the HTTP call, without its key.

    The answer is not kept at the vendor (`store: false`) unless the judge's parameters ask for it.
    `images` maps the SHA-256 of an image part to its bytes. Raises UserError for what must not be sent.
    """
    refuse_openrouter(NAME, base_url)
    check_parameters(NAME, request["model"], request["parameters"])
    neutral, parameters = split(request["parameters"])
    system = [part["text"] for m in request["messages"] if m["role"] == "system" for part in m["content"]]
    body = {
        "model": request["model"],
        "input": [_message(message, images) for message in request["messages"] if message["role"] != "system"],
        "store": False,
        **({"instructions": "\n\n".join(system)} if system else {}),
        **parameters,
    }
    if "max_output_tokens" in neutral:
        body["max_output_tokens"] = neutral["max_output_tokens"]
    if "reasoning_effort" in neutral:
        body["reasoning"] = {**body.get("reasoning", {}), "effort": neutral["reasoning_effort"]}
    form = _format(request)
    if form:
        body["text"] = {**body.get("text", {}), "format": form}
    return post(endpoint(base_url, request["model"]), body)


def _message(message: dict, images: Mapping[str, bytes]) -> dict:
    kind = "output_text" if message["role"] == "assistant" else "input_text"
    parts = content(
        message["content"],
        lambda text: {"type": kind, "text": text},
        lambda part: {"type": "input_image", "image_url": data_url(part, images)},
    )
    return {"role": message["role"], "content": parts}


def _format(request: dict) -> dict | None:
    form, schema = request.get("response_format", "schema"), request.get("response_schema")
    if form == "object":
        return {"type": "json_object"}
    if form == "none" or not schema:
        return None
    return {"type": "json_schema", "name": "verdict", "strict": True, "schema": strict_schema(schema)}


def read_reply(status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None) -> Reply | Failure:
    """Read a complete response. `now` (with time zone) is needed only to read a Retry-After that is a date."""
    data = opened(NAME, status, headers, body, now)
    if isinstance(data, Failure):
        return data
    state = text_at(data, "status")
    if state == "failed":
        return body_error(NAME, {"code": "server_error", "message": "status is failed"}, headers, now)
    if "output" not in data or state in ("queued", "in_progress"):
        return Failure("in_doubt", f"{NAME}: HTTP {status} without a finished answer (status {state or 'absent'})")
    return _finished(_common(data), data, state)


def _common(data: dict) -> Reply:
    usage = data.get("usage")
    return Reply(
        text=None,
        finish="other",
        models=(model,) if (model := text_at(data, "model")) else (),
        response_id=text_at(data, "id"),
        usage=Usage(
            input=tokens_at(usage, "input_tokens"),
            cached=tokens_at(usage, "input_tokens_details", "cached_tokens"),
            cache_write=tokens_at(usage, "input_tokens_details", "cache_write_tokens"),
            output=tokens_at(usage, "output_tokens"),
            reasoning=tokens_at(usage, "output_tokens_details", "reasoning_tokens"),
        ),
        service_tier=text_at(data, "service_tier"),
    )


def _finished(reply: Reply, data: dict, state: str) -> Reply:
    items = dicts_at(data, "output")
    final = [item for item in items if item.get("type") == "message" and item.get("phase") in (None, "final_answer")]
    parts = [part for item in final for part in dicts_at(item, "content")]
    text = "".join(text_at(part, "text") for part in parts if part.get("type") == "output_text")
    refusal = "".join(text_at(part, "refusal") for part in parts if part.get("type") == "refusal")
    reply = reply._replace(text=text or None)
    if state == "incomplete":
        return _incomplete(reply, text_at(data, "incomplete_details", "reason"))
    if refusal:
        return reply._replace(finish="refusal", detail=refusal)
    if state != "completed":
        return reply._replace(detail=f"status is {state or 'absent'}")
    if not text.strip():
        called = any(text_at(item, "type").endswith("_call") for item in items)
        return reply._replace(finish="tool_calls" if called else "empty", detail="no text")
    return reply._replace(finish="stop")


def _incomplete(reply: Reply, reason: str) -> Reply:
    if reason in ("max_output_tokens", "max_messages"):
        spent = reply.usage.reasoning
        detail = f"{spent} of {reply.usage.output} output tokens went into reasoning" if spent else reason
        return reply._replace(finish="length", detail=detail)
    finish = "content_filter" if reason == "content_filter" else "other"
    return reply._replace(finish=finish, detail=f"incomplete: {reason or 'no reason given'}")
