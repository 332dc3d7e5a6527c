"""The five-judge protocol, as the workflow asks for it (see assay.protocols)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.bundle.model import Bundle, Capture
from assay.canonical import canonical, loads, sha256
from assay.fivejudge import protocol as five
from assay.fivejudge.baseline import BASELINES, PANEL
from assay.fivejudge.documents import objective_document
from assay.fivejudge.intake import run_files
from assay.fivejudge.overrides import override as override
from assay.fivejudge.packets import PARTS, view_packet
from assay.fivejudge.panel import check_families
from assay.fivejudge.reviews import review_problems as review_problems
from assay.problems import Problem, UserError

formula = five.formula


def read() -> Mapping[str, Any]:
    """Read config/protocols/five-judge.yaml, with its numbers as every job gets them (0.20 is 0.2)."""
    return loads(canonical(five.load(five.DEFAULT)))


def roles(protocol: Mapping[str, Any]) -> dict[str, str]:
    """Return each role with the judge whose packet it is shown: the roles of the Strategy panel share one."""
    return {role: judge for judge, fillers in five.roles(protocol).items() for role in fillers}


def baselines(judge: str) -> list[str]:
    """Return the embedded baselines that can stand for a judge."""
    return list(PANEL) if judge == "strategy" else [name for name in BASELINES if name not in PANEL]


def panel_problems(judges: Sequence, file: str, protocol: Mapping[str, Any]) -> list[Problem]:
    """Refuse a Strategy panel that is not three models of three families."""
    members = [judge for judge in judges if judge.view == "strategy"]
    unknown = [judge.id for judge in members if not judge.family]
    if unknown:
        text = f"no model family is given for {', '.join(unknown)}"
        return [Problem(file, 0, text, "Add `family` to each role of the Strategy panel, such as claude, gpt, gemini")]
    try:
        check_families({judge.id: judge.family.lower() for judge in members}, protocol)
    except UserError as error:
        return [Problem(file, 0, str(error), "Give the three roles to models of different families")]
    return []


def files(bundle: Bundle, capture: Capture) -> dict[str, str]:
    """Return the files of the capture's run folder: name in the folder -> path."""
    return run_files(bundle, capture)


def card(run, capture: Capture, judge: str) -> str:
    """Return, as canonical JSON, what the packet's job needs: the entry, the judge, the run folder, and the digest of
    the parts of the protocol that a packet depends on."""
    folder, digest = str(run.bundle.folder / capture.run), sha256(part(run.protocol, PARTS))
    return canonical({"entry": capture.entry, "judge": judge, "run": folder, "protocol_sha256": digest})


def part(protocol: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return some parts of a protocol."""
    return {name: protocol[name] for name in names}


def packet(run, capture: Capture, judge: str) -> dict[str, Any]:
    """Build one judge's packet in memory."""
    folder, held = Path(run.bundle.folder / capture.run), files(run.bundle, capture)
    evidence = objective_document(folder, held, run.protocol)
    return view_packet(capture.entry, judge, folder, held, evidence, run.protocol)


def record(bundle: Bundle, capture: Capture) -> dict[str, str]:
    """Return where the recorded run is."""
    return {"run": str(bundle.folder / capture.run)}
