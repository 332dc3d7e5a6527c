"""Finished runs for tests and benchmarks, made in this process: the embedded judges answer, the rest is derived."""

import shutil
import tempfile
from contextlib import chdir
from pathlib import Path

from assay.archive.derive import derive
from assay.archive.software import present_versions
from assay.canonical import canonical, loads
from assay.documents import read_yaml
from assay.embedded import reply_text
from assay.files import write_json
from assay.judging import ask_judge, check_question, packet_question
from assay.run import open_run, panel_document


def finish(folder: Path) -> None:
    """Judge the bundle of the work directory `folder` with its embedded judges, and make its tables and reports."""
    config = read_yaml(folder / "config/config.yaml")
    with chdir(folder):
        _judge(config)
    write_json(folder / "results/software.json", present_versions())
    with tempfile.TemporaryDirectory() as temporary:
        fresh = Path(temporary).resolve()
        made = derive(folder.resolve(), config, fresh)
        assert not made.faults, made.faults
        shutil.copytree(fresh / "results", folder / "results", dirs_exist_ok=True)


def _judge(config: dict) -> None:
    """Put every embedded judge's answers into the store."""
    run = open_run(config)
    panel = loads(canonical(panel_document(run)))
    for judge in run.judges:
        check = check_question(judge.id)
        ask_judge(panel, judge.id, check, lambda check=check: canonical({"nonce": check.nonce, "ready": "yes"}))
    for capture in run.set.scored:
        packets = {view: run.kind.packet(run, capture, view) for view in run.views}
        for judge in run.judges:
            packet = packets[judge.view]
            question = packet_question(packet, judge.id)
            ask_judge(panel, judge.id, question, lambda j=judge, q=question, p=packet: reply_text(j.model, p, q.nonce))
