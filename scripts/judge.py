"""Get one judge's verdict of one packet: replayed from the store, or bought (Phase 2).

--panel is the judges and how they are reached, as JSON; --round is 1, or 2 for a fresh verdict (adjudication).
"""

from assay.arguments import arguments
from assay.canonical import loads
from assay.files import read_json, write_json
from assay.judging import NoVerdict, ask_judge, judge_entry, no_verdict_document, packet_question, verdict_document
from assay.problems import UserError, log, run


def main() -> None:
    args = arguments(__doc__, ("judge", "packet", "configuration", "round", "panel", "output"))
    judge, packet, panel = args["judge"], read_json(args["packet"]), loads(args["panel"])
    configuration, question = args["configuration"], packet_question(packet, judge, int(args["round"]))

    def baseline() -> str:
        from assay.embedded import reply_text

        return reply_text(judge_entry(panel, judge)["identity"]["model"], packet, question.nonce)

    try:
        answered = ask_judge(panel, judge, question, baseline)
    except NoVerdict as error:
        name = f"{packet['entry']} by {configuration}, {judge}"
        if not panel["allow_partial"]:
            raise UserError(f"{name}: no verdict ({error.state}): {error}") from None
        log(f"{name}: no verdict ({error.state}): {error}")
        write_json(args["output"], no_verdict_document(packet, judge, error, configuration))
    else:
        write_json(args["output"], verdict_document(packet, panel, judge, answered, configuration))


if __name__ == "__main__":
    run(main)
