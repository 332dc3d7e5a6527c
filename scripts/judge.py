"""Get one judge's verdict of one packet: replayed from the store, or bought (Phase 2)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.embedded import reply_text
from assay.files import read_json, write_json
from assay.judging import (
    NoVerdict,
    ask_judge,
    judge_entry,
    no_verdict_document,
    packet_question,
    verdict_document,
)
from assay.problems import UserError, log, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True)
    parser.add_argument("--packet", type=Path, required=True)
    parser.add_argument("--panel", required=True, help="the judges and how they are reached, as JSON")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    packet, panel = read_json(args.packet), loads(args.panel)
    question = packet_question(packet, args.judge)
    model = judge_entry(panel, args.judge)["identity"]["model"]
    try:
        answered = ask_judge(panel, args.judge, question, lambda: reply_text(model, packet, question.nonce))
    except NoVerdict as error:
        name = f"{packet['entry']} by {packet['configuration']}, {args.judge}"
        if not panel["allow_partial"]:
            raise UserError(f"{name}: no verdict ({error.state}): {error}") from None
        log(f"{name}: no verdict ({error.state}): {error}")
        write_json(args.output, no_verdict_document(packet, args.judge, error))
    else:
        write_json(args.output, verdict_document(packet, panel, args.judge, answered))


if __name__ == "__main__":
    run(main)
