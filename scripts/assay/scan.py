"""Scan what a candidate wrote for text that is aimed at a judge. It flags, and never edits or scores."""

import re

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\U000e0000-\U000e007f]|\x1b\\[")
_TEMPLATE = re.compile(
    r"<\|[a-z_]{2,30}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|think|thinking)>|^\s*(?:system|assistant)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_VERDICT = re.compile(
    r"""["'](?:scores?|fidelity|nonce|overall|verdict|rating)["']\s*:\s*(?:[{\d"'\[])""", re.IGNORECASE
)
_JUDGE = r"(?:judges?|graders?|evaluators?|reviewers?|scorers?|raters?|assessors?)"
_ADDRESSED = re.compile(
    rf"\b(?:dear|note to|attention|message (?:to|for)|instructions? (?:to|for)|hey|hello)\s+(?:the\s+|any\s+|all\s+)?"
    rf"(?:ai\s+|llm\s+|model\s+)?{_JUDGE}\b"
    rf"|\bas (?:a|an|the) (?:ai\s+|llm\s+)?{_JUDGE},? you\b"
    rf"|\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+)*(?:previous|prior|above|earlier"
    rf"|preceding|rubric|system|scoring|grading)\b"
    rf"|\b(?:give|award|assign|rate|score)\s+(?:this|me|my|it|the)\s*(?:answer|response|submission|work|code)?\s*"
    rf"(?:a\s+|with\s+|at\s+|as\s+)*(?:full|maximum|perfect|top|highest|10|100|ten)\b"
    rf"|\byou (?:must|should|will|are required to) (?:score|rate|grade|award)\b",
    re.IGNORECASE,
)

_CHECKS = {
    "addresses-judge": _ADDRESSED,
    "chat-template": _TEMPLATE,
    "invisible-characters": _INVISIBLE,
    "verdict-shaped-json": _VERDICT,
}


def scan(text: str) -> list[str]:
    """Return the flags that a candidate's text raises, in alphabetical order:

    addresses-judge (speaks to who scores it), chat-template (tokens that open a turn of a chat), invisible-characters
    (zero width, direction marks, tags, terminal escapes), verdict-shaped-json (a reply such as judges give).
    """
    return [flag for flag, pattern in _CHECKS.items() if pattern.search(text)]
