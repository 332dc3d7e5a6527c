"""Likeness of two agents' changes to one challenge, by runs of tokens that are not in the starting point."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from assay.fivejudge.exact import rounded
from assay.fivejudge.integrity import Finding
from assay.runs.patch import Patch

_TOKEN = re.compile(r"\w+|[^\w\s]")
Shingles = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Likeness:
    """Two agents (in order of name) and the share of what they have in common; None with the reason when there is
    too little to compare."""

    first: str
    second: str
    share: Fraction | None
    reason: str


def shingles(text: str, size: int) -> Shingles:
    """Return the runs of `size` tokens of a text; white space and its amount do not matter."""
    tokens = _TOKEN.findall(text)
    return frozenset(tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1))


def added(patch: Patch, size: int) -> Shingles:
    """Return the shingles of the added lines, hunk by hunk."""
    return frozenset().union(*(shingles("\n".join(hunk.only("+")), size) for hunk in patch.hunks()))


def starting(patch: Patch, size: int) -> Shingles:
    """Return the shingles of the starting point as far as the diff shows it: removed and unchanged lines."""
    texts = ("\n".join(line[1:] for line in hunk.lines if line[:1] in " -") for hunk in patch.hunks())
    return frozenset().union(*(shingles(text, size) for text in texts))


def likenesses(changes: Mapping[str, Patch], protocol: Mapping[str, Any], start: str = "") -> list[Likeness]:
    """Compare every two agents' changes to one challenge (agent -> its change), in order of name.

    The share is |A ∩ B| / |A ∪ B| of the added shingles, without those in the starting point: the lines that any of
    the diffs removes or leaves unchanged, and the text `start`.
    """
    values = protocol["detectors"]["similarity"]
    size = values["shingle"]
    base = shingles(start, size).union(*(starting(patch, size) for patch in changes.values()))
    own = {agent: added(patch, size) - base for agent, patch in changes.items()}
    made = []
    for first, second in combinations(sorted(own), 2):
        a, b = own[first], own[second]
        if min(len(a), len(b)) < values["smallest"]:
            reason = f"under {values['smallest']} token runs of their own: too little to compare"
            made.append(Likeness(first, second, None, reason))
        else:
            made.append(Likeness(first, second, Fraction(len(a & b), len(a | b)), ""))
    return made


def plagiarism(changes: Mapping[str, Patch], protocol: Mapping[str, Any], start: str = "") -> dict[str, list[Finding]]:
    """Return, by agent, a finding when its change is too like another agent's; both are found, a person decides.

    The other agent is not named in the finding, since it goes into this run's record.
    """
    limit = Decimal(protocol["detectors"]["similarity"]["copied_from"])
    closest: dict[str, Fraction] = {}
    for pair in likenesses(changes, protocol, start):
        if pair.share is not None and pair.share >= limit:
            for agent in (pair.first, pair.second):
                closest[agent] = max(pair.share, closest.get(agent, pair.share))
    found = {}
    for agent, share in closest.items():
        evidence = tuple(f"hunk:{hunk.id}" for hunk in changes[agent].hunks())
        words = f"likeness {rounded(share, 4)} with another agent's change"
        found[agent] = [Finding("plagiarism", "detector", evidence, words)]
    return found
