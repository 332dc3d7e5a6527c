"""Write the score ledger, the configuration summary and the methodology note (Phase 7)."""

import argparse
from pathlib import Path

from assay.canonical import loads
from assay.files import read_json, write_text
from assay.problems import log, run
from assay.report.facts import run_facts
from assay.report.methodology import methodology, run_notes
from assay.report.summary import summary_markdown
from assay.sheets import csv_text, read_columns, read_tsv

TABLES = ("ledger", "summary", "answered", "unjudged", "checks")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--tables", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--intake", type=Path, required=True)
    parser.add_argument("--panel", type=Path, required=True)
    parser.add_argument("--software", type=Path, required=True, help="the recorded software versions")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    args = parser.parse_args()
    protocol, intake = loads(args.protocol), run_facts(read_json(args.intake), read_json(args.panel))
    criteria = [criterion["id"] for criterion in protocol["criteria"]]
    tables = {name: read_tsv(args.tables / f"{name}.tsv") for name in TABLES}
    for name in ("ledger", "summary"):
        columns = read_columns(args.tables / f"{name}.tsv")
        write_text(args.output / f"{name}.csv", csv_text(columns, tables[name]))
    notes = run_notes(intake, tables["unjudged"])
    summary = summary_markdown(tables["summary"], criteria, intake["bundle"]["title"], notes)
    write_text(args.output / "summary.md", summary)
    versions = read_json(args.software)
    note = methodology(protocol, intake, tables["answered"], tables["unjudged"], tables["checks"], versions)
    write_text(args.output / "methodology.md", note)
    log(f"written: {', '.join(sorted(str(path) for path in args.output.iterdir() if path.is_file()))}")


if __name__ == "__main__":
    run(main)
