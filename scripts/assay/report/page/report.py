"""The whole report: what stands on it, and whether the captures' texts fit into it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment

from assay.files import read_json
from assay.protocol import formula
from assay.report.methodology import run_notes, scoring_dates
from assay.report.page import judges, ledger, results
from assay.report.page.build import environment, head, inlined, script, stylesheet, with_pictures
from assay.report.page.captures import Views
from assay.report.page.grid import Grid
from assay.report.scores import Row, Scores, place
from assay.report.tidy import Table
from assay.sheets import tsv_text
from assay.stats import DEFINITIONS

MOST_BYTES = 14_000_000  # one file up to here; above, each capture has a page of its own beside it
SECTIONS = (
    ("results", "Results"),
    ("overall", "Overall and how sure it is"),
    ("criteria", "Criteria"),
    ("families", "Families"),
    ("distribution", "Distribution"),
    ("cost", "Cost and time"),
    ("judges", "Judges"),
    ("sensitivity", "Does it hold?"),
    ("failures", "Failures"),
    ("capped", "Where the cap bit"),
    ("unscored", "Without a score"),
    ("ledger", "Ledger"),
    ("checks", "Checks"),
    ("method", "Method"),
)


@dataclass(frozen=True)
class Material:
    """All that the report is made from.

    `facts` is what run_facts returns; `tables` holds the statistics, `summary`, `answered`, `unjudged` and `checks` by
    name; `pictures` the SVG texts and `captions` the captions by name; `results` is the folder of packets and verdicts.
    """

    scores: Scores
    protocol: Mapping
    facts: Mapping
    tables: Mapping[str, Table]
    pictures: Mapping[str, str]
    captions: Mapping[str, str]
    seed: int
    results: Path


def report_files(material: Material, most_bytes: int = MOST_BYTES) -> Iterator[tuple[str, str]]:
    """Yield the files of the report as (path in the report's folder, text): report.html; captures/pages.tsv, which
    says where each capture's page is; and these pages, where report.html with them would be over `most_bytes`."""
    templates, scores = environment(), material.scores
    inside = {place(row): f"#{place(row)}" for row in scores.rows}
    page = _render(templates, material, inside, list(_views(material, inside, "#ledger")))
    if len(page.encode("utf-8")) > most_bytes:
        beside = {place(row): f"captures/{place(row)}.html" for row in scores.rows}
        yield "report.html", _render(templates, material, beside, None)
        yield from _pages(templates, material)
        yield "captures/pages.tsv", _listing(scores, beside)
    else:
        yield "report.html", page
        yield "captures/pages.tsv", _listing(scores, {at: f"report.html{address}" for at, address in inside.items()})


def _listing(scores: Scores, addresses: Mapping[str, str]) -> str:
    rows = [
        {"entry": row["entry"], "configuration": row["configuration"], "page": addresses[place(row)]}
        for row in scores.rows
    ]
    return tsv_text(("entry", "configuration", "page"), rows)


def _views(material: Material, addresses: Mapping[str, str], report: str) -> Iterator[dict]:
    """Yield what the template shows of each capture."""
    scores = material.scores
    reader = Views(scores, material.protocol, addresses, report)
    for row in scores.rows:
        folder = material.results / "verdicts" / place(row)
        verdicts = {judge: read_json(folder / f"{judge}.json") for judge in scores.judges}
        yield reader.view(row, packet_of(material.results, row), verdicts)


def packet_of(results: Path, row: Row) -> dict:
    """Read what the judges were shown of a capture."""
    return read_json(results / "packets" / f"{place(row)}.json")


def _pages(templates: Environment, material: Material) -> Iterator[tuple[str, str]]:
    """Yield a page of its own for each capture. Its addresses lead three folders up: captures/configuration/family."""
    addresses = {place(row): f"../../../captures/{place(row)}.html" for row in material.scores.rows}
    template, shared = templates.get_template("capture_page.html"), {**_shared(material), **head(stylesheet())}
    for view in _views(material, addresses, "../../../report.html#ledger"):
        title = f"{view['technique']} by {view['title']}"
        yield f"captures/{view['place']}.html", template.render(shared, title=title, c=view)


def _shared(material: Material) -> dict:
    return {
        "notes": run_notes(material.facts, material.tables["unjudged"].rows),
        "criteria": material.scores.criteria,
        "judges": material.scores.judges,
    }


def _render(
    templates: Environment, material: Material, addresses: Mapping[str, str], views: Sequence[dict] | None
) -> str:
    """Return report.html, with the captures in it, or (`views` None) with each on a page of its own."""
    scores, tables = material.scores, material.tables
    texts = _texts(views or [])
    said = {
        **_shared(material),
        "title": material.facts["bundle"]["title"],
        **head(with_pictures(stylesheet()), script()),
        "beside": views is None,
        "sections": SECTIONS,
        "lead": _lead(material),
        "conclusions": [row["sentence"] for row in tables["conclusions"].rows],
        "sensitivity": next((r["sentence"] for r in tables["conclusions"].rows if r["topic"] == "sensitivity"), ""),
        "facts": _facts(material),
        "grids": grids(material, addresses),
        "pictures": {name: inlined(svg, addresses) for name, svg in material.pictures.items()},
        "captions": material.captions,
        "failure_rule": f"Scored captures with Overall under {material.protocol['failure_threshold']}, lowest first.",
        "cap_rule": _cap_rule(scores),
        "configurations": list(scores.titles.items()),
        "families": scores.families,
        "formula": formula(material.protocol),
        "seed": material.seed,
        "definitions": DEFINITIONS.items(),
        "texts": list(texts.items()),
        "captures": [
            {**view, "shared": {what: texts[words] for what, words in view["long"].items()}} for view in views or []
        ],
    }
    return templates.get_template("report.html").render(said)


def _texts(views: Sequence[Mapping]) -> dict[str, str]:
    """Return an id for each prompt and specification, which several captures share, in the order of the ledger."""
    texts: dict[str, str] = {}
    for view in views:
        for words in view["long"].values():
            texts.setdefault(words, f"text:{len(texts)}")
    return texts


def _lead(material: Material) -> str:
    bundle, scores = material.facts["bundle"], material.scores
    entries = len({row["entry"] for row in scores.rows})
    counted = f"{len(scores.rows)} scored captures of {entries} entries by {len(scores.titles)} configurations"
    return f"{counted}. Run {material.facts['run']} of the bundle {bundle['id']}."


def _facts(material: Material) -> list[tuple[str, str]]:
    facts = [
        (
            f"Judge {judge['judge']}",
            f"{judge['model']} of {judge['provider']}"
            + (f"; substituted: {judge['substituted']}" if judge["substituted"] else ""),
        )
        for judge in material.facts["judges"]
    ]
    facts += [("Judged by", material.protocol["specification"])]
    facts += [("Scoring date", scoring_dates(material.tables["answered"].rows))]
    changed = [f"{d['name']}: {d['used']} (specified: {d['specified']})" for d in material.facts["deviations"]]
    return facts + ([("Deviations", "; ".join(changed))] if changed else [])


def _cap_rule(scores: Scores) -> str:
    if not scores.cap:
        return "This run has no cap."
    return f"Captures whose weighted score is over their {scores.cap}, which then is their Overall."


def grids(material: Material, addresses: Mapping[str, str]) -> dict[str, Grid]:
    """Return every table of the page by name."""
    scores, tables = material.scores, material.tables
    first = {row["entry"]: row for row in scores.rows}
    names = {entry: packet_of(material.results, row)["technique"] for entry, row in first.items()}

    def page(entry: str, configuration: str) -> str:
        family, _, id_ = entry.partition(":")
        return addresses[f"{configuration}/{family}/{id_}"]

    return {
        "summary": results.headline(tables["summary"], scores.criteria),
        "ranking": results.ranking(scores, tables),
        "differences": results.differences(scores, tables),
        "configurations": results.criteria(scores, tables),
        "families": results.families(scores, tables),
        "sensitivity": results.sensitivity(scores, tables),
        "agreement": judges.agreement(tables),
        "disagreements": judges.disagreements(scores, tables, page),
        "self_preference": judges.self_preference(scores, tables),
        "family_favour": judges.family_favour(tables),
        "length": judges.length(tables),
        "halo": judges.halo(tables),
        "failures": ledger.failures(scores, page),
        "capped": ledger.capped(scores, page),
        "not_scored": ledger.not_scored(scores, material.facts, tables["unjudged"].rows),
        "ledger": ledger.ledger(scores, names, page),
        "checks": ledger.checks(tables["checks"]),
    }
