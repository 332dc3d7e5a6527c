"""Buying one answer: journal, send, keep, and do what follows from each failure."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from assay import problems
from assay.buying import keys, recover
from assay.buying.budget import send_line, unbounded
from assay.buying.clock import Clock
from assay.buying.interrupt import to_its_end
from assay.buying.journal import Attempt, Event, Journal
from assay.buying.limits import Limits
from assay.buying.outcome import CallFailed, HeldInDoubt, check_model
from assay.buying.send import Answered, Lost, Patience, send
from assay.buying.settings import JudgeSettings
from assay.buying.stop import answered, check, first_call_alone, halt, pause, unanswered
from assay.canonical import sha256
from assay.cost import cost_usd, greatest_cost, input_tokens_at_most
from assay.problems import UserError
from assay.redact import redact, redact_bytes
from assay.routes import route
from assay.routes.failures import classify_exception
from assay.routes.parameters import output_limit
from assay.routes.shapes import Failure, Reply
from assay.store import Exchange, Store

_TOO_MANY_REQUESTS = 429
_SILENT_REQUESTS = 5  # in a row: a provider that is ill must not be paid in vain for a whole run
_BYTES_PER_TOKEN = 4  # of ordinary text; an estimate for pacing only, which a 429 corrects


class Purchase:
    """Buys the answer to one request. Whoever makes it holds the request's lock."""

    def __init__(
        self,
        request: dict,
        judge: JudgeSettings,
        images: Mapping[str, bytes],
        root: Path,
        clock: Clock,
        environ: Mapping[str, str],
    ) -> None:
        self.request, self.judge, self.root, self.clock = request, judge, root, clock
        self.sha, self.store, self.journal = sha256(request), Store(root), Journal(root)
        self.limits = Limits(root, judge, clock)
        self.patience = Patience(judge.connect_seconds, judge.read_seconds, judge.deadline_seconds)
        check(root)
        self.route = route(judge.route)
        self.call = self.route.http_call(request, judge.base_url, images)
        try:
            keys.check_address(self.call.url)
            self.key = keys.read_key(judge.key_env, environ) if judge.key_env else ""
        except UserError as error:
            halt(root, f"judge {judge.id}: {error}")
        auth = dict([self.route.auth_header(self.key, judge.auth)]) if self.key else {}
        self.headers = {**self.call.headers, **auth}
        self.greatest = greatest_cost(request, judge.price)
        if judge.budget_usd is not None and self.greatest is None:
            why = unbounded(judge.id, judge.route, judge.model, request["parameters"], judge.price)
            halt(root, why or f"judge {judge.id}: there is a budget, but the price does not hold for so long a request")
        output = output_limit(request["route"], request["parameters"]) or 0
        self.tokens = input_tokens_at_most(request) // _BYTES_PER_TOKEN + output

    def make(self) -> Exchange:
        """Return the answer, stored. Raises what `assay.buying.buy.answer` says."""
        earlier = self.journal.attempts(self.sha)
        for attempt in earlier:
            found = self._settle_earlier(attempt)
            if found:
                return found
        return self._try(1 + max((attempt.number for attempt in earlier), default=0))

    def _try(self, number: int) -> Exchange:
        began, tries, waits, doubts, repeated = self.clock.monotonic(), 0, 0, 0, False
        while True:
            result, status = self._attempt(number)
            if isinstance(result, Exchange):
                return result
            number += 1
            if status == _TOO_MANY_REQUESTS:  # starts no work, so that only the total time bounds it
                waits += 1
                seconds = self._slow_down(result, waits)
            else:
                tries += 1
                doubts += result.action == "in_doubt"
                seconds = self._seconds(result, tries)
            late = self.clock.monotonic() - began + seconds > self.judge.total_seconds
            often = tries >= self.judge.max_attempts or doubts >= self.judge.max_doubtful
            if late or often or (result.once and repeated):
                self._give_up(result, tries + waits)
            repeated = repeated or result.once
            problems.log(f"judge {self.judge.id}: {result.message}; next try in {seconds:.1f} s")
            if status != _TOO_MANY_REQUESTS:
                pause(self.root, seconds, self.clock)

    def _attempt(self, number: int) -> tuple[Exchange | Failure, int]:
        """Make one call. Returns the exchange, or a failure after which to try again; and the HTTP status, 0 = none."""
        with first_call_alone(self.root, self.judge.id):
            self.limits.take(self.tokens)
            with to_its_end():
                return self._call(number)

    def _call(self, number: int) -> tuple[Exchange | Failure, int]:
        send_line(self.journal, self.judge, self.sha, number, self.greatest, self.clock)
        sent = self.clock.stamp()
        outcome = self._send("POST", self.call.url, self.call.body, self._journal_id(number))
        result = self._read(outcome)
        status = outcome.status if isinstance(outcome, Answered) else 0
        if isinstance(result, Reply):
            answered(self.root, self.judge.id)
            exchange = self._keep(number, outcome, result, sent)
            check_model(result, self.judge, self.store.path(self.sha))
            return exchange, status
        return self._after_failure(number, result, outcome, sent), status

    def _send(self, method: str, url: str, body: bytes | None, on_head=lambda headers: None) -> Answered | Lost:
        """Send a call with the key, and remove the key from whatever comes back."""
        outcome = send(method, url, self.headers, body, self.patience, on_head)
        if isinstance(outcome, Answered):
            return self._clean(outcome)
        partial = outcome.partial and self._clean(outcome.partial)
        if partial and not 200 <= partial.status < 300:  # an error is known by its status, even with half of its words
            return partial
        return Lost(outcome.kind, partial)

    def _clean(self, answered: Answered) -> Answered:
        if not self.key:
            return answered
        headers = {name: redact(value, [self.key]) for name, value in answered.headers.items()}
        return Answered(answered.status, headers, redact_bytes(answered.body, [self.key]))

    def _journal_id(self, number: int):
        def on_head(headers: Mapping[str, str]) -> None:
            identity = recover.generation_id(headers)
            if identity:
                self._note("answering", number, answer_id=identity)

        return on_head

    def _read(self, outcome: Answered | Lost) -> Reply | Failure:
        if isinstance(outcome, Lost):
            return classify_exception(outcome.kind)
        now = datetime.fromtimestamp(self.clock.now(), UTC)
        return self.route.read_reply(outcome.status, outcome.headers, outcome.body, now)

    def _keep(self, number: int, outcome: Answered, reply: Reply, sent: str) -> Exchange:
        """Put a whole answer on the disk, then settle its price."""
        exchange = self._put(outcome, sent)
        self._note("stored", number, cost=cost_usd(reply.usage, self.judge.price, reply.cost_usd))
        return exchange

    def _put(self, outcome: Answered, sent: str) -> Exchange:
        try:
            return self.store.put(self.request, outcome.status, outcome.headers, outcome.body, sent, self.clock.stamp())
        except OSError as error:
            halt(
                self.root,
                f"{self.store.path(self.sha)}: an answer was received, but cannot be written ({error.strerror}). "
                "Make room on the disk and start again; its call is listed as in doubt, since it may have been billed.",
            )

    def _after_failure(self, number: int, failure: Failure, outcome: Answered | Lost, sent: str) -> Exchange | Failure:
        """Write the failure down and do what it demands.

        Returns an exchange where the answer could be looked up, or where the API refuses this packet for good.
        """
        if failure.action == "in_doubt":
            return self._doubt(number, failure, outcome, sent) or failure
        if failure.action == "blocked":  # kept like an answer, so that the packet is not sent again at every start
            answered(self.root, self.judge.id)
            exchange = self._put(outcome, sent)
            self._note("failed", number, why=failure.message)
            return exchange
        self._note("failed", number, why=failure.message)
        if failure.action in ("stop_judge", "stop_run"):
            halt(self.root, f"judge {self.judge.id}: {failure.message}")
        return failure

    def _doubt(self, number: int, failure: Failure, outcome: Answered | Lost, sent: str) -> Exchange | None:
        partial = outcome.partial if isinstance(outcome, Lost) else outcome
        if partial is not None:
            self.store.keep_doubtful(
                self.request, number, failure.message, partial.status, partial.headers, partial.body, self.clock.stamp()
            )
        identity = recover.answer_id(self.judge.route, partial)
        self._note("in_doubt", number, why=failure.message, answer_id=identity)
        attempt = Attempt(
            self.sha, self.judge.id, number, sent, self.greatest, "in_doubt", None, identity, failure.message
        )
        return self._settle_doubt(attempt)

    def _settle_earlier(self, attempt: Attempt) -> Exchange | None:
        """Deal with a call of an earlier process: one without an outcome is in doubt, since its sender is gone."""
        if attempt.state == "sent":
            why = "the process ended before the answer was on the disk"
            attempt = replace(attempt, state="in_doubt", why=why)
            self._note("in_doubt", attempt.number, why=why, answer_id=attempt.answer_id)
        return self._settle_doubt(attempt) if attempt.state == "in_doubt" and not attempt.resent else None

    def _settle_doubt(self, attempt: Attempt) -> Exchange | None:
        """Look the answer up where the API can; else hold the request, or note that it is sent again."""
        if attempt.answer_id and attempt.cost is None:
            exchange = self._look_up(attempt)
            if exchange:
                return exchange
        if self.judge.in_doubt == "hold":
            raise HeldInDoubt(
                f"judge {self.judge.id}: call {attempt.number} for request {self.sha}, sent at {attempt.sent}, may "
                f"have been billed, and its answer is lost ({attempt.why}). It is held, since in_doubt is `hold`: look "
                "at the provider's log, then set in_doubt to `resend` to buy the answer again."
            )
        self._note("resent", attempt.number)
        return None

    def _look_up(self, attempt: Attempt) -> Exchange | None:
        found = recover.look_up(
            self.call.url,
            attempt.answer_id,
            lambda url: self._send("GET", url, None),
            lambda tries: pause(self.root, self.judge.backoff_seconds * 2 ** (tries - 1), self.clock),
        )
        if found.answer:
            reply = self._read(found.answer)
            if isinstance(reply, Reply):
                return self._keep(attempt.number, found.answer, reply, attempt.sent)
        if found.cost is not None:
            self._note("looked_up", attempt.number, cost=found.cost)
        return None

    def _slow_down(self, failure: Failure, waits: int) -> float:
        """Let every job of this judge wait after a 429. Returns the seconds."""
        seconds = self._seconds(failure, waits)
        self.limits.slow_down(seconds)
        return seconds

    def _seconds(self, failure: Failure, tries: int) -> float:
        """Return how long to wait: what the API asks for, else doubled each time, with jitter, up to the longest."""
        if failure.seconds is None:
            longest = min(self.judge.backoff_seconds * 2 ** (tries - 1), self.judge.longest_backoff_seconds)
            return longest * (0.5 + self.clock.chance() / 2)
        if failure.seconds > self.judge.longest_wait_seconds:
            halt(
                self.root,
                f"judge {self.judge.id}: the provider asks to wait {failure.seconds} s, longer than the "
                f"{self.judge.longest_wait_seconds:g} s that a job may wait ({failure.message}). Start again later; "
                "every answer so far is kept.",
            )
        return float(failure.seconds)

    def _give_up(self, failure: Failure, calls: int) -> NoReturn:
        message = f"judge {self.judge.id}: no answer after {calls} calls; the last one: {failure.message}"
        if failure.action in ("wait", "retry") and not failure.once:  # the others would fare no better
            halt(self.root, f"{message}. Start again later; every answer so far is kept.")
        silent = unanswered(self.root, self.judge.id)
        if silent >= _SILENT_REQUESTS:
            halt(
                self.root,
                f"{message}. It is the {silent}th request in a row without an answer, and each call may have been "
                "billed, so the run goes no further. Look at the provider's status page, and start again later.",
            )
        raise CallFailed(f"{message}. The request is {self.sha}; start again to ask once more.")

    def _note(self, event: Event, number: int, **fields: object) -> None:
        self.journal.add(event, sha=self.sha, attempt=number, time=self.clock.stamp(), **fields)
