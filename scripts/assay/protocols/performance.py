"""The performance protocol, as the workflow asks for it (see assay.protocols)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.bundle.model import Bundle, Capture
from assay.bundle.scored_set import ScoredSet
from assay.canonical import canonical, loads
from assay.embedded import BASELINES
from assay.packet import build_packet
from assay.panel import Judge, bare
from assay.problems import Problem
from assay.protocol import formula as formula
from assay.protocol import override as override
from assay.protocol import read_protocol, rubric
from assay.scan import scan
from assay.visuals import TEXT_TYPES, media_type


def read() -> dict:
    """Read config/protocols/performance.yaml."""
    return read_protocol("performance")


def roles(protocol: Mapping) -> dict[str, str]:
    """Return the roles that judge; all are shown the same packet."""
    return dict.fromkeys(protocol["panel"], "")


def baselines(judge: str) -> list[str]:
    """Return the embedded baselines."""
    return list(BASELINES)


def panel_problems(judges: Sequence[Judge], file: str, protocol: Mapping) -> list[Problem]:
    """Refuse one model in two roles, whichever provider it is reached through."""
    problems = []
    models = [bare(judge.model) for judge in judges]
    for judge, model in zip(judges, models, strict=True):
        first = judges[models.index(model)]
        if first is not judge:
            text = f"{first.id} and {judge.id} are both {judge.model}, so they would not be independent"
            problems.append(Problem(file, 0, text, "Two different models must fill the two roles"))
    return problems


def review_problems(reviews: Sequence, judged: ScoredSet, protocol: Mapping, file: str) -> list[Problem]:
    """Refuse reviews: this protocol quarantines nothing."""
    text = "the performance protocol has no quarantine, so nothing can be reviewed"
    return [Problem(file, 0, text, "Take `reviews` away")] if reviews else []


def files(bundle: Bundle, capture: Capture) -> dict[str, str]:
    """Return the capture's files by what they are: answer, prompt, specification and, if it has one, visual."""
    return bundle.files(capture)


def card(run, capture: Capture, judge: str = "") -> str:
    """Return, as canonical JSON, all that the sheets and the protocol put into this capture's packet.

    A packet is built again when this text changes, and only then or when one of its files does.
    """
    entry = run.bundle.entries[capture.entry]
    return canonical(
        {
            "entry": entry.key,
            "family": entry.family,
            "technique": entry.name,
            "target": entry.target,
            "source": entry.source or entry.spec,
            "configuration": capture.configuration,
            "model_snapshot": capture.model_snapshot,
            "notes": capture.notes,
            "rubric": rubric(run.protocol),
            "files": files(run.bundle, capture),  # Snakemake does not see that two inputs of a job were swapped
        }
    )


def packet(run, capture: Capture, judge: str = "") -> dict:
    """Build the capture's packet in memory."""
    named = files(run.bundle, capture)
    texts = {what: Path(path).read_bytes() for what, path in named.items()}
    visual = (Path(named["visual"]).name, texts["visual"]) if "visual" in texts else None
    shown = [texts[what].decode("utf-8") for what in ("prompt", "specification", "answer")]
    return build_packet(loads(card(run, capture)), *shown, visual)


def record(bundle: Bundle, capture: Capture) -> dict[str, str]:
    """Return the answer's length, and `flags`: which text in it is aimed at a judge (assay.scan)."""
    named = files(bundle, capture)
    answer = Path(named["answer"]).read_bytes().decode("utf-8")
    drawn = Path(named["visual"]) if media_type(named.get("visual", "")) in TEXT_TYPES.values() else None
    shown = answer + "\n" + (drawn.read_bytes().decode("utf-8") if drawn else "")
    return {"answer_characters": str(len(answer)), "flags": " ".join(scan(shown))}
