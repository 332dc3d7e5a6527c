"""Set the fresh verdicts of disputed runs against the first, and write the tables (five-judge protocol, Composite)."""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.canonical import loads
from assay.files import read_json, write_json
from assay.fivejudge.finished import Finished, finished, given
from assay.fivejudge.protocol import roles
from assay.fivejudge.record import adjudicated, disputed, judged, record
from assay.fivejudge.reviews import review_of, reviewed
from assay.fivejudge.tables import (
    DISPUTES,
    QUARANTINED,
    agent_row,
    agents_columns,
    dispute_rows,
    ledger_columns,
    ledger_row,
    number,
    quarantined_rows,
    ranked,
)
from assay.problems import log, run
from assay.scoring.average import ANSWERED_COLUMNS, answered
from assay.sheets import write_tsv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of the results")
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--judges", nargs="+", required=True)
    parser.add_argument("--reviews", required=True, help="what a person decided about quarantined runs, as JSON")
    parser.add_argument("--fresh", type=Path, nargs="*", help="fresh verdicts of disputed runs")
    parser.add_argument("--output", type=Path, required=True, help="folder of the tables")
    args = parser.parse_args()
    protocol, intake, panel = loads(args.protocol), read_json(args.intake), roles(loads(args.protocol))["strategy"]
    again = [read_json(path) for path in args.fresh or ()]
    reviews, runs, ledger, verdicts = loads(args.reviews), [], [], []
    for one in finished(args.results, intake, args.judges):
        fresh = fresh_of(one, again)
        made = reviewed(settle(one, fresh, protocol), review_of(reviews, one.capture))
        new = {role for s in made["settlements"] if s["outcome"] != "stands" for role in roles(protocol)[s["judge"]]}
        counted = one.verdicts | {role: fresh[role] for role in new}
        overall = {role: number(counted[role]["overall"]) if role in counted else "" for role in panel}
        exchanges = {judge: counted[judge]["exchange"] if judge in counted else "" for judge in args.judges}
        runs.append({"capture": one.capture, "record": made, "fresh": sorted(new)})
        ledger.append(ledger_row(one.capture, made, overall, exchanges))
        verdicts += [*one.verdicts.values(), *fresh.values()]
    write_json(args.output / "runs.json", {"format": "assay-runs-1", "runs": runs})
    write_tsv(args.output / "ledger.tsv", ledger_columns(panel, args.judges), ledger)
    write_tsv(args.output / "summary.tsv", agents_columns(), agents(intake, ledger))
    for name, columns, rows in (("quarantined", QUARANTINED, quarantined_rows), ("disputes", DISPUTES, dispute_rows)):
        found = [row for run_ in runs for row in rows(run_["capture"], run_["record"])]
        write_tsv(args.output / f"{name}.tsv", columns, found)
    write_tsv(args.output / "answered.tsv", ANSWERED_COLUMNS, answered(verdicts))
    states = Counter(row["state"] for row in ledger)
    log(", ".join(f"{count} runs {state}" for state, count in sorted(states.items())))


def fresh_of(one: Finished, again: Sequence[Mapping]) -> dict[str, Mapping]:
    """Return the fresh verdicts of a run that were given for the packets of its first ones."""
    mine = {
        document["judge"]: document
        for document in again
        if (document["entry"], document["configuration"]) == (one.capture["entry"], one.capture["configuration"])
    }
    return {
        judge: verdict
        for judge, verdict in given(mine).items()
        if judge in one.verdicts and verdict["packet_sha256"] == one.verdicts[judge]["packet_sha256"]
    }


def settle(one: Finished, fresh: Mapping[str, Mapping], protocol: Mapping) -> dict:
    """Return a run's record: by the first verdicts, and for each disputed judge with fresh ones by what they change."""
    first = judged(one.known, one.verdicts, protocol)
    disputes = disputed(one.known, first, protocol)
    wanted = dict.fromkeys(judge for dispute in disputes for judge in dispute.judges)
    ready = [judge for judge in wanted if all(role in fresh for role in roles(protocol)[judge])]
    second = judged(one.known, {**one.verdicts, **fresh}, protocol)
    made, settlements = adjudicated(first, second, ready, protocol)
    return record(one.known, made, first, settlements, protocol)


def agents(intake: Mapping, ledger: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the agents' table, in the bundle's order."""
    rows = []
    for agent in intake["configurations"]:
        mine = [row for row in ledger if row["configuration"] == agent["id"]]
        aside = Counter(a["kind"] for a in intake["aside"] if a["configuration"] == agent["id"])
        counts = {"rejected": aside["rejected"], "missing": sum(lane == agent["id"] for _, lane in intake["missing"])}
        counts["unscorable"] = aside["unscorable"] + sum(row["state"] == "unscorable" for row in mine)
        rows.append({"configuration": agent["id"], "title": agent["title"], **agent_row(mine, counts)})
    return ranked(rows)


if __name__ == "__main__":
    run(main)
