"""The embedded route: a deterministic baseline in process, without network or key. It is no model judge.

It scores a packet by how much of the specification's own required elements the answer covers with words. It
understands nothing: its numbers show that the workflow works and what word coverage alone would give.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from assay.canonical import canonical

DISCLAIMER = "Embedded baseline (word coverage of the specification's required elements); no model judge."

_COMMON = frozenset(
    """
    about above after again against also another because been before being below between both cannot could does
    doing down during each every from further have having here hers herself himself into itself just least less
    like made make makes many might more most much must name named names need needs never none once only other
    ought ours over part parts rather same shall should since some something state stated states such than that
    their theirs them themselves then there these they thing things this those through under until upon used uses
    very were what when where whether which while whom will with within without would your yours
    """.split()
)
_REASONS = frozenset(
    """
    because therefore thus hence since implies follow follows evidence unless given
    """.split()
)
_DOUBTS = frozenset(
    """
    uncertain uncertainty unknown assume assumes assumed assumption assumptions likely unlikely probably may might
    perhaps confidence confident estimate estimated roughly unclear unverified untested depends
    """.split()
)


def words(text: str) -> list[str]:
    """Return the significant words of a text: at least four letters, not common, cut to their first six letters."""
    found = re.findall(r"[a-z]{4,}", text.lower())
    return [word[:6] for word in found if word not in _COMMON]


def required_elements(specification: str) -> list[str]:
    """Return the elements that a specification requires, as texts, by the first of these that it has:

    the bullets under a heading with `required` in it; the list under a YAML key `required_sections`; the names in
    a JSON Schema's `required`; its headings; the whole text.
    """
    for found in (_bullets(specification), _yaml_list(specification), _json_required(specification)):
        if found:
            return found
    return re.findall(r"^#+ +(.+)$", specification, re.MULTILINE) or [specification]


def _bullets(text: str) -> list[str]:
    section = re.search(r"^#+ [^\n]*required[^\n]*\n(.*?)(?=^#+ |\Z)", text, re.MULTILINE | re.DOTALL | re.IGNORECASE)
    if not section:
        return []
    bullets = re.split(r"^\s*(?:[-*]|\d+\.) +", section[1], flags=re.MULTILINE)[1:]
    return [bullet.strip() for bullet in bullets if words(bullet)]


def _yaml_list(text: str) -> list[str]:
    listed = re.search(r"^\s*required_sections:\s*\n((?:\s*- .*\n)+)", text, re.MULTILINE)
    return [item.replace("_", " ") for item in re.findall(r"- (.+)", listed[1])] if listed else []


def _json_required(text: str) -> list[str]:
    names = [name for group in re.findall(r'"required"\s*:\s*\[([^\]]*)\]', text) for name in re.findall(r"\w+", group)]
    return [name.replace("_", " ") for name in dict.fromkeys(names)]


def _share(wanted: Sequence[str], present: frozenset[str]) -> Fraction:
    unique = set(wanted)
    return Fraction(len(unique & present), len(unique)) if unique else Fraction(0)


def _coverage_anywhere(element: Sequence[str], paragraphs: Sequence[frozenset[str]]) -> Fraction:
    return _share(element, frozenset().union(*paragraphs))


def _coverage_in_one_paragraph(element: Sequence[str], paragraphs: Sequence[frozenset[str]]) -> Fraction:
    return max((_share(element, paragraph) for paragraph in paragraphs), default=Fraction(0))


BASELINES = {"coverage-words-1": _coverage_anywhere, "coverage-paragraphs-1": _coverage_in_one_paragraph}


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def _score(share: Fraction) -> Decimal:
    """Turn a share of 0..1 into a score of 0..10 with one decimal, halves up."""
    tenths = Decimal(share.numerator * 100) / Decimal(share.denominator)
    return (tenths.quantize(Decimal(1), ROUND_HALF_UP) / 10).normalize()


def baseline(model: str, specification: str, prompt: str, answer: str) -> dict:
    """Score one answer with the baseline `model` (a key of BASELINES).

    Returns scores (0..10, one decimal), notes and an impression, as a judge of the performance protocol does.
    fidelity: mean coverage of the required elements, doubled and capped at 10 (nobody repeats every word);
    completeness: share of the elements covered by at least a third; relevance: share of the prompt's words in the
    answer, doubled and capped; soundness: share of the paragraphs (headings aside) that give a
    reason, doubled and capped; calibration: words of doubt,
    four or more for a 10.
    """
    paragraphs = [frozenset(words(part)) for part in re.split(r"\n\s*\n", answer) if part.strip()]
    plain_words = re.findall(r"[a-z]+", answer.lower())
    elements = [words(element) for element in required_elements(specification)]
    covered = [min(Fraction(1), 2 * BASELINES[model](element, paragraphs)) for element in elements]
    prose = [part for part in re.split(r"\n\s*\n", answer) if part.strip() and not part.lstrip().startswith("#")]
    reasons = [bool(_REASONS & set(re.findall(r"[a-z]+", part.lower()))) for part in prose]
    doubts = sum(word in _DOUBTS for word in plain_words)
    full = sum(share >= Fraction(2, 3) for share in covered)
    shares = {
        "fidelity": _mean(covered),
        "soundness": min(Fraction(1), 2 * _mean([Fraction(reason) for reason in reasons]))
        if paragraphs
        else Fraction(0),
        "completeness": Fraction(full, len(covered)) if covered else Fraction(0),
        "relevance": min(Fraction(1), 2 * _share(words(prompt), frozenset().union(*paragraphs))),
        "calibration": min(Fraction(1), Fraction(doubts, 4)),
    }
    notes = {
        "fidelity": f"Covers the words of {len(elements)} required elements by {float(_mean(covered)):.0%} on average.",
        "soundness": f"{sum(reasons)} of {len(reasons)} paragraphs hold a word that gives a reason.",
        "completeness": f"{full} of {len(elements)} required elements are covered by a third or more.",
        "relevance": "Words of the prompt that the answer takes up.",
        "calibration": f"{doubts} words of doubt or assumption.",
    }
    return {
        "scores": {name: _score(share) for name, share in shares.items()},
        "notes": notes,
        "impression": DISCLAIMER,
    }


def reply_text(model: str, packet: Mapping, nonce: str) -> str:
    """Answer a packet as a judge's message: the canonical JSON of the reply contract."""
    if "specification" not in packet:
        from assay.fivejudge.baseline import reply_text as five_judge

        return five_judge(model, packet, nonce)
    scored = baseline(model, packet["specification"]["text"], packet["prompt"], packet["answer"])
    return canonical({"nonce": nonce, **scored})
