"""The store keeps every answer byte for byte, and never trusts a damaged file."""

import json

import pytest

from assay.canonical import loads, sha256
from assay.store import Store, kept_headers, read_document

REQUEST = {"format": "assay-request-1", "model": "m", "messages": [], "ask": 1}
TIMES = ("2026-12-01T00:00:00Z", "2026-12-01T00:00:09Z")


def put(root, body=b'{"a": "\xc3\xa9"}\n', headers=None):
    return Store(root).put(REQUEST, 200, headers or {"Content-Type": "application/json"}, body, *TIMES)


@pytest.mark.parametrize(
    "body", [b"", b'{"a":1}', b"\xef\xbb\xbf{}", b"\xff\xfe\x00broken", "\u2028\x00é".encode(), b"\r\n"]
)
def test_an_answer_comes_back_byte_for_byte(tmp_path, body):
    exchange = put(tmp_path, body)
    assert Store(tmp_path).get(exchange.sha) == exchange
    assert exchange.body == body
    assert exchange.sha == sha256(REQUEST)


def test_an_exchange_lies_under_its_requests_hash(tmp_path):
    exchange = put(tmp_path)
    path = tmp_path / exchange.sha[:2] / f"{exchange.sha}.json"
    assert loads(path.read_bytes())["format"] == "assay-exchange-1"
    assert list(Store(tmp_path).names()) == [exchange.sha]
    assert list(tmp_path.rglob("*.part")) == []


def test_what_is_not_there_is_none(tmp_path):
    assert Store(tmp_path).get("0" * 64) is None


def test_only_harmless_headers_are_kept_in_lower_case():
    given = {
        "X-Request-Id": "r",
        "Retry-After": "2",
        "x-ratelimit-remaining-tokens": "5",
        "anthropic-ratelimit-requests-reset": "t",
        "Authorization": "Bearer k",
        "Set-Cookie": "c",
        "x-api-key": "k",
        "X-Echo": "k",
    }
    assert kept_headers(given) == {
        "anthropic-ratelimit-requests-reset": "t",
        "retry-after": "2",
        "x-ratelimit-remaining-tokens": "5",
        "x-request-id": "r",
    }


def changed(path, change):
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document))


DAMAGES = {
    "a score in the body": lambda path: path.write_bytes(path.read_bytes().replace(b"\xc3\xa9", b"x")),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "emptied": lambda path: path.write_bytes(b""),
    "the status": lambda path: changed(path, lambda d: d["response"].update(status=201)),
    "the request": lambda path: changed(path, lambda d: d["request"].update(model="other")),
    "the recorded hash": lambda path: changed(path, lambda d: d.update(response_sha256="0" * 64)),
    "a part missing": lambda path: changed(path, lambda d: d.pop("response")),
    "the format": lambda path: changed(path, lambda d: d.update(format="other")),
    "not an object": lambda path: path.write_text("[]"),
    "a body of the wrong kind": lambda path: changed(path, lambda d: d["response"].update(body=None)),
    "broken base64": lambda path: changed(path, lambda d: d["response"].update(body_base64="%", body=None)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_set_aside_with_a_message_and_never_used_or_deleted(tmp_path, capsys, damage):
    store, exchange = Store(tmp_path), put(tmp_path)
    for time in (1, 2):
        DAMAGES[damage](store.path(exchange.sha))
        damaged = store.path(exchange.sha).read_bytes()
        assert store.get(exchange.sha) is None
        assert (tmp_path / "corrupt" / f"{exchange.sha}.{time}.json").read_bytes() == damaged
        assert "this stored answer is damaged" in capsys.readouterr().err
        put(tmp_path)
        assert store.get(exchange.sha) == exchange


def test_a_file_copied_to_another_name_is_not_believed(tmp_path):
    exchange = put(tmp_path)
    with pytest.raises(ValueError, match="does not hash to its name"):
        read_document(exchange.document(), "0" * 64)
