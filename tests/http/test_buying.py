"""Buying against a real server on loopback: what each fault leads to; nothing is paid twice, lost or leaked."""

import json
import random
import shutil
import ssl
import subprocess
import time
from decimal import Decimal

import pytest
from faults import BLOCKING, DOUBTFUL, FATAL, PASSING
from server import running
from support import ENVIRON, KEY, buy, check_books, judge, request, start

from assay import routes
from assay.buying.budget import totals
from assay.buying.buy import answer
from assay.buying.journal import Journal, ever_in_doubt, in_doubt
from assay.buying.outcome import CallFailed, HeldInDoubt, WrongModel
from assay.buying.stop import RunStopped, clear_stop
from assay.canonical import sha256
from assay.problems import UserError
from assay.routes import ROUTES
from assay.store import Store


@pytest.fixture
def server():
    with running() as server:
        yield server


def states(store, number=1, route="openai-chat"):
    return [attempt.state for attempt in Journal(store).attempts(sha256(request(number, route)))]


def no_key_in(folder):
    forms = (KEY, KEY[:16], KEY.replace("/", "\\/"))
    for path in folder.rglob("*"):
        assert path.is_dir() or not any(form.encode() in path.read_bytes() for form in forms), path
    return True


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_an_answer_is_bought_once_and_then_replayed_without_key_or_network(server, tmp_path, route):
    settings = judge(server.address, route)
    bought = buy(tmp_path, 1, settings)
    reply = routes.route(route).read_reply(bought.status, bought.headers, bought.body)
    assert json.loads(reply.text)["nonce"] == f"{1:032x}"
    server.shutdown()
    replayed = answer(request(1, route), settings, {}, tmp_path, environ={})
    assert replayed == bought
    assert server.calls == 1
    assert [attempt.state for attempt in Journal(tmp_path).attempts()] == ["stored"]
    assert Journal(tmp_path).attempts()[0].cost == Decimal("0.0021")


@pytest.mark.parametrize("fault", sorted(PASSING))
def test_a_passing_fault_ends_in_an_answer_and_is_in_doubt_exactly_when_it_may_have_been_billed(
    server, tmp_path, fault
):
    server.plan.script = [fault]
    bought = buy(tmp_path, 1, judge(server.address))
    assert json.loads(bought.body)["model"] == "judge-1"
    if server.answered.total() == server.calls:
        assert states(tmp_path) == ["stored"]
    else:
        assert states(tmp_path) == ["in_doubt" if fault in DOUBTFUL else "failed", "stored"]
    assert len(ever_in_doubt(Journal(tmp_path), Store(tmp_path))) == (fault in DOUBTFUL)
    assert in_doubt(Journal(tmp_path), Store(tmp_path)) == []
    assert no_key_in(tmp_path)


@pytest.mark.parametrize("route", ["anthropic-messages", "gemini", "openai-responses"])
@pytest.mark.parametrize("fault", ["status_529", "status_500", "rate_fraction", "rate_gemini", "error_200", "cut_gzip"])
def test_the_other_apis_forms_of_a_fault_pass_too(server, tmp_path, route, fault):
    server.plan.script = [fault]
    buy(tmp_path, 1, judge(server.address, route))
    assert states(tmp_path, 1, route) == ["in_doubt" if fault in DOUBTFUL else "failed", "stored"]


@pytest.mark.parametrize("fault", sorted(set(FATAL) - {"wrong_model"}))
@pytest.mark.parametrize("route", ["openai-chat", "anthropic-messages"])
def test_a_fatal_fault_stops_every_later_call_of_the_run_until_it_is_started_again(server, tmp_path, fault, route):
    server.plan.script = [fault]
    settings = judge(server.address, route)
    with pytest.raises(RunStopped) as first:
        buy(tmp_path, 1, settings)
    assert str(first.value).startswith("judge big1: ")
    with pytest.raises(RunStopped, match="no call was made"):
        buy(tmp_path, 2, settings)
    assert server.calls == 1
    assert states(tmp_path, 1, route) == ["failed"]
    assert no_key_in(tmp_path)
    clear_stop(tmp_path)
    buy(tmp_path, 2, settings)
    assert server.calls == 2


