"""Google Gemini generateContent."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote

from assay.problems import UserError
from assay.routes.failures import opened
from assay.routes.parameters import check_parameters, split
from assay.routes.shapes import Failure, Finish, HttpCall, Reply, Usage
from assay.routes.wire import address, at, base64_of, dicts_at, post, strict_schema, text_at, tokens_at

NAME = "gemini"
_FILTERED = "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT"
_FINISH: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    **dict.fromkeys(_FILTERED.split(), "content_filter"),
    **dict.fromkeys(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"), "tool_calls"),
}
_GENERATION = ("temperature", "seed", "topP", "topK", "maxOutputTokens", "thinkingConfig", "stopSequences")


def endpoint(base_url: str, model: str) -> str:
    """Return the address that requests go to. The key never stands in it."""
    return address(base_url, "v1beta", f"models/{quote(model, safe='')}:generateContent")


def auth_header(key: str, auth: str = "bearer") -> tuple[str, str]:
    """Return the header that carries the key: always x-goog-api-key, the only one that this API takes keys in."""
    if auth not in ("bearer", "api-key"):
        raise UserError(f"auth: {auth!r} is not known; expected bearer or api-key")
    return "x-goog-api-key", key


def http_call(request: dict, base_url: str, images: Mapping[str, bytes]) -> HttpCall:
    """Translate a request (assay-request-1) into the HTTP call, without its key.

    `images` maps the SHA-256 of an image part to its bytes. Raises UserError for what must not be sent.
    """
    check_parameters(NAME, request["model"], request["parameters"])
    neutral, parameters = split(request["parameters"])
    generation = {**parameters.pop("generationConfig", {})}
    generation |= {key: parameters.pop(key) for key in _GENERATION if key in parameters}
    if "max_output_tokens" in neutral:
        generation["maxOutputTokens"] = neutral["max_output_tokens"]
    if "reasoning_effort" in neutral:
        level = {"thinkingLevel": neutral["reasoning_effort"].upper()}
        generation["thinkingConfig"] = {**generation.get("thinkingConfig", {}), **level}
    generation |= _format(request)
    system = [part for m in request["messages"] if m["role"] == "system" for part in _parts(m, images)]
    contents = [
        {"role": "model" if message["role"] == "assistant" else "user", "parts": _parts(message, images)}
        for message in request["messages"]
        if message["role"] != "system"
    ]
    body = {"contents": contents, **parameters}
    body |= {"systemInstruction": {"parts": system}} if system else {}
    body |= {"generationConfig": generation} if generation else {}
    return post(endpoint(base_url, request["model"]), body)


def _parts(message: dict, images: Mapping[str, bytes]) -> list[dict]:
    return [
        {"text": part["text"]}
        if part["type"] == "text"
        else {"inlineData": {"mimeType": part["media_type"], "data": base64_of(part, images)}}
        for part in message["content"]
    ]


def _format(request: dict) -> dict:
    form, schema = request.get("response_format", "schema"), request.get("response_schema")
    if form == "none" or (form == "schema" and not schema):
        return {}
    structure = {} if form == "object" else {"responseJsonSchema": strict_schema(schema)}
    return {"responseMimeType": "application/json", **structure}


def read_reply(status: int, headers: Mapping[str, str], body: bytes, now: datetime | None = None) -> Reply | Failure:
    """Read a complete response. `now` (with time zone) is needed only to read a Retry-After that is a date."""
    data = opened(NAME, status, headers, body, now)
    if isinstance(data, Failure):
        return data
    known = ("candidates", "promptFeedback", "usageMetadata", "modelVersion")
    if not any(key in data for key in known):
        return Failure("in_doubt", f"{NAME}: HTTP {status} with JSON that is not an answer (it has no candidates)")
    reply = Reply(
        text=None,
        finish="empty",
        detail="no candidates",
        models=(model,) if (model := text_at(data, "modelVersion")) else (),
        response_id=text_at(data, "responseId"),
        usage=_usage(data.get("usageMetadata")),
    )
    blocked = text_at(data, "promptFeedback", "blockReason")
    if blocked:
        return reply._replace(finish="content_filter", detail=f"the packet was blocked: {blocked}")
    candidates = dicts_at(data, "candidates")
    if len(candidates) > 1:
        return reply._replace(finish="other", detail=f"{len(candidates)} answers came instead of one")
    return _finished(reply, candidates[0]) if candidates else reply


def _finished(reply: Reply, candidate: dict) -> Reply:
    parts = [part for part in dicts_at(candidate, "content", "parts") if not part.get("thought")]
    text = "".join(text_at(part, "text") for part in parts)
    reason = text_at(candidate, "finishReason")
    reply = reply._replace(text=text or None, finish=_FINISH.get(reason, "other"), detail="")
    if reply.finish == "stop":
        if text.strip():
            return reply
        called = any(at(part, "functionCall") for part in parts)
        return reply._replace(finish="tool_calls" if called else "empty", detail="no text")
    if reply.finish == "length" and reply.usage.reasoning:
        spent = f"{reply.usage.reasoning} of {reply.usage.output} output tokens went into reasoning"
        return reply._replace(detail=spent)
    message = text_at(candidate, "finishMessage")
    return reply._replace(detail=": ".join(filter(None, [f"finishReason is {reason or 'absent'}", message])))


def _usage(usage: object) -> Usage:
    prompt, tool = tokens_at(usage, "promptTokenCount"), tokens_at(usage, "toolUsePromptTokenCount")
    answer, thought = tokens_at(usage, "candidatesTokenCount"), tokens_at(usage, "thoughtsTokenCount")
    output = None if answer is None and thought is None else (answer or 0) + (thought or 0)
    if output is None and prompt is not None and tokens_at(usage, "totalTokenCount") == prompt:
        output = 0  # the API leaves the count out when nothing was produced
    return Usage(
        input=None if prompt is None else prompt + (tool or 0),
        cached=tokens_at(usage, "cachedContentTokenCount"),
        output=output,
        reasoning=thought,
    )
