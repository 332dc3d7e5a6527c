"""A judge's API on loopback: real sockets, deterministic answers, counts, latency and faults on demand.

    python tests/http/server.py --port 0 --faults 0.3 --seed 1 --latency 0.01 --count-file calls.tsv

prints its base address and serves until it is killed. The count file gets a line per call: outcome, tab, the
SHA-256 of the request's body, tab, model; the outcome is `answered`, or the name of the fault.
"""

import argparse
import hashlib
import io
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import answers
import faults

_KEY_HEADERS = ("Authorization", "x-api-key", "x-goog-api-key", "api-key")


class JudgeServer(ThreadingHTTPServer):
    """The server. `answered` and `seen` count request bodies by SHA-256, `nonces` has the nonce in each; `kept` holds
    the answers that can be looked up."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        port: int = 0,
        plan: faults.Plan | None = None,
        latency: float = 0,
        count_file: Path | None = None,
        answers_as: dict[str, str] | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.plan = plan or faults.Plan()
        self.latency = latency
        self.count_file = count_file
        self.answers_as = answers_as or {}
        self.elsewhere = "http://127.0.0.1:9/"
        self.look_up = False  # whether lost answers can be looked up by id
        self.judge: Callable[[dict, str], str] = answers.verdict  # makes the reply to a request with a certain hash
        self.after_answer: Callable[[], None] = lambda: None
        self.seen: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.outcomes: list[tuple[float, str, str]] = []
        self.headers_seen: list[dict[str, str]] = []
        self.kept: dict[str, bytes] = {}
        self.nonces: dict[str, str] = {}
        self.in_flight: Counter[str] = Counter()  # by model
        self.most_in_flight: Counter[str] = Counter()  # by model; "" = of all together
        self.billed = Decimal(0)  # US dollars at $1 and $10 per million tokens, from the moment a model has run
        self._lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def calls(self) -> int:
        return self.seen.total()

    @property
    def duplicates(self) -> dict[str, int]:
        """Requests that were answered more than once."""
        return {sha: count for sha, count in self.answered.items() if count > 1}

    def count(self, outcome: str, sha: str, model: str) -> None:
        """Record one call's outcome in memory and in the count file."""
        with self._lock:
            self.outcomes.append((time.time(), outcome, sha))
            if outcome == "answered":
                self.answered[sha] += 1
            if self.count_file:
                line = f"{outcome}\t{sha}\t{model}\n".encode()
                handle = os.open(self.count_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
                os.write(handle, line)
                os.close(handle)

    @contextmanager
    def arrival(self, sha: str, model: str, headers: dict[str, str]) -> Iterator[None]:
        """Record that a call is being served."""
        with self._lock:
            self.seen[sha] += 1
            self.headers_seen.append(headers)
            self.in_flight[model] += 1
            now = {model: self.in_flight[model], "": self.in_flight.total()}
            self.most_in_flight.update({name: max(0, count - self.most_in_flight[name]) for name, count in now.items()})
        try:
            yield
        finally:
            with self._lock:
                self.in_flight[model] -= 1

    def bill(self, document: dict) -> None:
        """Record what the model's answer to a request costs."""
        with self._lock:
            self.billed += Decimal(answers.input_tokens(document) + answers.OUTPUT_TOKENS * 10) / 1_000_000

    def handle_error(self, request, client_address) -> None:
        """A caller that was killed breaks its connection; that is no error of the server."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection, one call."""

    protocol_version = "HTTP/1.1"
    server: JudgeServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.sha = hashlib.sha256(body).hexdigest()
        self.key_seen = next((self.headers[name] for name in _KEY_HEADERS if self.headers[name]), "no key")
        self.api = self._api()
        self.document = json.loads(body)
        self.asked = self.document.get("model") or unquote(self.path.rsplit("/", 1)[-1].split(":")[0])
        with self.server.arrival(self.sha, self.asked, dict(self.headers.items())):
            time.sleep(self.server.latency)
            self._serve()
        self.close_connection = True

    def do_GET(self) -> None:
        """Look up an answer by its id: OpenAI Responses and OpenRouter's generations."""
        parts = urlsplit(self.path)
        identity = (parse_qs(parts.query).get("id") or [parts.path.rsplit("/", 1)[-1]])[0]
        kept = self.server.kept.get(identity) if self.server.look_up else None
        if kept is None:
            self.reply(404, b'{"error":{"code":404,"message":"not found"}}')
        elif parts.path.endswith("/generation"):
            model = json.loads(kept)["model"]
            record = {"id": identity, "model": model, "total_cost": 0.0015, "finish_reason": "stop", "cancelled": False}
            tokens = {"native_tokens_prompt": 900, "native_tokens_completion": 120, "provider_name": "Test"}
            self.reply(200, json.dumps({"data": {**record, **tokens}}).encode())
        elif parts.path.endswith("/generation/content"):
            text = json.loads(kept)["choices"][0]["message"]["content"]
            self.reply(200, json.dumps({"data": {"input": {}, "output": {"completion": text}}}).encode())
        else:
            self.reply(200, kept)

    def _api(self) -> str:
        path = urlsplit(self.path).path
        for ending, api in (("/chat/completions", "chat"), ("/responses", "responses"), ("/messages", "messages")):
            if path.endswith(ending):
                return api
        return "gemini"

    def _serve(self) -> None:
        asked = self.asked
        model = self.server.answers_as.get(asked, asked)
        answer = self.answer_of(model)
        fault = self.server.plan.next(self.sha)
        self.server.nonces[self.sha] = answers.nonce(self.document)
        self.server.kept.update({f"resp_{self.sha[:12]}": answer, f"gen-{self.sha[:12]}": answer})
        if fault is None or fault in faults.ANSWERED or fault in faults.DOUBTFUL:
            self.server.bill(self.document)
        if fault is None or fault in faults.ANSWERED:
            self.server.count("answered", self.sha, asked)
        else:
            self.server.count(fault, self.sha, asked)
        if fault is None:
            self.reply(200, answer)
            self.server.after_answer()
        else:
            faults.FAULTS[fault](self, answer)

    def answer_of(self, model: str) -> bytes:
        """Return the proper answer, as if `model` had given it."""
        text = self.server.judge(self.document, self.sha)
        tokens = answers.input_tokens(self.document)
        return json.dumps(answers.envelope(self.api, model, text, self.sha, tokens)).encode()

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        """Send a whole response."""
        self.raw(status, body, {"Content-Length": str(len(body)), **headers})

    def raw(self, status: int, body: bytes, headers: dict[str, str], close: bool = True) -> None:
        """Send a response exactly as given, and hang up."""
        given = {"Content-Type": "application/json", "x-request-id": f"req_{time.time_ns()}", **headers}
        if self.server.look_up and getattr(self, "api", "") == "chat":
            given["X-Generation-Id"] = f"gen-{self.sha[:12]}"
        lines = [
            f"HTTP/1.1 {status} Status",
            *(f"{name}: {value}" for name, value in given.items()),
            "Connection: close",
        ]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        self.wfile.flush()
        self.close_connection = close

    def hang_up(self) -> None:
        """Close the connection without another byte."""
        self.close_connection = True
        self.connection.close()
        self.wfile = self.rfile = io.BytesIO()  # the library flushes and closes them afterwards

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing for each call."""


@contextmanager
def running(**options) -> Iterator[JudgeServer]:
    """Run a server in this process; options as for JudgeServer."""
    server = JudgeServer(**options)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--faults", type=float, default=0, help="share of the calls that meet a fault")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--names", nargs="*", help="the faults to choose from; default: those after which a retry helps"
    )
    parser.add_argument("--latency", type=float, default=0, help="seconds before each answer")
    parser.add_argument("--count-file", type=Path)
    args = parser.parse_args()
    plan = faults.Plan(args.faults, args.seed, args.names)
    server = JudgeServer(args.port, plan, args.latency, args.count_file)
    print(server.address, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
