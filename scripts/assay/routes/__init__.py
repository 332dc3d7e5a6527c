"""The metered APIs that a judge can be reached by: one module each, and this table that lists them."""

from importlib import import_module
from types import ModuleType

from assay.problems import UserError

# The route that needs no API: see assay.embedded.
EMBEDDED = "embedded"

# Name -> module. A verdict needs one of them, so none is imported before it is asked for.
ROUTES = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic-messages": "anthropic_messages",
    "gemini": "gemini",
}


def route(name: str) -> ModuleType:
    """Return the module of the route `name`; it has endpoint, auth_header, http_call and read_reply.

    Raises UserError for a name that the table does not list.
    """
    if name not in ROUTES:
        raise UserError(f"the route {name!r} is not known; the metered routes are {', '.join(ROUTES)}")
    return import_module(f"assay.routes.{ROUTES[name]}")
