"""Write what people read of a five-judge run: tables as CSV, the summary, the methodology note, a page for each run."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from assay.canonical import loads
from assay.files import read_json, write_text
from assay.fivejudge.methodology import methodology, notes
from assay.fivejudge.pages import Links, run_page, summary_page
from assay.problems import log, run
from assay.report.facts import run_facts
from assay.sheets import csv_text, read_columns, read_tsv

TABLES = ("ledger", "summary", "answered", "unjudged", "checks")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--panel", type=Path, required=True)
    parser.add_argument("--software", type=Path, required=True, help="the recorded software versions")
    parser.add_argument("--results", type=Path, required=True, help="folder of the results")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    args = parser.parse_args()
    protocol, facts = loads(args.protocol), run_facts(read_json(args.intake), read_json(args.panel))
    folder, judges = args.results / "tables", [judge["judge"] for judge in facts["judges"]]
    tables = {name: read_tsv(folder / f"{name}.tsv") for name in TABLES}
    for name in ("ledger", "summary"):
        write_text(args.output / f"{name}.csv", csv_text(read_columns(folder / f"{name}.tsv"), tables[name]))
    runs, told = read_json(folder / "runs.json")["runs"], notes(facts, tables["unjudged"])
    for one in runs:
        capture = one["capture"]
        page = args.output / "runs" / capture["configuration"] / capture["family"] / f"{capture['id']}.md"
        found = documents(args.results, capture, judges, one["fresh"])
        links = Links(Path(capture["run"]), page)
        write_text(page, run_page(capture, one["record"], found, titles(facts, capture), links, told))
    title = facts["bundle"]["title"]
    write_text(args.output / "summary.md", summary_page(title, told, tables["summary"], runs))
    parts = [tables[name] for name in ("answered", "unjudged", "checks")]
    note = methodology(protocol, facts, *parts, read_json(args.software), runs)
    write_text(args.output / "methodology.md", note)
    log(f"{len(runs)} pages, summary and methodology note written to {args.output}")


def documents(results: Path, capture: Mapping, judges: list[str], fresh: list[str]) -> dict:
    """Return what was computed of a run and every judge's verdict as it counts: the fresh one where it replaced it."""
    place = Path(capture["configuration"], capture["family"], capture["id"])
    found = {kind: read_json(results / kind / f"{place}.json") for kind in ("objective", "detected")}
    for judge in judges:
        found[judge] = read_json(results / ("adjudication" if judge in fresh else "verdicts") / place / f"{judge}.json")
    return found


def titles(facts: Mapping, capture: Mapping) -> dict[str, str]:
    """Return the names of a capture's entry and agent."""
    agents = {agent["id"]: agent["title"] for agent in facts["configurations"]}
    return {"entry": capture["entry"], "agent": agents[capture["configuration"]]}


if __name__ == "__main__":
    run(main)
