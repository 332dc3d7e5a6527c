"""What the report's pictures are called and what is said of them: one text for report.html and Snakemake's report."""

from collections.abc import Sequence
from pathlib import Path

CAPTIONS = Path(__file__).parents[3] / "report"
PICTURES = ("overall", "differences", "criteria", "families", "distribution", "cost", "minutes")


def scatters(criteria: Sequence[str], judges: Sequence[str]) -> list[str]:
    """Return the names of the pictures of judge against judge, one for each criterion; none for a single judge."""
    return [f"judges-{criterion}" for criterion in criteria] if len(judges) > 1 else []


def captions() -> dict[str, str]:
    """Return every caption of the project's folder report/ by the name of its picture or table."""
    return {file.stem: " ".join(file.read_text("utf-8").split()) for file in sorted(CAPTIONS.glob("*.rst"))}
