import io
import json

import audit

EVENT = {"time": "2026-05-01T09:00:00Z", "user": "ada", "action": "login", "token": "tk-1234567890abcdef"}


def written(event):
    out = io.StringIO()
    audit.record(event, out)
    return out.getvalue()


def test_one_json_object_a_line():
    assert json.loads(written(EVENT))["user"] == "ada"


def test_keys_are_sorted():
    assert list(json.loads(written(EVENT))) == sorted(json.loads(written(EVENT)))


def test_line_ends_once():
    assert written(EVENT).count("\n") == 1
