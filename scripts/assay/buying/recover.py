"""Looking up an answer that was lost on its way, where the API can: by the id under which it was made.

OpenAI Responses: GET /responses/{id} returns the answer itself, as it was stored. OpenRouter: GET /generation?id=
says what the call cost, and GET /generation/content?id= what was answered, if the account keeps that. Anthropic,
Gemini, OpenAI chat without `store` and the compatible servers have nothing to ask; there a lost answer stays in doubt.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import quote

from assay.buying.send import Answered, Lost
from assay.canonical import canonical
from assay.routes.wire import dollars_at, parse, text_at

TRIES = 3
_RESPONSES_ID = re.compile(rb'^\s*\{[^{}]*?"id"\s*:\s*"(resp_[A-Za-z0-9_-]{1,200})"')
_GENERATION_ID = re.compile(r"gen-[A-Za-z0-9_-]{1,200}")

Get = Callable[[str], Answered | Lost]


@dataclass(frozen=True)
class Found:
    """What a look-up brought: the whole answer, or its cost alone (US dollars), or both, or nothing."""

    answer: Answered | None = None
    cost: Decimal | None = None


def generation_id(headers: Mapping[str, str]) -> str:
    """Return OpenRouter's id of the answer, which comes with the head of its response; "" = none."""
    value = headers.get("x-generation-id", "")
    return value if _GENERATION_ID.fullmatch(value) else ""


def answer_id(route: str, partial: Answered | None) -> str:
    """Return the id under which a lost answer may be looked up; "" = there is none."""
    if partial is None or partial.status != 200:
        return ""
    if route == "openai-responses":
        found = _RESPONSES_ID.match(partial.body)
        return found[1].decode() if found else ""
    return generation_id(partial.headers)


def look_up(url: str, answer: str, get: Get, wait: Callable[[int], None]) -> Found:
    """Ask the API for a lost answer, up to three times (it may not be filed yet); `wait` pauses before a further try.

    `url` is the address that the request was sent to, `answer` the id.
    """
    ask = _response if answer.startswith("resp_") else _generation
    base = url.removesuffix("/responses").removesuffix("/chat/completions")
    found = Found()
    for attempt in range(1, TRIES + 1):
        found = ask(base, quote(answer), get)
        if found.answer or found.cost is not None:
            return found
        if attempt < TRIES:
            wait(attempt)
    return found


def _document(reply: Answered | Lost) -> dict | None:
    if not isinstance(reply, Answered) or reply.status != 200:
        return None
    try:
        document = parse(reply.body)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _response(base_url: str, answer: str, get: Get) -> Found:
    reply = get(f"{base_url}/responses/{answer}")
    document = _document(reply)
    if document is None or document.get("status") not in ("completed", "incomplete"):
        return Found()
    return Found(Answered(reply.status, {**reply.headers, "assay-recovered": "openai-responses"}, reply.body))


def _generation(base_url: str, answer: str, get: Get) -> Found:
    record = _data(get(f"{base_url}/generation?id={answer}"))
    if record is None:
        return Found()
    cost = dollars_at(record, "total_cost")
    content = _data(get(f"{base_url}/generation/content?id={answer}"))
    text = text_at(content, "output", "completion")
    if not text or record.get("cancelled"):
        return Found(cost=cost)
    headers = {
        "content-type": "application/json",
        "assay-recovered": "openrouter-generation",
        "x-generation-id": answer,
    }
    return Found(Answered(200, headers, _chat_body(record, text, cost, answer)), cost)


def _data(reply: Answered | Lost) -> dict | None:
    data = (_document(reply) or {}).get("data")
    return data if isinstance(data, dict) else None


def _chat_body(record: dict, text: str, cost: Decimal | None, answer: str) -> bytes:
    """Return the answer in the form of a chat completion, out of OpenRouter's record and stored text."""
    usage = {
        "completion_tokens": record.get("native_tokens_completion"),
        "completion_tokens_details": {"reasoning_tokens": record.get("native_tokens_reasoning")},
        "cost": cost,
        "prompt_tokens": record.get("native_tokens_prompt"),
        "prompt_tokens_details": {"cached_tokens": record.get("native_tokens_cached")},
    }
    choice = {
        "finish_reason": record.get("finish_reason"),
        "index": 0,
        "message": {"content": text, "role": "assistant"},
    }
    body = {"choices": [choice], "id": answer, "model": record.get("model"), "object": "chat.completion"}
    return canonical({**body, "provider": record.get("provider_name"), "usage": usage}).encode()