@pytest.mark.parametrize("fault", sorted(BLOCKING))
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_a_blocked_packet_fails_alone_and_its_refusal_replays_for_ever(server, tmp_path, fault, route):
    server.plan.script = [fault]
    settings = judge(server.address, route)
    refused = buy(tmp_path, 1, settings)
    buy(tmp_path, 2, settings)
    assert server.calls == 2
    assert answer(request(1, route), settings, {}, tmp_path, environ={}) == refused
    assert server.calls == 2
    failure = routes.route(route).read_reply(refused.status, refused.headers, refused.body)
    assert failure.action == "blocked"
    assert states(tmp_path, 1, route) == ["failed"]
    assert totals(Journal(tmp_path)).spent == Decimal("0.0021")


def test_an_answer_of_another_model_is_kept_stops_the_run_and_is_not_bought_again(server, tmp_path):
    server.plan.script = ["wrong_model"]
    settings = judge(server.address)
    with pytest.raises(WrongModel, match="another-model-2026-01-01"):
        buy(tmp_path, 1, settings)
    assert states(tmp_path) == ["stored"]
    with pytest.raises(RunStopped):
        buy(tmp_path, 2, settings)
    clear_stop(tmp_path)
    with pytest.raises(WrongModel):
        buy(tmp_path, 1, settings)
    clear_stop(tmp_path)
    buy(tmp_path, 1, judge(server.address, accepted_ids=("another-model-2026-01-01",)))
    assert server.calls == 1


def test_after_too_many_calls_in_doubt_the_request_alone_fails_and_says_so(server, tmp_path):
    server.plan.script = ["status_500"] * 3
    with pytest.raises(CallFailed, match="no answer after 3 calls"):
        buy(tmp_path, 1, judge(server.address, max_attempts=3))
    buy(tmp_path, 2, judge(server.address))
    assert len(in_doubt(Journal(tmp_path), Store(tmp_path))) == 3


def test_calls_that_may_have_been_billed_in_vain_are_few_for_a_request_and_end_the_run_of_an_ill_provider(
    server, tmp_path
):
    server.plan.script = ["status_500"] * 3 + [None] + ["status_502", "cut_length", "no_response"] * 5
    settings = judge(server.address, max_doubtful=3)
    with pytest.raises(CallFailed, match="no answer after 3 calls"):
        buy(tmp_path, 1, settings)
    buy(tmp_path, 2, settings)
    for number in range(3, 7):
        with pytest.raises(CallFailed):
            buy(tmp_path, number, settings)
    with pytest.raises(RunStopped, match="the 5th request in a row without an answer"):
        buy(tmp_path, 7, settings)
    with pytest.raises(RunStopped):
        buy(tmp_path, 8, settings)
    assert server.calls == 3 + 1 + 5 * 3
    clear_stop(tmp_path)
    buy(tmp_path, 8, settings)


def test_an_unreachable_server_stops_the_run_without_a_call_in_doubt(tmp_path):
    with running() as server:
        address = server.address
    with pytest.raises(RunStopped, match="no answer after 2 calls"):
        buy(tmp_path, 1, judge(address, max_attempts=2))
    assert states(tmp_path) == ["failed", "failed"]
    assert "refused" in Journal(tmp_path).attempts()[0].why
    with pytest.raises(RunStopped, match="resolved"):
        buy(tmp_path / "b", 1, judge("https://judge.invalid", max_attempts=1))


def test_hold_keeps_a_request_in_doubt_from_being_sent_again_until_the_user_says_so(server, tmp_path):
    server.plan.script = ["no_response"]
    for _ in range(2):
        with pytest.raises(HeldInDoubt, match=sha256(request(1))):
            buy(tmp_path, 1, judge(server.address, in_doubt="hold"))
    assert server.calls == 1
    buy(tmp_path, 1, judge(server.address))
    assert server.calls == 2
    assert [attempt.resent for attempt in Journal(tmp_path).attempts()] == [True, False]


