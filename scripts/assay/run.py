"""A run: one bundle, its protocol and its panel, read and checked together."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from assay.bundle.check import check_bundle
from assay.bundle.model import Bundle, Capture
from assay.bundle.read import read_bundle
from assay.bundle.scored_set import ScoredSet, scored_set
from assay.canonical import canonical, loads
from assay.documents import CONFIG_FILE, read_yaml, schema_problems
from assay.files import read_json
from assay.panel import Judge, configurations_of, read_panel
from assay.problems import FileFault, Problem, UserError, listing
from assay.protocol import Deviation
from assay.protocols import implementation, named_protocol

PRICES = Path("config/prices.yaml")
PANEL_FILE = Path("results/panel.json")
DEFAULTS = {
    "providers": {},
    "judges": {},
    "substitutions": {},
    "overrides": {},
    "reviews": [],
    "budget_usd": None,
    "max_asks": 3,
    "in_doubt": "resend",
    "allow_partial": False,
    "seed": 20260101,
}


@dataclass(frozen=True)
class Run:
    """One judging of one bundle by one panel. `protocol` already holds the run's overrides."""

    id: str
    config: Mapping
    bundle: Bundle
    protocol: Mapping
    deviations: tuple[Deviation, ...]
    judges: tuple[Judge, ...]
    set: ScoredSet
    prices: Mapping

    @property
    def kind(self) -> ModuleType:
        """The module of assay.protocols that the bundle's protocol is."""
        return implementation(self.protocol["protocol"])

    @property
    def criteria(self) -> list[str]:
        return [criterion["id"] for criterion in self.protocol["criteria"]]

    @property
    def views(self) -> list[str]:
        """The judges that are shown a packet of their own; [''] where one packet is shown to all."""
        return list(dict.fromkeys(judge.view for judge in self.judges))

    def card(self, capture: Capture, view: str = "") -> str:
        """Return what the sheets and the protocol put into a packet: it is built again when this text changes."""
        return self.kind.card(self, capture, view)

    def files(self, capture: Capture) -> dict[str, str]:
        """Return the capture's files by what they are."""
        return self.kind.files(self.bundle, capture)


def exact_config(config: Mapping) -> dict:
    """Return the configuration as Snakemake read it, with exact numbers. Raises UserError for a value JSON lacks."""
    try:
        return loads(json.dumps(config))
    except (TypeError, ValueError) as error:
        problem = Problem(
            CONFIG_FILE, 0, f"a value is not usable: {error}", "Write it in quotes, or as a finite number"
        )
        raise UserError(listing([problem])) from None


def open_run(config: Mapping, check_files: bool = True) -> Run:
    """Read and check everything that a run is made of; paths are relative to the work directory.

    Raises UserError with all problems at once; reviews are looked at once everything else is sound. `check_files` False
    skips what was checked before (the content of the bundle's files) when a job of a run that has started reads the
    sheets again.
    """
    problems = schema_problems(dict(config), "config", CONFIG_FILE)
    if problems:
        raise UserError(listing(problems))
    config = {**DEFAULTS, **config}
    folder = Path(config["bundle"])
    if folder.is_absolute() or ".." in folder.parts or {"{", "}"} & set(config["bundle"]):
        text = f"the bundle folder {config['bundle']!r} is not inside the work directory, or holds a brace"
        todo = "Put the bundle into the work directory, or a link to it: results must not depend on where this stands"
        raise UserError(listing([Problem(CONFIG_FILE, 0, text, todo)]))
    if not folder.is_dir():
        text = f"the bundle folder {config['bundle']!r} does not exist in {Path.cwd()}"
        raise UserError(
            listing([Problem(CONFIG_FILE, 0, text, "Set `bundle`, or give the work directory with --directory")])
        )
    kind = implementation(named_protocol(folder))
    protocol = kind.read()
    bundle, problems = read_bundle(folder, protocol)
    if check_files:
        problems += check_bundle(bundle)
    if not bundle.id:
        raise UserError(listing(problems))
    protocol, deviations, found = kind.override(protocol, config["overrides"], CONFIG_FILE)
    judges, panel_problems = read_panel(bundle, protocol, config)
    problems += found + panel_problems + same_run_problems(config["run"], bundle.id, judges)
    prices, price_problems = read_prices()
    if problems or price_problems:
        raise UserError(listing(problems + price_problems))
    judged = scored_set(bundle)  # of a sound bundle only
    problems = kind.review_problems(config["reviews"], judged, protocol, CONFIG_FILE)
    if problems:
        raise UserError(listing(problems))
    return Run(config["run"], config, bundle, protocol, tuple(deviations), judges, judged, prices)


