"""Write the report that people read: one HTML file, and pages for captures beside it where they would not fit."""

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path

from assay.canonical import loads
from assay.files import read_json, write_text
from assay.problems import log, run
from assay.report.facts import run_facts
from assay.report.page.report import Material, report_files
from assay.report.scores import scores_of
from assay.report.tables import read_statistics, read_table
from assay.sheets import read_tsv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--protocol", required=True, help="the run's protocol as JSON")
    parser.add_argument("--captions", required=True, help="name -> caption of every picture and table, as JSON")
    parser.add_argument("--pictures", nargs="+", required=True, help="names of the pictures")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--results", type=Path, required=True, help="folder of intake, packets, verdicts and tables")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to; holds figures/ already")
    args = parser.parse_args()
    figures = args.output / "figures"
    pictures = {name: (figures / f"{name}.svg").read_text("utf-8") for name in args.pictures}
    material = read_material(args.results, loads(args.protocol), loads(args.captions), pictures, args.seed)
    if (args.output / "captures").exists():
        shutil.rmtree(args.output / "captures")
    count = 0
    for name, text in report_files(material):
        write_text(args.output / name, text)
        count += 1
    log(f"{args.output / 'report.html'} and {count - 1} files beside it")


def read_material(results: Path, protocol: Mapping, captions: Mapping, pictures: Mapping, seed: int) -> Material:
    """Read all that the report is made from; `captions` and `pictures` (SVG texts) are by name."""
    tables = results / "tables"
    facts = run_facts(read_json(results / "intake.json"), read_json(results / "panel.json"))
    return Material(
        scores=scores_of(read_tsv(tables / "ledger.tsv"), protocol, facts),
        protocol=protocol,
        facts=facts,
        tables={
            **read_statistics(tables / "statistics"),
            **{name: read_table(tables / f"{name}.tsv") for name in ("summary", "answered", "unjudged", "checks")},
        },
        pictures=pictures,
        captions=captions,
        seed=seed,
        results=results,
    )


if __name__ == "__main__":
    run(main)
