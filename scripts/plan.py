"""Print calls, tokens and money per judge, split into stored and to buy, and write them as a table."""

import argparse
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

from assay.buying.budget import totals
from assay.buying.journal import Journal
from assay.cost import price_of
from assay.files import read_json
from assay.judging import STORE, packet_question
from assay.planning import COLUMNS, HOW, budget_line, plan_item, plan_row
from assay.problems import run
from assay.protocols import packet_place
from assay.sheets import write_tsv
from assay.store import Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--panel", type=Path, required=True)
    parser.add_argument("--packets", type=Path, default=Path("results/packets"), help="folder of the packets")
    parser.add_argument("--formula", required=True)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    intake, panel, store = read_json(args.intake), read_json(args.panel), Store(STORE)
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    items: dict[str, list] = {judge["identity"]["judge"]: [] for judge in panel["judges"]}
    views = dict.fromkeys(judge.get("view", "") for judge in panel["judges"])
    for capture in intake["scored"]:
        name = capture["configuration"], capture["family"], capture["id"]
        packets = {view: read_json(args.packets / packet_place(*name, view)) for view in views}
        for judge in panel["judges"]:
            identity, prices = judge["identity"], judge["prices"]
            question = packet_question(packets[judge.get("view", "")], identity["judge"])
            price_on = partial(price_of, prices, identity["model"])
            items[identity["judge"]].append(plan_item(identity, question, store, panel["max_asks"], price_on))
    rows = [
        plan_row(j["identity"], items[j["identity"]["judge"]], price_of(j["prices"], j["identity"]["model"], today))
        for j in panel["judges"]
    ]
    write_tsv(args.output, COLUMNS, rows)
    budget = None if panel["budget_usd"] is None else Decimal(panel["budget_usd"])
    money = budget_line(budget, rows, totals(Journal(Path(STORE))))
    count = len(intake["scored"])
    print(f"{count} captures. {args.formula}\n\n{aligned(rows)}\n\n{money}\n\n{HOW}\nWritten to {args.output}.")


def aligned(rows: list[dict[str, str]]) -> str:
    """Return the rows as a table for a terminal."""
    lines = [COLUMNS, *([row[column] for column in COLUMNS] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


if __name__ == "__main__":
    run(main)
