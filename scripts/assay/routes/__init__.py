"""The metered APIs that a judge can be reached by: one module each, and this table that lists them."""

from types import ModuleType

from assay.problems import UserError
from assay.routes import anthropic_messages, gemini, openai_chat, openai_responses

ROUTES: dict[str, ModuleType] = {
    module.NAME: module for module in (openai_chat, openai_responses, anthropic_messages, gemini)
}


def route(name: str) -> ModuleType:
    """Return the module of the route `name`; it has NAME, endpoint, auth_header, http_call and read_reply.

    Raises UserError for a name that the table does not list.
    """
    if name not in ROUTES:
        raise UserError(f"the route {name!r} is not known; the metered routes are {', '.join(ROUTES)}")
    return ROUTES[name]
