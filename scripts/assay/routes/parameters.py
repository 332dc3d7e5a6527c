"""A judge's parameters: what Assay translates, what it passes on as it is, and what it refuses."""

from collections.abc import Mapping
from decimal import Decimal

from assay.problems import UserError

# Anthropic demands a limit; this leaves room for a model that thinks before it answers.
ANTHROPIC_OUTPUT_TOKENS = 16_000

# The names that an API itself has for the limit; any other one would bound nothing there.
_LIMITS = {
    "openai-chat": ("max_output_tokens", "max_completion_tokens", "max_tokens"),
    "openai-responses": ("max_output_tokens",),
    "anthropic-messages": ("max_output_tokens", "max_tokens"),
    "gemini": ("max_output_tokens", "maxOutputTokens", "generationConfig.maxOutputTokens"),
}
_ALL_LIMITS = ("max_output_tokens", "max_completion_tokens", "max_tokens", "maxOutputTokens")
_SUBSTITUTES = "would let another model answer, and a judge is never substituted"
_OWN = "is set by Assay itself"
_TOOLS = "a judge has no tools and no web"
_REFUSED = {
    **dict.fromkeys(("models", "fallbacks", "route", "preset"), _SUBSTITUTES),
    **dict.fromkeys(("n", "candidateCount", "best_of"), "would buy several answers; a judge gives one"),
    **dict.fromkeys(("stream", "stream_options", "background"), "is not used: the answer is read whole, in one call"),
    **dict.fromkeys(("tools", "tool_choice", "functions", "function_call", "toolConfig", "mcp_servers"), _TOOLS),
    **dict.fromkeys(("web_search_options", "container"), _TOOLS),
    **dict.fromkeys(("transforms", "truncation", "context_management"), "may cut the packet in silence"),
    **dict.fromkeys(("previous_response_id", "conversation", "cachedContent"), "would show the judge other packets"),
    **dict.fromkeys(("model", "messages", "input", "instructions", "system", "contents"), _OWN),
    **dict.fromkeys(("systemInstruction", "response_format", "output_format"), _OWN),
    **dict.fromkeys(("speed", "inference_geo"), "changes the price, and the price table has no row for it"),
}
_NOT_ON = {
    "anthropic-messages": {
        **dict.fromkeys(("temperature", "top_p", "top_k"), "is refused by this API; its models run at temperature 1"),
        "seed": "does not exist in this API",
    },
    "openai-responses": {"seed": "does not exist in this API"},
}


def check_parameters(route: str, model: str, parameters: Mapping) -> None:
    """Refuse what would make the judge another one, or would be refused by the API after the run has begun.

    `model` must be one pinned model, not an alias or a router. Raises UserError that says which and why.
    """
    _check_model(route, model)
    for name, value in parameters.items():
        if name in _ALL_LIMITS and name not in _LIMITS[route]:
            raise UserError(f"the parameter {name} is not what {route} calls its limit; write max_output_tokens")
        reason = _REFUSED.get(name) or _NOT_ON.get(route, {}).get(name) or _value_fault(name, value)
        if reason:
            raise UserError(f"the parameter {name} {reason}; remove it")
    given = [name for name in _LIMITS[route] if _at(parameters, name) is not None]
    if len(given) > 1:
        raise UserError(f"{' and '.join(given)} say the same thing; keep max_output_tokens alone")


def output_limit(route: str, parameters: Mapping) -> int | None:
    """Return the most output tokens (reasoning among them) that a request may cost, None if it sets no limit."""
    for name in _LIMITS.get(route, ()):
        value = _at(parameters, name)
        if value is not None:
            return int(value)
    return ANTHROPIC_OUTPUT_TOKENS if route == "anthropic-messages" else None


def split(parameters: Mapping) -> tuple[dict, dict]:
    """Part the neutral parameters (which each route writes in its own way) from those that go on as they are."""
    neutral = {key: value for key, value in parameters.items() if key in ("max_output_tokens", "reasoning_effort")}
    return neutral, {key: value for key, value in parameters.items() if key not in neutral}


def _at(parameters: Mapping, name: str) -> object:
    value: object = parameters
    for step in name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _check_model(route: str, model: str) -> None:
    name = model.lower()
    if not model or model != model.strip() or not model.isprintable() or " " in model:
        raise UserError(f"{model!r} is not a model id")
    if name.startswith("~") or name.endswith("latest"):
        raise UserError(f"the model {model} is an alias that moves to newer models; pin one model")
    if name in ("openrouter/auto", "auto") or name.startswith(("openrouter/", "@preset/")) or "@preset/" in name:
        raise UserError(f"the model {model} is a router that picks another model; pin one model")
    if name.endswith((":free", ":nitro", ":floor", ":online")):
        raise UserError(f"the model {model} changes who answers and how; write it without {model[model.rindex(':') :]}")
    if route == "gemini" and not all(c.isascii() and (c.isalnum() or c in "-._") for c in model):
        raise UserError(f"the model {model} is not a Gemini model id; write it without models/ before it")


def _value_fault(name: str, value: object) -> str:
    check = _VALUES.get(name)
    return check(value) if check else ""


def _whole(value: object) -> str:
    good = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return "" if good else f"must be a whole number above 0, not {value!r}"


def _number(value: object) -> str:
    good = isinstance(value, (int, Decimal)) and not isinstance(value, bool)
    return "" if good else f"must be a number, not {value!r}"


def _text(value: object) -> str:
    return "" if isinstance(value, str) and value else f"must be a word such as low or high, not {value!r}"


def _plugins(value: object) -> str:
    off = isinstance(value, list) and all(isinstance(item, dict) and item.get("enabled") is False for item in value)
    return "" if off else "switches on something that changes the packet or the answer"


def _provider(value: object) -> str:
    if not isinstance(value, dict):
        return f"must be OpenRouter's object with only or order, not {value!r}"
    if value.get("allow_fallbacks", False) is not False or value.get("require_parameters", True) is not True:
        return "allows fallbacks or ignored parameters; remove allow_fallbacks and require_parameters from it or all"
    return ""


def _text_options(value: object) -> str:
    return "" if isinstance(value, dict) and "format" not in value else "sets text.format, which is Assay's own"


def _output_config(value: object) -> str:
    good = isinstance(value, dict) and "format" not in value
    return "" if good else "sets output_config.format, which is Assay's own"


def _generation_config(value: object) -> str:
    own = ("candidateCount", "responseMimeType", "responseSchema", "responseJsonSchema", "responseFormat")
    if isinstance(value, dict) and "maxOutputTokens" in value and _whole(value["maxOutputTokens"]):
        return f"has a maxOutputTokens that {_whole(value['maxOutputTokens'])}"
    good = isinstance(value, dict) and not any(key in value for key in own)
    return "" if good else f"sets one of {', '.join(own)}, which are Assay's own"


_VALUES = {
    **dict.fromkeys(_ALL_LIMITS, _whole),
    "temperature": _number,
    "seed": lambda value: "" if isinstance(value, int) and not isinstance(value, bool) else "must be a whole number",
    "reasoning_effort": _text,
    "plugins": _plugins,
    "provider": _provider,
    "text": _text_options,
    "output_config": _output_config,
    "generationConfig": _generation_config,
}
