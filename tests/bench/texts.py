"""Generated texts of the bench bundles: specifications, prompts, answers and drawings of realistic form and size."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.embedded import required_elements

LONGEST_ANSWER = 12_000  # bytes

_WORDS = """
    account agreement argument balance barrier budget change choice claim community condition conflict consequence
    constraint context contract decision delay demand evidence exception expert failure feedback forecast goal group
    history incentive interest judgement knowledge language limit market measure mechanism method motive network
    objection option outcome pattern people policy position pressure principle problem process project promise
    proposal public purpose question reason record region relation resource response risk role rule scale schedule
    season service signal source stage standard strategy structure supply support system target tension test theory
    threshold trade transition trust value variable version village weight worker
"""
_TERMS = """
    abstraction adjacency aggregate allocation ambiguity analogy anomaly arbitration artefact asymmetry attribution
    auditing benchmark bifurcation calibrated cascade catalyst category causation coalition cohort collateral
    commitment comparator composite concession confounder consensus contingency convergence correlation credibility
    criterion datum deadlock deduction default deliberation dependency derivation deviation diagnosis differential
    dilemma disclosure discount displacement divergence elasticity eligibility elimination embargo endpoint enumeration
    equity escalation estimator exclusion expectation exposure externality extrapolation fallacy feasibility fixture
    fluctuation formation fragment frequency friction gradient grievance guardrail heuristic hierarchy horizon
    hypothesis identity immunity impasse imperative implication increment indicator inference inflection ingredient
    inhibition insight instrument integrity interface interval inventory iteration junction kernel latency leakage
    legitimacy liability linkage locality longitude magnitude mandate margin maturity mediation merger milestone
    mitigation moderator modularity monopoly narrative negation neutrality nuance obligation obstacle oscillation
    paradox parameter partition pathway payoff perimeter permission pivot plateau posterior precedent premise
    provenance proxy quorum quota rationale rebuttal reciprocal redundancy referent refutation remedy replication
    residual resilience retention reversal rivalry rubric salience sampling sanction saturation scenario sequence
    severity simulation sponsor stakeholder stimulus subsidy substitute surrogate symmetry synthesis taxonomy tenure
    tolerance topology trajectory tribunal triage turnover uniformity utility validity vantage variance velocity
    verdict viability volatility warrant waypoint yield