def test_a_lost_answer_is_looked_up_at_openrouter_by_its_id(server, tmp_path):
    server.look_up, server.plan.script = True, ["cut_length"]
    bought = buy(tmp_path, 1, judge(server.address))
    assert server.calls == 1
    assert bought.headers["assay-recovered"] == "openrouter-generation"
    reply = routes.route("openai-chat").read_reply(bought.status, bought.headers, bought.body)
    assert (json.loads(reply.text)["nonce"], reply.models) == (f"{1:032x}", ("judge-1",))
    assert Journal(tmp_path).attempts()[0].cost == Decimal("0.0015")


def test_a_lost_answer_is_looked_up_at_openai_responses_by_its_id(server, tmp_path):
    server.look_up, server.plan.script = True, ["cut_closed"]
    bought = buy(tmp_path, 1, judge(server.address, "openai-responses"))
    assert (server.calls, bought.headers["assay-recovered"]) == (1, "openai-responses")
    assert states(tmp_path, 1, "openai-responses") == ["stored"]


def test_a_server_without_a_trusted_certificate_gets_no_request(server, tmp_path):
    address = server.address.replace("http:", "https:")
    with pytest.raises(RunStopped, match="no trusted TLS connection"):
        buy(tmp_path, 1, judge(address, max_attempts=1))
    assert (server.calls, states(tmp_path)) == (0, ["failed"])


@pytest.fixture
def tls_server(server, tmp_path, monkeypatch):
    """The server behind TLS, with a certificate that is trusted for the time of the test."""
    if not shutil.which("openssl"):
        pytest.skip("SKIPPED: there is no openssl to make a certificate with, so TLS is not tested")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    order = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*order.split(), *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    monkeypatch.setattr("requests.adapters.DEFAULT_CA_BUNDLE_PATH", str(certificate))
    return server


def test_an_answer_comes_over_tls_and_the_deadline_holds_there_too(tls_server, tmp_path):
    address = f"https://localhost:{tls_server.server_address[1]}"
    tls_server.plan.script = ["trickle", "cut_length", "reset"]
    buy(tmp_path, 1, judge(address, deadline_seconds=3, read_seconds=30, max_doubtful=4))
    reasons = [attempt.why for attempt in Journal(tmp_path).attempts()]
    assert ["deadline" in reasons[0], "cut off" in reasons[1], "reset" in reasons[2]] == [True] * 3


def test_the_bytes_of_an_unusable_answer_are_kept(server, tmp_path):
    server.plan.script = ["html"]
    buy(tmp_path, 1, judge(server.address))
    kept = json.loads((tmp_path / "doubtful" / f"{sha256(request(1))}.1.json").read_text())
    assert "502 Bad Gateway" in kept["response"]["body"]


def test_a_trickle_ends_at_the_deadline(server, tmp_path):
    server.plan.script = ["trickle"]
    begun = time.monotonic()
    buy(tmp_path, 1, judge(server.address, deadline_seconds=0.5, read_seconds=30))
    assert time.monotonic() - begun < 2.5
    assert "deadline" in Journal(tmp_path).attempts()[0].why


def test_a_silent_server_ends_at_the_deadline_even_before_the_head_of_its_answer(server, tmp_path):
    server.plan.script = ["hang"]
    begun = time.monotonic()
    buy(tmp_path, 1, judge(server.address, deadline_seconds=0.5, read_seconds=30))
    assert time.monotonic() - begun < 1.9


def test_a_redirect_is_not_followed_and_the_key_goes_nowhere_else(server, tmp_path):
    with running() as other:
        server.elsewhere = f"{other.address}/v1/chat/completions"
        server.plan.script = ["redirect"]
        with pytest.raises(RunStopped, match="redirects"):
            buy(tmp_path, 1, judge(server.address))
        assert other.calls == 0


