"""What the steps before left of every run, read from the results folder."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assay.files import read_json
from assay.fivejudge.record import Evidence, evidence

VERDICT = "assay-verdict-1"


class Finished(NamedTuple):
    """One run: its part of intake.json, what needs no model, and every judge's document (a verdict or why not)."""

    capture: Mapping[str, str]
    known: Evidence
    documents: Mapping[str, Mapping[str, Any]]

    @property
    def verdicts(self) -> dict[str, Mapping[str, Any]]:
        """The verdicts that were given, by judge."""
        return given(self.documents)


def given(documents: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Leave out the judges that gave no verdict."""
    return {judge: document for judge, document in documents.items() if document["format"] == VERDICT}


def finished(results: Path, intake: Mapping[str, Any], judges: Sequence[str]) -> Iterator[Finished]:
    """Yield every run to score in the order of intake.json."""
    for capture in intake["scored"]:
        place = Path(capture["configuration"], capture["family"], capture["id"])
        documents = [read_json(results / kind / f"{place}.json") for kind in ("objective", "detected")]
        likeness = read_json(results / "likeness" / capture["family"] / f"{capture['id']}.json")
        verdicts = {judge: read_json(results / "verdicts" / place / f"{judge}.json") for judge in judges}
        yield Finished(capture, evidence(*documents, likeness, capture["configuration"]), verdicts)
