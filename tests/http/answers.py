"""What the test server answers: the four APIs' shapes around a verdict that depends on the request alone."""

import hashlib
import json
import re
from collections.abc import Iterator

_NONCE = re.compile(r"nonce[\"']?:?\s*[\"']?([0-9a-f]{16,64})")
CRITERIA = ("fidelity", "soundness", "completeness", "relevance", "calibration")


OUTPUT_TOKENS = 120


def texts(value: object) -> Iterator[str]:
    """Yield every text in nested JSON, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def nonce(body: dict) -> str:
    """Return the nonce that the prompt asks to echo: the last one, since the prompt ends with the reply's format."""
    shown = [
        body.get(name) for name in ("messages", "input", "instructions", "contents", "system", "systemInstruction")
    ]
    found = [number for text in texts(shown) for number in _NONCE.findall(text)]
    return found[-1] if found else ""


def schema(body: dict) -> dict | None:
    """Return the JSON schema that the request gives for its answer, wherever its API has it."""
    places = (
        ("response_format", "json_schema", "schema"),
        ("text", "format", "schema"),
        ("output_config", "format", "schema"),
        ("generationConfig", "responseJsonSchema"),
        ("generationConfig", "responseSchema"),
    )
    for place in places:
        found: object = body
        for step in place:
            found = found.get(step) if isinstance(found, dict) else None
        if isinstance(found, dict):
            return found
    return None


def verdict(body: dict, seed: str) -> str:
    """Return the judge's reply as JSON text. `seed` is the request's hash, so that the same request scores the same."""
    form = schema(body)
    if form:
        return json.dumps(_fill(form, "", seed, nonce(body)))
    scores = {name: _number(seed, f"scores.{name}", 0, 10) for name in CRITERIA}
    notes = {name: _sentence(seed, name) for name in CRITERIA}
    return json.dumps({"nonce": nonce(body), "scores": scores, "notes": notes, "impression": _sentence(seed, "all")})


def _fill(form: dict, place: str, seed: str, nonce_text: str) -> object:
    """Return a value that meets the schema, each part of it derived from the seed and its place."""
    if "const" in form:
        return form["const"]
    if "enum" in form:
        return form["enum"][_draw(seed, place, len(form["enum"]))]
    kind = form.get("type")
    if kind == "object":
        return {
            name: _fill(part, f"{place}.{name}".strip("."), seed, nonce_text)
            for name, part in form.get("properties", {}).items()
        }
    if kind == "array":
        return [_fill(form["items"], f"{place}.0", seed, nonce_text)]
    if kind == "boolean":
        return True
    if kind == "integer":
        return form.get("minimum", 0) + _draw(seed, place, form.get("maximum", 10) - form.get("minimum", 0) + 1)
    if kind == "number":
        return _number(seed, place, form.get("minimum", 0), form.get("maximum", 10))
    return nonce_text if place == "nonce" else _sentence(seed, place)


def _draw(seed: str, place: str, size: int) -> int:
    return int(hashlib.sha256(f"{seed} {place}".encode()).hexdigest(), 16) % size


def _number(seed: str, place: str, low: int, high: int) -> float:
    return (low * 10 + _draw(seed, place, (high - low) * 10 + 1)) / 10


def _sentence(seed: str, place: str) -> str:
    return f"A note on {place or 'the answer'} numbered {_draw(seed, place, 1000)}."


def input_tokens(body: dict) -> int:
    """Return about as many tokens as a real API would count, at least 900."""
    return max(900, sum(map(len, texts(body))) // 4)


def envelope(api: str, model: str, text: str, seed: str, tokens: int = 900) -> dict:
    """Return an API's response around the judge's text: `tokens` read, 120 written, 64 of them reasoning."""
    return {"chat": _chat, "responses": _responses, "messages": _messages, "gemini": _gemini}[api](
        model, text, seed, tokens
    )


def _chat(model: str, text: str, seed: str, tokens: int) -> dict:
    return {
        "id": f"chatcmpl-{seed[:12]}",
        "object": "chat.completion",
        "created": 1796000000,
        "model": model,
        "system_fingerprint": "fp_test",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text, "refusal": None}}
        ],
        "usage": {
            "prompt_tokens": tokens,
            "completion_tokens": 120,
            "total_tokens": tokens + 120,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 64},
        },
    }


def _responses(model: str, text: str, seed: str, tokens: int) -> dict:
    return {
        "id": f"resp_{seed[:12]}",
        "object": "response",
        "status": "completed",
        "model": model,
        "error": None,
        "incomplete_details": None,
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            },
        ],
        "usage": {
            "input_tokens": tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 120,
            "output_tokens_details": {"reasoning_tokens": 64},
            "total_tokens": tokens + 120,
        },
    }


def _messages(model: str, text: str, seed: str, tokens: int) -> dict:
    return {
        "id": f"msg_{seed[:12]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 120,
            "output_tokens_details": {"thinking_tokens": 64},
        },
    }


def _gemini(model: str, text: str, seed: str, tokens: int) -> dict:
    return {
        "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": tokens,
            "candidatesTokenCount": 56,
            "thoughtsTokenCount": 64,
            "totalTokenCount": tokens + 120,
        },
        "modelVersion": model,
        "responseId": seed[:12],
    }
