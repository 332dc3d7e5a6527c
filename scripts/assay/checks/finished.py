"""What a finished run left behind, as the named checks look at it: read as it stands, nothing derived again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.bundle.model import Bundle
from assay.bundle.read import read_bundle
from assay.documents import read_yaml
from assay.files import read_json
from assay.problems import UserError, listing
from assay.protocol import read_protocol
from assay.sheets import read_tsv
from assay.store import Store

VERDICT = "assay-verdict-1"


@dataclass(frozen=True)
class Judged:
    """One capture to score: its record in intake.json, its packet, and what each judge was asked and said.

    `verdicts` holds only those that were given; `requests` has the request of each of them.
    """

    capture: Mapping
    packet: Mapping
    verdicts: Mapping[str, Mapping]
    requests: Mapping[str, Mapping]

    @property
    def name(self) -> str:
        return f"{self.capture['entry']} by {self.capture['configuration']}"


@dataclass(frozen=True)
class FinishedRun:
    """A finished run. `protocol` is what the run used, `specified` what the protocol fixes."""

    protocol: Mapping
    specified: Mapping
    intake: Mapping
    panel: Mapping
    bundle: Bundle
    roles: Mapping
    ledger: Sequence[Mapping[str, str]]
    summary: Sequence[Mapping[str, str]]
    results: Path
    store: Store

    @property
    def judges(self) -> dict[str, Mapping]:
        """The panel's judges: id -> identity, with the ids that it may answer by besides its model's."""
        return {
            entry["identity"]["judge"]: {
                **entry["identity"],
                "accepted_ids": entry["settings"].get("accepted_ids", []),
            }
            for entry in self.panel["judges"]
        }

    def judged(self) -> Iterator[Judged]:
        """Yield every capture to score, in the order of intake.json; files are read one capture at a time."""
        for capture in self.intake["scored"]:
            place = Path(capture["configuration"], capture["family"], capture["id"])
            packet = read_json(self.results / "packets" / place.with_name(place.name + ".json"))
            found = {judge: read_json(self.results / "verdicts" / place / f"{judge}.json") for judge in self.judges}
            verdicts = {judge: verdict for judge, verdict in found.items() if verdict["format"] == VERDICT}
            yield Judged(capture, packet, verdicts, {j: self._request(v["exchange"]) for j, v in verdicts.items()})

    def _request(self, sha: str) -> Mapping:
        return read_json(self.store.path(sha))["request"]


def read_finished(protocol: Mapping, bundle_folder: Path, results: Path, store: Path) -> FinishedRun:
    """Read a finished run. `protocol` is the run's, overrides included.

    Raises UserError where a file that it must have is missing or broken.
    """
    specified = read_protocol(protocol["protocol"])
    bundle, problems = read_bundle(bundle_folder, specified)
    if bundle is None or problems:
        raise UserError(listing(problems))
    return FinishedRun(
        protocol=protocol,
        specified=specified,
        intake=read_json(results / "intake.json"),
        panel=read_json(results / "panel.json"),
        bundle=bundle,
        roles=read_yaml(bundle_folder / bundle.role_map)["roles"],
        ledger=read_tsv(results / "tables/ledger.tsv"),
        summary=read_tsv(results / "tables/summary.tsv"),
        results=results,
        store=Store(store),
    )
