"""Judge 3, Strategy: three models become one score (five-judge-exact.md, Strategy panel)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from assay.fivejudge.exact import clamped, product, rounded, total
from assay.problems import UserError


@dataclass(frozen=True)
class Panel:
    """The panel's score (None while a member's verdict is missing), which of the four cases it is (0 = incomplete),
    who was dropped, flags (`adjudicate`, `spread`), and how the score came about in words."""

    score: Decimal | None
    case: int
    dropped: str
    flags: tuple[str, ...]
    text: str


def panel(scores: Mapping[str, Decimal | None], protocol: Mapping[str, Any]) -> Panel:
    """Return the Strategy score from the panel's overall scores (judge -> 0 to 100, None = no verdict yet).

    Raises ValueError unless the panel has three members.
    """
    values = protocol["panel"]
    if len(scores) != values["size"]:
        raise ValueError(f"a Strategy panel has {values['size']} members, not {len(scores)}")
    missing = sorted(name for name, score in scores.items() if score is None)
    if missing:
        return Panel(None, 0, "", (), f"incomplete: no verdict of {', '.join(missing)}")
    ordered = sorted((score, name) for name, score in scores.items() if score is not None)
    (a, lowest), (b, _), (c, highest) = ordered
    near = values["within"]
    low, high = total([b, -a]), total([c, -b])
    if total([low, high]) <= near:
        return Panel(b, 1, "", (), f"within {near}: the median")
    if low > near and high > near:
        mean = rounded(Fraction(sum(map(Fraction, (a, b, c)))) / 3)
        less = values["disagreement_deduction"]
        score = clamped(total([mean, -Decimal(less)]))
        return Panel(
            score, 3, "", ("adjudicate",), f"all more than {near} apart: the mean {mean} less {less}, not under 0"
        )
    if low > near:
        return Panel(
            product(total([b, c]), Decimal("0.5")), 2, lowest, (), f"{lowest} dropped: the mean of the other two"
        )
    if high > near:
        return Panel(
            product(total([a, b]), Decimal("0.5")), 2, highest, (), f"{highest} dropped: the mean of the other two"
        )
    return Panel(b, 4, "", ("spread",), f"spread over more than {near} without an outlier: the median")


def check_families(families: Mapping[str, str], protocol: Mapping[str, Any]) -> None:
    """Check that the panel (model family by judge) is three models of three families. Raises UserError."""
    size = protocol["panel"]["size"]
    if len(families) != size or len(set(families.values())) != size:
        told = ", ".join(f"{judge}: {family}" for judge, family in sorted(families.items()))
        raise UserError(f"the Strategy panel needs {size} models of {size} different families, not {told or 'nothing'}")