def test_netrc_and_proxies_of_the_environment_are_not_used(server, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password from-netrc\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    buy(tmp_path / "store", 1, judge(server.address))
    assert server.headers_seen[0]["Authorization"] == f"Bearer {KEY}"


def test_a_key_echoed_by_the_server_is_in_no_file_and_no_message(server, tmp_path, capfd):
    server.plan.script = ["echo", "status_500", "error_200", "rate_fraction", "echo"]
    for number in range(1, 4):
        buy(tmp_path, number, judge(server.address))
    server.plan.script = ["status_401"]
    with pytest.raises(RunStopped) as stopped:
        buy(tmp_path, 4, judge(server.address))
    output = capfd.readouterr()
    assert KEY[:12] not in str(stopped.value) + output.out + output.err
    assert no_key_in(tmp_path)
    assert sum(b"[key removed]" in path.read_bytes() for path in tmp_path.rglob("*.json")) >= 2


@pytest.mark.parametrize(
    "bad", ["", "   ", "sk-two\nlines-0123456789", "sk-ключ-0123456789", "two words 0123456", "short"]
)
def test_what_cannot_be_a_key_stops_the_run_before_any_call_and_is_not_shown(server, tmp_path, bad):
    with pytest.raises(RunStopped, match="JUDGE_KEY") as stopped:
        answer(request(1), judge(server.address), {}, tmp_path, environ={"JUDGE_KEY": bad})
    assert not bad.strip() or bad.split()[0] not in str(stopped.value)
    assert server.calls == 0


@pytest.mark.parametrize(
    "address",
    ["http://example.com", "ftp://127.0.0.1", "https://me:secret@example.com", "http://127.0.0.1.example.com"],
)
def test_an_address_that_could_leak_the_key_is_refused(tmp_path, address):
    with pytest.raises(UserError) as refused:
        answer(request(1), judge(address), {}, tmp_path, environ=ENVIRON)
    assert "secret" not in str(refused.value)


def test_two_processes_that_ask_for_the_same_request_send_it_once(server, tmp_path):
    server.latency = 0.3
    processes = [start(tmp_path, server.address, [1, 2]) for _ in range(3)]
    printed = [process.communicate(timeout=20)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert len(set(printed)) == 1
    assert server.calls == 2


def test_a_refused_key_is_tried_once_even_when_many_processes_begin_together(server, tmp_path):
    server.latency, server.plan.script = 0.3, ["status_401"] * 8
    processes = [start(tmp_path, server.address, [number]) for number in range(6)]
    errors = [process.communicate(timeout=20)[1] for process in processes]
    assert all("refused the key" in error and "Traceback" not in error for error in errors), errors
    assert server.calls == 1


def test_a_request_that_meets_a_second_conflict_is_given_up(server, tmp_path):
    server.plan.script = ["status_409", "status_409"]
    with pytest.raises(CallFailed, match="no answer after 2 calls"):
        buy(tmp_path, 1, judge(server.address))
    assert server.calls == 2
    assert buy(tmp_path, 1, judge(server.address)).status == 200


def test_a_rate_limit_met_by_one_process_slows_the_others(server, tmp_path):
    settings = judge(server.address)
    buy(tmp_path, 0, settings)
    server.plan.script = ["rate_seconds"]
    first = start(tmp_path, server.address, [1])
    while server.calls < 2:
        assert first.poll() is None, first.communicate()
        time.sleep(0.01)
    limited = time.time()
    time.sleep(0.2)
    buy(tmp_path, 2, settings)
    first.communicate(timeout=20)
    assert all(moment - limited > 0.9 for moment, outcome, _ in server.outcomes[2:])
    assert [outcome for _, outcome, _ in server.outcomes[2:]] == ["answered", "answered"]


@pytest.mark.parametrize("limit", [{"requests_per_minute": 5}, {"tokens_per_minute": 5 * 500}])
def test_the_limits_of_a_minute_hold_over_all_processes(server, tmp_path, limit):
    """A request is reckoned as about 500 tokens: 300 read, and its limit of 200 written."""
    numbers = [list(range(start, start + 3)) for start in (0, 3, 6)]
    processes = [start(tmp_path, server.address, part, **limit) for part in numbers]
    time.sleep(3)
    for process in processes:
        process.kill()
        process.communicate()
    assert server.answered.total() in ((5,) if "requests_per_minute" in limit else (4, 5, 6))


def test_killed_at_random_instants_only_what_was_in_flight_is_bought_again_and_it_is_listed(server, tmp_path):
    server.latency = 0.03
    numbers, chance = list(range(40)), random.Random(7)
    buy(tmp_path, 0, judge(server.address))
    for _ in range(8):
        process = start(tmp_path, server.address, numbers)
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.25))
        process.kill()
        process.communicate()
    assert start(tmp_path, server.address, numbers).wait(timeout=20) == 0
    assert 1 <= check_books(server, tmp_path, numbers) <= 8


