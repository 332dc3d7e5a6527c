"""The archive's description as an RO-Crate 1.1 of the Workflow Run profile, for machines that index research data.

Everything in it follows from the run: no time of archiving, no person, no machine.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from assay.archive.contents import CONFIG, JOURNAL, README, SUMS
from assay.archive.derive import RECORDED, Derivation
from assay.archive.replay import Use
from assay.run import PRICES

if TYPE_CHECKING:
    from rocrate.model.entity import Entity
    from rocrate.rocrate import ROCrate

WORKFLOW = "workflow/Snakefile"
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
_FORMATS = {
    ".tsv": "text/tab-separated-values",
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".yaml": "application/yaml",
    ".md": "text/markdown",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_FOLDERS = {
    "results/packets/": "What the judges were shown: one packet for each capture",
    "results/verdicts/": "What the judges said: one verdict for each capture and judge",
    "results/checks/": "Proof that each judge answered before anything was judged",
    "store/": "Every request to a judge with its raw answer, named by the request's SHA-256",
    "workflow/": "The workflow that made this run, and that verifies it: python workflow/scripts/verify.py .",
}


def crate_text(made: Derivation, sizes: Mapping[str, int], software: Mapping[str, str]) -> str:
    """Return ro-crate-metadata.json. `sizes` gives every archived file's bytes, `software` name -> version."""
    from rocrate.rocrate import ROCrate  # late: only archiving and verifying an archive need it

    crate = ROCrate(version="1.1")
    _root(crate, made, sizes)
    _workflow(crate, sizes, software)
    _inputs(crate, made, sizes)
    results = _results(crate, sizes)
    _actions(crate, made, results)
    return json.dumps(crate.metadata.generate(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _add(crate: "ROCrate", id_: str, type_: str | list[str], **properties: object) -> "Entity":
    return crate.add_jsonld({"@id": id_, "@type": type_, **properties})


def _root(crate: "ROCrate", made: Derivation, sizes: Mapping[str, int]) -> None:
    run = made.run
    root = crate.root_dataset
    root["name"] = f"{run.bundle.title}: run {run.id}"
    root["description"] = (
        f"A judging of the bundle {run.bundle.id} by {len(run.judges)} judges, with everything that its tables were "
        "made from. All of it can be derived again offline: python workflow/scripts/verify.py ."
    )
    root["datePublished"] = max(use.received for use in made.exchanges.used.values())[:10]
    root["license"] = _licence(crate, "bundle", run.bundle.licence)
    for id_, (name, version) in _PROFILES.items():
        _add(crate, id_, "CreativeWork", name=name, version=version)
    root["conformsTo"] = [{"@id": id_} for id_ in _PROFILES]
    sums = {"name": "SHA-256 of every other file", "encodingFormat": "text/plain"}
    crate.add_file(dest_path=SUMS, properties=sums)
    crate.add_file(dest_path=README, properties={**_file(README, sizes), "about": {"@id": "./"}})


def _licence(crate: "ROCrate", of: str, licence: str) -> dict[str, str]:
    """Refer to a licence: a web address or an SPDX id; else say that none is stated."""
    if not licence:
        id_, name = f"#{of}-licence", f"No licence is stated for the {of}; ask its owner"
    else:
        id_, name = licence if "://" in licence else f"https://spdx.org/licenses/{licence}", licence
    if not crate.get(id_):
        _add(crate, id_, "CreativeWork", name=name, description=f"Licence of the {of}: {name}")
    return {"@id": id_}


def _workflow(crate: "ROCrate", sizes: Mapping[str, int], software: Mapping[str, str]) -> None:
    tools = [
        _add(crate, f"#software-{name.lower()}", "SoftwareApplication", name=name, softwareVersion=software[name])
        for name in sorted(software)
    ]
    licences = sorted(name for name in sizes if PurePosixPath(name).stem == "LICENSE" and name.count("/") == 1)
    own = [name for name in licences if name.startswith("workflow/")]
    workflow = crate.add_workflow(dest_path=WORKFLOW, main=True, lang="snakemake", properties=_file(WORKFLOW, sizes))
    workflow["name"] = "Assay"
    workflow.lang["version"] = software["snakemake"]
    workflow["conformsTo"] = {"@id": "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"}
    workflow["license"] = {"@id": own[0]} if own else _licence(crate, "workflow", "")
    workflow["softwareRequirements"] = tools
    if own:
        crate.add_file(dest_path=own[0], properties={**_file(own[0], sizes), "name": "Licence of the workflow"})
    for direction, parameters in (
        ("input", {"bundle": "Dataset", "configuration": "File"}),
        ("output", {"tables": "File", "reports": "File", "verdicts": "Dataset"}),
    ):
        workflow[direction] = [
            _add(crate, f"#{direction}-{name}", "FormalParameter", name=name, additionalType=kind)
            for name, kind in parameters.items()
        ]


def _file(name: str, sizes: Mapping[str, int]) -> dict[str, str]:
    properties = {"name": name, "contentSize": str(sizes[name])}
    suffix = PurePosixPath(name).suffix
    return {**properties, "encodingFormat": _FORMATS.get(suffix, "text/plain")}


def _folder(crate: "ROCrate", id_: str, text: str, sizes: Mapping[str, int], **more: object) -> "Entity":
    inside = [size for name, size in sizes.items() if name.startswith(id_)]
    size = f"{sum(inside)} bytes in {len(inside)} files"
    return crate.add_dataset(dest_path=id_, properties={"name": id_, "description": f"{text} ({size})", **more})


def _inputs(crate: "ROCrate", made: Derivation, sizes: Mapping[str, int]) -> None:
    bundle = made.run.bundle
    more = {"license": _licence(crate, "bundle", bundle.licence), "exampleOfWork": {"@id": "#input-bundle"}}
    _folder(crate, bundle_id(made), f"The bundle: {bundle.title}", sizes, **more)
    config = crate.add_file(dest_path=CONFIG, properties=_file(CONFIG, sizes))
    config["exampleOfWork"] = {"@id": "#input-configuration"}
    crate.add_file(dest_path=str(PRICES), properties=_file(str(PRICES), sizes))


def bundle_id(made: Derivation) -> str:
    """Return the id of the bundle's folder."""
    return f"{made.run.bundle.folder.as_posix().rstrip('/')}/"


def _results(crate: "ROCrate", sizes: Mapping[str, int]) -> list["Entity"]:
    """Add tables, reports and the folders of what stands behind them; return those that are the run's results."""
    folders = [_folder(crate, id_, text, sizes) for id_, text in _FOLDERS.items()]
    folders[1]["exampleOfWork"] = {"@id": "#output-verdicts"}
    if JOURNAL in sizes:
        crate.add_file(dest_path=JOURNAL, properties=_file(JOURNAL, sizes))
    files = []
    for name in sorted(sizes):
        if not name.startswith("results/") or name.startswith(tuple(_FOLDERS)):
            continue
        files.append(crate.add_file(dest_path=name, properties=_file(name, sizes)))
        for part, output in (("results/tables/", "#output-tables"), ("results/report/", "#output-reports")):
            if name.startswith(part):
                files[-1]["exampleOfWork"] = {"@id": output}
    return [*folders[:4], *(entity for entity in files if entity.id != RECORDED)]


def _actions(crate: "ROCrate", made: Derivation, results: Sequence["Entity"]) -> None:
    """Describe the run, and each judge's part in it with the judge as its instrument."""
    uses = made.exchanges.used.values()
    inputs = [{"@id": bundle_id(made)}, {"@id": CONFIG}]
    actions = [
        _add(
            crate,
            "#run",
            "CreateAction",
            name=f"Run {made.run.id}",
            description="From the bundle to the tables and reports",
            instrument={"@id": WORKFLOW},
            object=inputs,
            result=[{"@id": entity.id} for entity in results],
            **_span(list(uses)),
        )
    ]
    for judge in made.run.judges:
        instrument = _add(
            crate,
            f"#judge-{judge.id}",
            "SoftwareApplication",
            name=f"{judge.id}: {judge.model}",
            description=f"The judge {judge.id}: the model {judge.model} of {judge.provider}, reached by {judge.route}",
            softwareVersion=judge.model,
        )
        actions.append(
            _add(
                crate,
                f"#judging-{judge.id}",
                "CreateAction",
                name=f"Judging by {judge.id}",
                description="From the packets to this judge's verdicts, through the store",
                instrument={"@id": instrument.id},
                object={"@id": "results/packets/"},
                result=[{"@id": "results/verdicts/"}, {"@id": "store/"}],
                **_span([use for use in uses if use.judge == judge.id]),
            )
        )
    crate.root_dataset["mentions"] = [{"@id": action.id} for action in actions]


def _span(uses: Sequence[Use]) -> dict[str, object]:
    return {
        "startTime": _moment(min(use.sent for use in uses)),
        "endTime": _moment(max(use.received for use in uses)),
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }


def _moment(time: str) -> str:
    """Write a stored time (UTC, with a Z) with the offset that the profile asks for."""
    return time.removesuffix("Z") + "+00:00"
