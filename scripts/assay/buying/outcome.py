"""The ways in which a request can stay without an answer that may be scored."""

from pathlib import Path

from assay.buying.settings import JudgeSettings
from assay.buying.stop import RunStopped, halt
from assay.model_match import matches
from assay.problems import UserError
from assay.routes import route
from assay.routes.shapes import Reply
from assay.store import Exchange


class CallFailed(UserError):
    """This request alone got no answer; the run goes on with the others, and the next start asks again."""


class HeldInDoubt(UserError):
    """A call for this request may have been billed without an answer, and the configuration says `in_doubt: hold`."""


class WrongModel(RunStopped):
    """Another model answered than the one that was asked for; the answer is kept, and not scored."""


def check_model(reply: Reply, judge: JudgeSettings, file: Path) -> None:
    """End the run unless the model that was asked for has answered. `file` holds the answer. Raises WrongModel."""
    problem = matches(judge.model, judge.accepted_ids, reply)
    if problem:
        again = "to ask again when the provider serves the right model, move that file away"
        message = f"judge {judge.id}: {problem}. The answer is kept in {file}, and is not scored; {again}"
        halt(file.parent.parent, message, WrongModel)


def check_stored(exchange: Exchange, judge: JudgeSettings, file: Path) -> None:
    """Do the same for an answer out of the store: the accepted ids may have changed since it was bought."""
    reply = route(judge.route).read_reply(exchange.status, exchange.headers, exchange.body)
    if isinstance(reply, Reply):
        check_model(reply, judge, file)
