"""Ask one judge one small question before anything is judged (Intake Protocol 4)."""

import argparse
from pathlib import Path

from assay.canonical import canonical, loads
from assay.files import write_json
from assay.judging import NoVerdict, ask_judge, check_question, judge_entry
from assay.problems import UserError, log, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", required=True)
    parser.add_argument("--panel", required=True, help="the judges and how they are reached, as JSON")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    panel = loads(args.panel)
    identity, question = judge_entry(panel, args.judge)["identity"], check_question(args.judge)
    name = f"{args.judge} ({identity['model']} by {identity['route']})"
    try:
        answered = ask_judge(panel, args.judge, question, lambda: canonical({"nonce": question.nonce, "ready": "yes"}))
    except NoVerdict as error:
        raise UserError(f"{name} does not answer as it must, so nothing is judged: {error}") from None
    write_json(args.output, {"format": "assay-check-1", "judge": args.judge, "exchange": answered.exchange.sha})
    log(f"{name} answers")


if __name__ == "__main__":
    run(main)
