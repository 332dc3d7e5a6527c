"""Did the model that was asked for answer? Exact ids only: `gpt-4o` is also the beginning of `gpt-4o-mini`."""

from collections.abc import Iterable

from assay.routes.shapes import Reply


def matches(asked: str, accepted_ids: Iterable[str], reply: Reply) -> str:
    """Return '' if every model that took part is the asked one or one of the judge's accepted ids, else the problem.

    The text begins with `model_unknown` (the response names no model) or `wrong_model`.
    """
    accepted = {asked, *accepted_ids}
    if not reply.models:
        return f"model_unknown: {asked} was asked, and the response does not say which model answered"
    others = [model for model in reply.models if model not in accepted]
    if not others:
        return ""
    todo = "if it is the same model by another name, add that name to the judge's accepted_ids"
    return f"wrong_model: {asked} was asked, and {', '.join(others)} answered; {todo}"
