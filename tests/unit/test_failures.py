"""What each failure means: what was surely not billed is tried again, what may have been billed never unnoticed."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.routes.failures import classify_exception, classify_status

NOW = datetime(2026, 12, 1, 10, 0, 0, tzinfo=UTC)


def failure(status, error=None, headers=None, name="openai-chat", now=NOW):
    body = b"" if error is None else json.dumps({"error": error}).encode()
    return classify_status(name, status, headers or {}, body, now)


@pytest.mark.parametrize(
    ("status", "action"),
    [
        (400, "stop_judge"),
        (401, "stop_run"),
        (402, "stop_run"),
        (403, "stop_run"),
        (404, "stop_judge"),
        (405, "stop_judge"),
        (407, "stop_run"),
        (408, "in_doubt"),
        (409, "retry"),
        (410, "stop_judge"),
        (413, "blocked"),
        (415, "stop_judge"),
        (418, "stop_judge"),
        (422, "stop_judge"),
        (429, "wait"),
        (499, "in_doubt"),
        (500, "in_doubt"),
        (501, "stop_judge"),
        (502, "in_doubt"),
        (503, "wait"),
        (504, "in_doubt"),
        (520, "in_doubt"),
        (522, "in_doubt"),
        (524, "in_doubt"),
        (529, "wait"),
        (599, "in_doubt"),
        (301, "stop_judge"),
        (307, "stop_judge"),
        (100, "in_doubt"),
        (0, "in_doubt"),
    ],
)
def test_status_alone_decides_when_the_body_says_nothing(status, action):
    for body in (
        b"",
        b"<html>Bad Gateway</html>",
        b"\xff",
        b"[]",
        b"{}",
        b'"x"',
        b'{"error": null}',
        b'{"detail": [1]}',
    ):
        assert classify_status("openai-chat", status, {}, body, NOW).action == action


def test_a_conflict_is_tried_again_only_once():
    assert failure(409).once
    assert not failure(429).once


@pytest.mark.parametrize(
    ("status", "error", "action"),
    [
        (
            429,
            {"type": "insufficient_quota", "code": "insufficient_quota", "message": "You exceeded your current quota"},
            "stop_run",
        ),
        (429, {"code": "rate_limit_exceeded", "type": "tokens"}, "wait"),
        (429, {"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}}, "stop_run"),
        (429, {"type": "rate_limit_error", "details": {"error_code": "contract_spend_limit_reached"}}, "stop_run"),
        (
            400,
            {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."},
            "stop_run",
        ),
        (400, {"message": "You have reached your specified API usage limits."}, "stop_run"),
        (402, {"type": "billing_error"}, "stop_run"),
        (402, {"metadata": {"limit_source": "openrouter_in_flight_budget"}}, "stop_run"),
        (429, {"status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota, check your plan"}, "wait"),
        (429, {"details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}]}]}, "stop_run"),
        (429, {"details": [{"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}]}, "wait"),
        (400, {"code": "unsupported_parameter", "param": "max_tokens"}, "stop_judge"),
        (400, {"code": "unsupported_value"}, "stop_judge"),
        (400, {"code": "context_length_exceeded"}, "stop_judge"),
        (400, {"message": "Invalid schema for response_format"}, "stop_judge"),
        (400, {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, "blocked"),
        (400, {"innererror": {"code": "ResponsibleAIPolicyViolation"}}, "blocked"),
        (400, {"code": "invalid_prompt"}, "blocked"),
        (
            403,
            {"message": "Request blocked: prompt injection patterns detected", "metadata": {"patterns": ["x"]}},
            "blocked",
        ),
        (403, {"message": "no", "metadata": {"reasons": ["violence"], "flagged_input": "…"}}, "blocked"),
        (403, {"message": "Your input was flagged"}, "blocked"),
        (403, {"type": "permission_error", "message": "Your key cannot use this resource"}, "stop_run"),
        (400, {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}, "stop_run"),
        (400, {"code": "invalid_api_key"}, "stop_run"),
        (404, {"code": "model_not_found"}, "stop_judge"),
        (400, {"code": "model_not_found"}, "stop_judge"),
        (404, {"availability": {"code": "model_deprecated", "retryable": False}}, "stop_judge"),
        (404, {"availability": {"code": "temporarily_unavailable", "retryable": True}}, "wait"),
        (503, {"availability": {"code": "no_endpoints", "retryable": False}}, "stop_judge"),
        (429, {"error_type": "rate_limit_exceeded", "availability": {"retryable": True, "retry_after": 40}}, "wait"),
        (529, {"type": "overloaded_error"}, "wait"),
        (413, {"type": "request_too_large"}, "blocked"),
        (503, {"status": "UNAVAILABLE"}, "wait"),
        (504, {"status": "DEADLINE_EXCEEDED"}, "in_doubt"),
        (500, {"status": "INTERNAL"}, "in_doubt"),
        (500, "a plain text", "in_doubt"),
    ],
)
def test_the_body_decides_before_the_status(status, error, action):
    assert failure(status, error).action == action


def test_money_bound_by_calls_in_flight_is_waited_for_if_the_api_says_how_long():
    error = {"metadata": {"limit_source": "openrouter_in_flight_budget"}}
    got = failure(402, error, {"Retry-After": "3"})
    assert (got.action, got.seconds) == ("wait", 3)


def test_an_error_body_that_is_a_list_of_one_is_unwrapped():
    body = json.dumps([{"error": {"details": [{"@type": "x/google.rpc.RetryInfo", "retryDelay": "26s"}]}}]).encode()
    got = classify_status("gemini", 429, {}, body, NOW)
    assert (got.action, got.seconds) == ("wait", 26)


DETAILS = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "26.660853464s"}]
CAPACITY = {"availability": {"retryable": True, "retry_after": 40}}


@pytest.mark.parametrize(
    ("headers", "error", "seconds"),
    [
        ({"retry-after-ms": "1250", "retry-after": "2", "x-ratelimit-reset-tokens": "6m0s"}, None, "1.25"),
        ({"Retry-After": "2"}, None, "2"),
        ({"RETRY-AFTER": "0.4930001"}, None, "0.494"),
        ({"retry-after": "299.997"}, None, "299.997"),
        ({"retry-after": "0"}, None, "0"),
        ({"retry-after": "999999"}, None, "999999"),
        ({"retry-after": "Tue, 01 Dec 2026 10:00:30 GMT"}, None, "30"),
        ({"retry-after": "Tue, 01 Dec 2026 12:00:30 +0200"}, None, "30"),
        ({"retry-after": "Tue, 01 Dec 2026 09:59:30 GMT"}, {"details": DETAILS}, "26.661"),
        ({}, {"details": DETAILS}, "26.661"),
        ({"retry-after": "-5"}, {"details": DETAILS}, "26.661"),
        ({"retry-after-ms": "nan", "retry-after": "7"}, None, "7"),
        ({"retry-after-ms": "-1", "retry-after": "Infinity"}, CAPACITY, "40"),
        ({}, {"metadata": CAPACITY}, "40"),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "1e999999"}, None, "1E+999999"),
        ({}, {"details": [{"retryDelay": "-3s"}, {"retryDelay": 5}]}, None),
        ({}, {"availability": {"retryable": True, "retry_after": True}}, None),
        ({}, None, None),
    ],
)
def test_how_long_to_wait(headers, error, seconds):
    got = failure(429, error, headers)
    assert got.action == "wait"
    assert got.seconds == (None if seconds is None else Decimal(seconds))


def test_a_date_needs_to_know_the_time():
    assert failure(429, None, {"retry-after": "Tue, 01 Dec 2026 10:00:30 GMT"}, now=None).seconds is None


def test_a_run_that_stops_is_not_told_to_wait():
    assert failure(401, None, {"retry-after": "5"}).seconds is None


def test_the_message_says_route_status_the_apis_words_and_what_to_do():
    got = failure(400, {"message": "Unsupported parameter:\n 'max_tokens'\x1b[31m.", "code": "unsupported_parameter"})
    assert got.message == (
        "openai-chat: HTTP 400: Unsupported parameter: 'max_tokens' [31m. "
        "The API refuses the request as it is made: correct the judge's settings"
    )
    assert len(failure(400, {"message": "x" * 5000}).message) < 500


def test_a_refused_key_is_not_quoted_because_the_api_echoes_parts_of_it():
    got = failure(401, {"message": "Incorrect API key provided: sk-svcac…JtAA", "code": "invalid_api_key"})
    assert "JtAA" not in got.message and "environment variable" in got.message


@pytest.mark.parametrize("kind", ["dns", "refused", "unreachable", "connect_timeout", "tls", "proxy"])
def test_what_never_left_is_tried_again(kind):
    assert classify_exception(kind).action == "retry"


@pytest.mark.parametrize(
    "kind", ["read_timeout", "deadline", "reset", "disconnected", "cut_body", "decode", "meteorite"]
)
def test_what_may_have_been_answered_is_in_doubt(kind):
    assert classify_exception(kind).action == "in_doubt"


@pytest.mark.parametrize("kind", ["invalid_url", "invalid_header"])
def test_what_can_never_be_sent_stops_the_run(kind):
    assert classify_exception(kind).action == "stop_run"


@given(st.integers(0, 999), st.dictionaries(st.sampled_from(["Retry-After", "retry-after-ms"]), st.text()), st.binary())
def test_no_response_crashes_the_classification(status, headers, body):
    got = classify_status("gemini", status, headers, body, NOW)
    assert got.message and (got.seconds is None or got.seconds >= 0)
