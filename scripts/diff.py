"""Say what differs between two finished runs, and why: captures, verdicts, scores and conclusions.

BEFORE and AFTER are work directories, unpacked archives or archive files. From a work directory,
`snakemake diff --config other=BEFORE` compares BEFORE with the work directory. The reasons are: answer, visual, prompt,
specification, sheet (what catalogue.tsv or captures.tsv say besides), rubric, judge (another judge, or another answer
of the same), protocol (formula, threshold, weights, cap, how replies are read), captures (other captures are scored).
For recorded runs also the file or folder of the evidence that differs (tests, telemetry.jsonl, changes.diff, ...),
challenge, and review (of a quarantined run).
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from assay.archive.compare import shorten
from assay.archive.diff import compare, read_snapshot
from assay.archive.diff_rows import COLUMNS, KINDS
from assay.archive.pack import unpack
from assay.problems import UserError, run
from assay.sheets import write_tsv
from assay.words import counted

SHOWN = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE")
    parser.add_argument("after", metavar="AFTER")
    parser.add_argument("--output", type=Path, help="also write every difference to this TSV table")
    args = parser.parse_args()
    snapshots = [_snapshot(path) for path in (args.before, args.after)]
    rows = compare(*snapshots)
    if args.output:
        write_tsv(args.output, COLUMNS, rows)
    print(_text(rows))


def _snapshot(name: str):
    path = Path(name)
    if not name or not path.exists():
        raise UserError(
            f"there is no run {name!r} to compare with: name two work directories or archives, or give one with "
            "`snakemake diff --config other=PATH`"
        )
    if path.is_dir():
        return read_snapshot(path)
    with tempfile.TemporaryDirectory() as temporary:
        return read_snapshot(unpack(path, Path(temporary)))


def _text(rows: list[dict[str, str]]) -> str:
    if not rows:
        return "Nothing differs."
    counts = Counter(row["kind"] for row in rows)
    parts = []
    for kind in KINDS:
        if not counts[kind]:
            continue
        lines = [_line(row) for row in rows if row["kind"] == kind]
        more = [f"  ... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
        parts.append("\n".join([f"{kind}: {counted(len(lines), 'difference')}", *lines[:SHOWN], *more]))
    return "\n\n".join(parts)


def _line(row: dict[str, str]) -> str:
    place = f"{row['where']}: " if row["where"] else ""
    why = f"  [{row['why']}]" if row["why"] else ""
    return f"  {place}{row['what']}: {shorten(row['before'])} -> {shorten(row['after'])}{why}"


if __name__ == "__main__":
    run(main)