def test_killed_between_the_answer_and_its_place_in_the_store_the_books_still_agree(server, tmp_path):
    numbers, chance, process = list(range(20)), random.Random(11), None

    def kill():
        time.sleep(chance.uniform(0, 0.012))
        process.kill()

    server.after_answer = kill
    for _ in range(16):
        process = start(tmp_path, server.address, numbers)
        process.communicate(timeout=20)
    stored = len(list(Store(tmp_path).names()))
    assert stored >= 1, "some kills must fall after the rename"
    server.after_answer = lambda: None
    assert start(tmp_path, server.address, numbers).wait(timeout=20) == 0
    assert 1 <= check_books(server, tmp_path, numbers) <= 16


def test_sixteen_processes_never_pass_the_budget_together(server, tmp_path):
    """A call costs $0.0021 at this server; its greatest price is below $0.0042; so the cap of $0.05 allows 21 to 23."""
    server.latency = 0.05
    processes = [start(tmp_path, server.address, [number, number + 16], budget_usd="0.05") for number in range(16)]
    errors = [process.communicate(timeout=50)[1] for process in processes]
    journal = Journal(tmp_path)
    spent = Decimal(0)
    most = Decimal(0)
    open_calls: dict = {}
    for line in journal.lines():
        key = (line["sha"], line["attempt"])
        if line["event"] == "sent":
            open_calls[key] = Decimal(line["reserved"])
        else:
            del open_calls[key]
            spent += line["cost"] or 0
        most = max(most, spent + sum(open_calls.values()))
    assert most <= Decimal("0.05")
    assert 21 <= server.answered.total() <= 23
    assert spent == Decimal("0.0021") * server.answered.total()
    assert any("the budget of $0.05 does not allow another call" in error for error in errors)
    assert not any("Traceback" in error for error in errors)
    clear_stop(tmp_path)
    for number in range(32):
        buy(tmp_path, number, judge(server.address, budget_usd=Decimal(1)))
    assert server.answered.total() == 32


def test_a_budget_without_a_price_or_a_limit_of_output_buys_nothing_and_says_what_to_set(server, tmp_path):
    with pytest.raises(RunStopped, match=r"its price of today is not known\. Look it up and add a row"):
        buy(tmp_path, 1, judge(server.address, price=None, budget_usd=Decimal(1)))
    with pytest.raises(RunStopped, match=r"Set judges\.big1\.parameters\.max_output_tokens in config\.yaml"):
        unlimited = request(1, parameters={})
        answer(unlimited, judge(server.address, budget_usd=Decimal(1)), {}, tmp_path / "b", environ=ENVIRON)
    assert server.calls == 0


def test_a_call_in_doubt_keeps_its_reserved_price_in_the_budget(server, tmp_path):
    server.plan.script = ["no_response"]
    buy(tmp_path, 1, judge(server.address))
    reserved = Journal(tmp_path).attempts()[0].reserved
    cap = reserved + Decimal("0.0021") + reserved
    buy(tmp_path, 2, judge(server.address, budget_usd=cap))
    with pytest.raises(RunStopped, match="held for 1 calls in doubt"):
        buy(tmp_path, 3, judge(server.address, budget_usd=cap))