def read_prices() -> tuple[Mapping, list[Problem]]:
    """Read the price table: the work directory's config/prices.yaml if it has one, else the project's."""
    path = PRICES if PRICES.exists() else Path(__file__).parents[2] / PRICES
    try:
        prices = read_yaml(path)
    except FileFault as fault:
        return {}, [fault.problem("Correct the file")]
    return prices, schema_problems(prices, "prices", str(path))


def model_prices(prices: Mapping, model: str) -> dict:
    """Return the rows of the price table that concern a model."""
    return {"prices": [row for row in prices["prices"] if model in row["models"]]}


def same_run_problems(run: str, bundle: str, judges: tuple[Judge, ...]) -> list[Problem]:
    """Refuse to judge over the results of another bundle, or to change a judge within a run.

    (Specification, Failure Modes: Judge Substitution Drift.)
    """
    if not PANEL_FILE.exists():
        return []
    before = read_json(PANEL_FILE)
    if before["bundle"] != bundle:
        text = f"this work directory holds results of the bundle {before['bundle']!r}, not of {bundle!r}"
        return [Problem(str(PANEL_FILE), 0, text, "Judge each bundle in a work directory of its own (--directory)")]
    if before["run"] != run:
        return []
    old = {judge["identity"]["judge"]: judge["identity"] for judge in before["judges"]}
    problems = []
    for judge in judges:
        new = judge.identity()
        changed = [
            name for name in new if judge.id in old and canonical(new[name]) != canonical(old[judge.id].get(name))
        ]
        if changed:
            text = f"{judge.id} is no longer the judge of the run {run!r}: {', '.join(changed)} changed"
            todo = "Restore it, or give the run a new id: a changed judge is a new run, and is paid for again"
            problems.append(Problem(str(PANEL_FILE), 0, text, todo))
    return problems


def panel_document(run: Run) -> dict:
    """Return all that a judge's job needs besides its packet, and what the run changes of the protocol.

    results/panel.json holds it. Nothing in it comes from the bundle's sheets.
    """
    within = configurations_of(run.bundle, run.judges)
    return {
        "format": "assay-panel-1",
        "run": run.id,
        "bundle": run.bundle.id,
        "protocol": run.protocol["protocol"],
        "deviations": [vars(deviation) for deviation in run.deviations],
        "judges": [
            {
                "identity": judge.identity(),
                **({"view": judge.view, "family": judge.family} if judge.view else {}),
                "digest": judge.digest(),
                "substituted": judge.substituted,
                "within": within[judge.id],
                "prices": model_prices(run.prices, judge.model),
                "provider": run.config["providers"].get(judge.provider),
                "settings": {
                    name: value
                    for name, value in run.config["judges"].get(judge.id, {}).items()
                    if name not in ("parameters", "response_format")
                },
            }
            for judge in run.judges
        ],
        **{name: run.config[name] for name in ("budget_usd", "max_asks", "in_doubt", "allow_partial")},
    }


def intake_document(bundle: Bundle) -> dict:
    """Return what results/intake.json holds: what is judged, and what is not and why.

    Nothing in it comes from config.yaml, so that a new threshold leaves the averages alone.
    """
    found = scored_set(bundle)
    return {
        "format": "assay-intake-1",
        "bundle": {"id": bundle.id, "title": bundle.title, "licence": bundle.licence, "protocol": bundle.protocol},
        "configurations": [{"id": c.id, "title": c.title} for c in bundle.configurations],
        "expected": dict(bundle.expected or {}),
        "possible": (len(bundle.entries) - len(found.excluded_entries)) * len(bundle.configurations),
        "entries": len(bundle.entries) - len(found.excluded_entries),
        "scored": [_record(bundle, capture) for capture in found.scored],
        "aside": [vars(aside) for aside in found.aside],
        "excluded_entries": dict(found.excluded_entries),
        "unscorable_entries": list(found.unscorable_entries),
        "missing": [list(pair) for pair in found.missing],
    }


def _record(bundle: Bundle, capture: Capture) -> dict:
    entry = bundle.entries[capture.entry]
    return {
        "entry": entry.key,
        "family": entry.family,
        "id": entry.id,
        "configuration": capture.configuration,
        "cost_usd": _amount(capture.cost_usd),
        "minutes": _amount(capture.minutes),
        **implementation(bundle.protocol).record(bundle, capture),
    }


def _amount(value: object) -> str:
    return "" if value is None else canonical(value)
