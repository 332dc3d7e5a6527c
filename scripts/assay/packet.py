"""Packets: what a judge is shown of one capture, and nothing else."""

import base64
from collections.abc import Mapping

from assay.canonical import sha256
from assay.visuals import TEXT_TYPES, media_type

TEXT_ONLY = "text only: no visual artefact was captured with this answer"


def build_packet(card: Mapping, prompt: str, specification: str, answer: str, visual: tuple[str, bytes] | None) -> dict:
    """Build the packet of one capture (specification, Phase 1).

    `card` holds what the two sheets and the protocol say of it: entry, family, technique, target, source,
    configuration, model_snapshot, notes, rubric. `visual` is (file name, bytes), or None for a text-only answer.
    Returns the eleven fields of Phase 1 with the specification's text in them, and the rubric of Phase 2.
    """
    return {
        "format": "assay-packet-1",
        "entry": card["entry"],
        "family": card["family"],
        "technique": card["technique"],
        "specification": {
            "source": card["source"],
            "sha256": sha256(specification.encode("utf-8")),
            "text": specification,
        },
        "target": card["target"],
        "prompt": prompt,
        "configuration": card["configuration"],
        "answer": answer,
        "visual": show_visual(visual),
        "model_snapshot": card["model_snapshot"],
        "acceptance_notes": card["notes"],
        "rubric": card["rubric"],
    }


def show_visual(visual: tuple[str, bytes] | None) -> dict:
    """Return how a visual is shown: text formats as text, pictures as base64, none as an explicit note."""
    if visual is None:
        return {"kind": "none", "note": TEXT_ONLY}
    name, data = visual
    shown = {"media_type": media_type(name), "sha256": sha256(data)}
    if name.rpartition(".")[2].lower() in TEXT_TYPES:
        return {"kind": "text", "text": data.decode("utf-8"), **shown}
    return {"kind": "image", "base64": base64.b64encode(data).decode("ascii"), **shown}
