"""The tables that the report reads."""

from pathlib import Path

from assay.report.statistics_tables import TABLES
from assay.report.tidy import Table
from assay.sheets import read_columns, read_tsv


def read_table(path: Path) -> Table:
    """Read a TSV table that Assay wrote, with its columns also where it has no row."""
    return Table(read_columns(path), read_tsv(path))


def read_statistics(folder: Path) -> dict[str, Table]:
    """Read every statistics table by its name."""
    return {name: read_table(folder / f"{name}.tsv") for name in TABLES}
