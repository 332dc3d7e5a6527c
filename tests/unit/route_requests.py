"""A request as the judging rules make it, for the tests of the routes."""

import json
from decimal import Decimal

from assay.canonical import canonical
from assay.reading import Fields, Items, Nonce, Score, Text, response_schema

PNG = b"\x89PNG\r\n"
SHA = "a" * 64
CONTRACT = Fields(
    {
        "nonce": Nonce(),
        "scores": Fields({"minimum": Score(Decimal(0), Decimal(10))}),
        "refs": Items(Text(), least=1, most=9),
    }
)


def request(route, model="m-1", parameters=None, image=False, **more):
    """A request with a system message and a user message, with an image if wanted."""
    user = [{"type": "text", "text": "Judge this: é"}]
    user += [{"type": "image", "media_type": "image/png", "sha256": SHA}] if image else []
    return {
        "format": "assay-request-1",
        "route": route,
        "model": model,
        "parameters": parameters or {},
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": "You are a judge."}]},
            {"role": "user", "content": user},
        ],
        "response_schema": json.loads(canonical(response_schema(CONTRACT))),
        "ask": 1,
        **more,
    }


def asked_again(made):
    """The same request with the judge's earlier answer and the reason appended."""
    earlier = {"role": "assistant", "content": [{"type": "text", "text": "eight"}]}
    reason = {"role": "user", "content": [{"type": "text", "text": "the answer is not one JSON object"}]}
    return {**made, "messages": [*made["messages"], earlier, reason], "ask": 2}


def body_of(call):
    """The JSON that a call sends; numbers as they are written."""
    return json.loads(call.body, parse_float=Decimal)