"""
PLAIN = tuple(_WORDS.split())  # what anybody writes about a case
TERMS = tuple(_TERMS.split())  # what only a specification and an answer that follows it say
PLAIN_FORMS = (
    "The {} changes with the {}, and the {} is what people notice first.",
    "A {} like this one often turns into a {} once the {} is gone.",
    "Whoever looks at the {} sees the {} before the {}.",
    "There is a {} in every {}, and it shapes the {}.",
)
REASONED_FORMS = (
    "The {} matters because the {} depends on the {}.",
    "Given the {}, the {} follows from the {} rather than the other way round.",
    "It is uncertain whether the {} holds; we assume that the {} limits the {}.",
    "The {} is evidence for the {}, unless the {} was measured late.",
)


@dataclass(frozen=True)
class Technique:
    """One entry of the catalogue. `text` is its specification, "" until it is generated; `words` its vocabulary."""

    family: str
    id: str
    name: str
    target: str
    source: str = "generated"
    text: str = ""
    words: tuple[str, ...] = ()


def sentences(rng: random.Random, words: Sequence[str], forms: Sequence[str], size: int) -> str:
    """Return sentences over `words`, until they are at least `size` characters."""
    made, length = [], 0
    while length < size:
        made.append(rng.choice(forms).format(*rng.choices(words, k=3)))
        length += len(made[-1]) + 1
    return " ".join(made)


def vocabulary(text: str) -> tuple[str, ...]:
    """Return the longer words of a text, each once."""
    return tuple(dict.fromkeys(re.findall(r"[a-z]{5,}", text.lower())))


def titled(identifier: str) -> str:
    """Turn an id into a name: `causal-dag` -> `Causal Dag`."""
    return re.sub(r"[-_]+", " ", identifier).title()


def specification(technique: Technique, rng: random.Random) -> str:
    """Generate a specification of 8 to 20 kB in the form of the published ones; a text already there is its core."""
    terms = rng.sample(TERMS, 60)
    words = [*technique.words, *terms, *rng.sample(PLAIN, 20)]
    elements = [
        "{} and {}: the {} of each {}, its {}, its {} and its {}".format(*rng.sample([*technique.words[:6], *terms], 7))
        for _ in range(rng.randint(6, 12))
    ]
    parts = [
        f"---\ntype: {technique.family}\n---\n",
        f"# {technique.family.upper()}: {technique.name}\n",
        f"```yaml\n{technique.family}_id: {technique.id}\ncanonical_name: {technique.name}\n```\n",
        technique.text,
        "## Required elements\n\n" + "\n".join(f"- {element}" for element in elements) + "\n",
    ]
    size, length = rng.randint(8_300, 19_000), sum(map(len, parts))
    for number in range(1, 100):
        if length >= size:
            break
        heading = rng.choice(("Execution step", "Critical question", "Failure mode", "Verification"))
        body = sentences(rng, words, PLAIN_FORMS + REASONED_FORMS, 600)
        parts.append(f"### {heading} {number}: {titled(rng.choice(words))}\n\n{body}\n")
        length += len(parts[-1])
    return "\n".join(part for part in parts if part)


def prompt(technique: Technique, rng: random.Random) -> tuple[str, list[str]]:
    """Return a prime prompt of 0.5 to 2 kB for a technique, and the words of its case."""
    case = rng.sample(PLAIN, 16)
    body = sentences(rng, case, PLAIN_FORMS, rng.randint(460, 1750))
    return f"Use {technique.name} on this case.\n\n{body}\n\nWhat do you conclude?\n", case


def answer(technique: Technique, case: Sequence[str], quality: float, rng: random.Random) -> str:
    """Return an answer of 2 to 12 kB that covers about the share `quality` (0..1) of what the technique requires."""
    size = rng.randint(2_100, 11_500)
    elements = required_elements(technique.text)
    covered = rng.sample(elements, round(quality * len(elements)))
    own = [*case, *vocabulary(" ".join(covered))]
    beside = [word for word in PLAIN if word not in case]
    parts = [f"# {technique.name}\n"]
    length = len(parts[0].encode())
    for element in covered:
        opening = re.sub(r"\s+", " ", element)[:240]
        part = f"## {opening}\n\n{sentences(rng, own, REASONED_FORMS + PLAIN_FORMS[:1], 160)}\n"
        if length + len(part.encode()) >= LONGEST_ANSWER:
            break
        parts.append(part)
        length += len(part.encode()) + 1
    while length < size:
        good = rng.random() < quality
        body = sentences(rng, own if good else beside, REASONED_FORMS if good else PLAIN_FORMS, min(500, size - length))
        parts.append(f"{body}\n")
        length += len(body) + 2
    return "\n".join(parts)


def visual(technique: Technique, rng: random.Random) -> tuple[str, str]:
    """Return a small drawing as (ending, text): SVG or Mermaid."""
    labels = rng.sample(technique.words, 6)
    if rng.random() < 0.5:
        edges = "\n".join(f"  n{i}[{a}] --> n{i + 1}[{b}]" for i, (a, b) in enumerate(pairwise(labels)))
        return "mmd", f"flowchart TD\n{edges}\n"
    boxes = "\n".join(
        f'  <g><rect x="10" y="{40 * i + 10}" width="180" height="30" fill="none" stroke="black"/>'
        f'<text x="20" y="{40 * i + 30}">{label}</text></g>'
        for i, label in enumerate(labels)
    )
    return "svg", f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="260">\n{boxes}\n</svg>\n'
