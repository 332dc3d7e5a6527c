"""Scan what a candidate wrote for text that is aimed at a judge. It flags, and never edits or scores."""

import re
import unicodedata

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\u3164"
    "\ufeff\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_TEMPLATE = re.compile(
    r"<\|[^|<>\n]{2,30}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|think|thinking)>|<(?:start|end)_of_turn>|</s>\s*<s>"
    r"|^\s*(?:system|assistant)\s*:|^\s*#{2,}\s*(?:instructions?|system|assistant)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_VERDICT = re.compile(
    r"""["'](?:scores?|fidelity|nonce|overall|verdict|rating)["']\s*:\s*(?:[{\d"'\[])""", re.IGNORECASE
)
_JUDGE = r"(?:judges?|graders?|evaluators?|reviewers?|scorers?|raters?|assessors?)"
_FULL = r"(?:full|maximum|perfect|top|highest|10|100|ten)\b"
_ADDRESSED = re.compile(
    rf"\b(?:dear|note to|attention|message (?:to|for)|instructions? (?:to|for)|hey|hello)\s+(?:the\s+|any\s+|all\s+)?"
    rf"(?:ai\s+|llm\s+|model\s+)?{_JUDGE}\b"
    rf"|\bas (?:a|an|the) (?:ai\s+|llm\s+)?{_JUDGE},? you\b"
    rf"|\b(?:ai|llm)\s+{_JUDGE}\s*[:,]"
    rf"|\b{_JUDGE}\s+(?:must|should|will|are required to)\s+(?:score|rate|grade|award|give|assign)\b"
    rf"|<!--(?:(?!-->).)*\b{_JUDGE}\b"
    rf"|\[(?:begin|end) (?:task|specification|prompt|answer|visual)\b"
    rf"|\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|these\s+)*(?:previous|prior|above|earlier"
    rf"|preceding|rubric|system|scoring|grading|instructions)\b"
    rf"|\b(?:give|award|assign|rate|score)\s+(?:this|me|my|it|the)\s*(?:answer|response|submission|work|code)?\s*"
    rf"(?:a\s+|with\s+|at\s+|as\s+)*{_FULL}"
    rf"|\b(?:answer|response|submission|work)\s+(?:deserves|merits|has earned)\s+(?:a\s+|the\s+)*{_FULL}"
    rf"|\byou (?:must|should|will|are required to) (?:score|rate|grade|award)\b",
    re.IGNORECASE | re.DOTALL,
)

_CHECKS = {
    "addresses-judge": _ADDRESSED,
    "chat-template": _TEMPLATE,
    "invisible-characters": _INVISIBLE,
    "verdict-shaped-json": _VERDICT,
}


def scan(text: str) -> list[str]:
    """Return the flags that a candidate's text raises, in alphabetical order:

    addresses-judge (speaks to who scores it, or imitates Assay's fence), chat-template (tokens that open a turn of a
    chat), invisible-characters (zero width, direction marks, tags, control characters), verdict-shaped-json (a reply
    such as judges give). Letters in other widths or styles, and words parted by invisible characters, count as plain.
    """
    bare = unicodedata.normalize("NFKC", _INVISIBLE.sub(lambda found: "\n" if found[0] in "\u2028\u2029" else "", text))
    return [flag for flag, pattern in _CHECKS.items() if pattern.search(text) or pattern.search(bare)]
