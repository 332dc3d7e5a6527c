"""What a finished run left behind, as the named checks look at it: read as it stands, nothing derived again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.bundle.model import Bundle
from assay.bundle.read import read_bundle
from assay.documents import read_yaml
from assay.files import read_json
from assay.problems import UserError, listing
from assay.protocols import implementation, packet_place
from assay.sheets import read_tsv
from assay.store import Store

VERDICT = "assay-verdict-1"


@dataclass(frozen=True)
class Judged:
    """One capture to score: its record in intake.json, its packets, and what each judge was asked and said.

    `packets` are by the judge that is shown them ('' = one packet for all). `verdicts` holds only those that were given
    and that count: fresh ones where they replaced the first; `requests` has the request of each of them.
    """

    capture: Mapping
    packets: Mapping[str, Mapping]
    verdicts: Mapping[str, Mapping]
    requests: Mapping[str, Mapping]

    @property
    def name(self) -> str:
        return f"{self.capture['entry']} by {self.capture['configuration']}"

    @property
    def packet(self) -> Mapping:
        return self.packets[""]


@dataclass(frozen=True)
class FinishedRun:
    """A finished run. `protocol` is what the run used, `specified` what the protocol fixes.

    `fresh` names by (entry, configuration) the judges whose fresh verdicts replaced the first (adjudication).
    """

    protocol: Mapping
    specified: Mapping
    intake: Mapping
    panel: Mapping
    bundle: Bundle
    roles: Mapping
    ledger: Sequence[Mapping[str, str]]
    summary: Sequence[Mapping[str, str]]
    fresh: Mapping[tuple[str, str], Sequence[str]]
    results: Path
    store: Store

    @property
    def judges(self) -> dict[str, Mapping]:
        """The panel's judges: id -> identity, with the ids that it may answer by besides its model's, the judge whose
        packet it is shown (`view`), and its model's `family`."""
        return {
            entry["identity"]["judge"]: {
                **entry["identity"],
                "accepted_ids": entry["settings"].get("accepted_ids", []),
                **{name: entry.get(name, "") for name in ("view", "family")},
            }
            for entry in self.panel["judges"]
        }

    def judged(self) -> Iterator[Judged]:
        """Yield every capture to score, in the order of intake.json; files are read one capture at a time."""
        for capture in self.intake["scored"]:
            where = capture["configuration"], capture["family"], capture["id"]
            views = dict.fromkeys(judge["view"] for judge in self.judges.values())
            packets = {view: read_json(self.results / "packets" / packet_place(*where, view)) for view in views}
            fresh = self.fresh.get((capture["entry"], capture["configuration"]), ())
            folders = {judge: "adjudication" if judge in fresh else "verdicts" for judge in self.judges}
            found = {j: read_json(Path(self.results, folder, *where, f"{j}.json")) for j, folder in folders.items()}
            verdicts = {judge: verdict for judge, verdict in found.items() if verdict["format"] == VERDICT}
            yield Judged(capture, packets, verdicts, {j: self._request(v["exchange"]) for j, v in verdicts.items()})

    def of_capture(self, kind: str, capture: Mapping) -> Mapping:
        """Read what was computed of a capture without a judge: `objective` or `detected`."""
        return read_json(Path(self.results, kind, capture["configuration"], capture["family"], f"{capture['id']}.json"))

    def _request(self, sha: str) -> Mapping:
        return read_json(self.store.path(sha))["request"]


def read_finished(protocol: Mapping, bundle_folder: Path, results: Path, store: Path) -> FinishedRun:
    """Read a finished run. `protocol` is the run's, overrides included.

    Raises UserError where a file that it must have is missing or broken.
    """
    specified = implementation(protocol["protocol"]).read()
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
        fresh=_fresh(results / "tables/runs.json"),
        results=results,
        store=Store(store),
    )


def _fresh(records: Path) -> dict[tuple[str, str], list[str]]:
    """Read which fresh verdicts count; a run of the performance protocol has none."""
    runs = read_json(records)["runs"] if records.exists() else []
    return {(run["capture"]["entry"], run["capture"]["configuration"]): run["fresh"] for run in runs}
