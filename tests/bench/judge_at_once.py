"""Judge a whole bundle with the embedded baselines in one process, without the 3,500 jobs of a run: for measurements.

    python tests/bench/make_bundle.py WORKDIR && python tests/bench/judge_at_once.py WORKDIR [--twist]

Writes what intake, packets, verdicts and scoring write, by the same functions. Nothing is stored under store/. With
`--twist` the second judge's scores are moved a little by a fixed rule, so that the judges disagree as models do.
"""

import argparse
import os
import sys
from collections import Counter
from decimal import Decimal
from hashlib import sha256 as digest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts")]

from assay.canonical import loads, sha256  # noqa: E402
from assay.checks.table import COLUMNS as CHECK_COLUMNS  # noqa: E402
from assay.documents import read_yaml  # noqa: E402
from assay.embedded import baseline  # noqa: E402
from assay.files import write_json  # noqa: E402
from assay.judging import packet_question, request_for  # noqa: E402
from assay.packet import build_packet  # noqa: E402
from assay.run import Run, intake_document, open_run, panel_document  # noqa: E402
from assay.scoring.aggregate import summarise, summary_columns  # noqa: E402
from assay.scoring.average import ANSWERED_COLUMNS, UNJUDGED_COLUMNS, answered, average, averaged_columns  # noqa: E402
from assay.scoring.cap import cap  # noqa: E402
from assay.scoring.classify import classify, ledger_columns  # noqa: E402
from assay.sheets import write_tsv  # noqa: E402


def twisted(score: Decimal, name: str) -> Decimal:
    """Return the score moved by up to 2 points, fixed by `name`, in halves and on the scale."""
    chance = digest(name.encode()).digest()
    moved = score * Decimal("0.9") + Decimal(sum(chance[:4])) / 255 - 2
    return min(Decimal(10), max(Decimal(0), round(moved * 2) / Decimal(2)))


def packet_of(run: Run, capture: object) -> dict:
    """Build one capture's packet in memory."""
    files = run.files(capture)
    shown = [Path(files[what]).read_text("utf-8") for what in ("prompt", "specification", "answer")]
    visual = (Path(files["visual"]).name, Path(files["visual"]).read_bytes()) if "visual" in files else None
    return build_packet(loads(run.card(capture)), *shown, visual)


def verdict_of(run: Run, judge: object, packet: dict, twist: bool) -> dict:
    """Return the verdict that the embedded baseline gives."""
    said = baseline(judge.model, packet["specification"]["text"], packet["prompt"], packet["answer"])
    if twist:
        name = f"{judge.id}/{packet['configuration']}/{packet['entry']}"
        said["scores"] = {c: twisted(score, f"{name}/{c}") for c, score in said["scores"].items()}
    return {
        "format": "assay-verdict-1",
        "entry": packet["entry"],
        "configuration": packet["configuration"],
        "judge": judge.id,
        "judge_model": judge.model,
        "route": judge.route,
        "model_answered": judge.model,
        "provider": judge.provider,
        "fingerprint": "",
        **said,
        "packet_sha256": sha256(packet),
        "exchange": sha256(request_for(judge.identity(), packet_question(packet, judge.id))),
        "judged_on": "2026-06-01",
        "asks": 1,
        "repairs": [],
        "usage": {"input_tokens": None, "output_tokens": None, "reasoning_tokens": None},
        "cost_usd": 0,
    }


def judge_all(run: Run, twist: bool) -> None:
    """Write results/ of the whole run into the working directory."""
    judges, criteria, results = [j.id for j in run.judges], run.criteria, Path("results")
    intake = intake_document(run.bundle)
    write_json(results / "intake.json", intake)
    write_json(results / "panel.json", panel_document(run))
    averaged, given = [], []
    for record, capture in zip(intake["scored"], run.set.scored, strict=True):
        packet = packet_of(run, capture)
        place = f"{capture.configuration}/{record['family']}/{record['id']}"
        write_json(results / f"packets/{place}.json", packet)
        verdicts = {judge.id: verdict_of(run, judge, packet, twist) for judge in run.judges}
        for judge, verdict in verdicts.items():
            write_json(results / f"verdicts/{place}/{judge}.json", verdict)
        given += verdicts.values()
        averaged.append(average(record, verdicts, judges, criteria))
    weights = [{"id": c["id"], "weight": c["weight"]} for c in run.protocol["criteria"]]
    scored = [cap(row, weights, run.protocol["cap"]) for row in averaged]
    ledger = [classify(row, run.protocol["failure_threshold"]) for row in scored]
    tables = results / "tables"
    write_tsv(tables / "ledger.tsv", ledger_columns(averaged_columns(judges, criteria), criteria), ledger)
    write_tsv(tables / "answered.tsv", ANSWERED_COLUMNS, answered(given))
    write_tsv(tables / "unjudged.tsv", UNJUDGED_COLUMNS, [])
    write_tsv(tables / "checks.tsv", CHECK_COLUMNS, [])
    rows = []
    for configuration in intake["configurations"]:
        mine = [row for row in ledger if row["configuration"] == configuration["id"]]
        counts = Counter(missing=sum(held_not == configuration["id"] for _, held_not in intake["missing"]))
        head = {"configuration": configuration["id"], "title": configuration["title"]}
        rows.append({**head, **summarise(mine, counts, criteria, run.protocol["rounding"])})
    write_tsv(tables / "summary.tsv", summary_columns(criteria), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workdir", type=Path)
    parser.add_argument("--twist", action="store_true")
    args = parser.parse_args()
    os.chdir(args.workdir)
    judge_all(open_run(read_yaml(Path("config/config.yaml")), check_files=False), args.twist)


if __name__ == "__main__":
    main()
