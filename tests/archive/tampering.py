"""Ways to tamper with an archive. Each changes one thing, as somebody would who also writes new hashes."""

import json
from collections.abc import Callable
from pathlib import Path

from assay.archive.contents import SUMS, present_files
from assay.archive.pack import sums_text
from assay.canonical import canonical, loads, sha256
from assay.sheets import read_columns, read_tsv, write_tsv

DAG = "optimum/mode/causal-dag"
TIMELINE = "optimum/visual/timeline"
VERDICT = f"results/verdicts/{DAG}/big1.json"
PACKET = f"results/packets/{DAG}.json"
Tampering = Callable[[Path], None]


def rehash(folder: Path) -> None:
    """Write SHA256SUMS anew, as an attacker would."""
    files = {name: (folder / name).read_bytes() for name in present_files(folder) - {SUMS}}
    (folder / SUMS).write_text(sums_text(files), "utf-8")


def in_json(name: str, *path: str, to: object) -> Tampering:
    """Set one value in a JSON file."""

    def tamper(folder: Path) -> None:
        document = loads((folder / name).read_bytes())
        inner = document
        for step in path[:-1]:
            inner = inner[step]
        assert canonical(inner[path[-1]]) != canonical(to)
        inner[path[-1]] = to
        (folder / name).write_text(canonical(document) + "\n", "utf-8")

    return tamper


def in_table(name: str, entry: str, column: str, to: str, configuration: str = "optimum") -> Tampering:
    """Set one cell of a TSV table."""

    def tamper(folder: Path) -> None:
        path = folder / name
        columns, rows = read_columns(path), read_tsv(path)
        row = next(r for r in rows if r.get("entry", "") == entry and r["configuration"] == configuration)
        assert row[column] != to
        row[column] = to
        write_tsv(path, columns, rows)

    return tamper


def in_text(name: str, old: str, new: str) -> Tampering:
    """Replace a text that a file holds."""

    def tamper(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), "utf-8")

    return tamper


def add_text(name: str, text: str) -> Tampering:
    """Put a text behind a file's end; make the file if there is none."""

    def tamper(folder: Path) -> None:
        with open(folder / name, "a", encoding="utf-8") as file:
            file.write(text)

    return tamper


def remove(name: str) -> Tampering:
    """Delete a file."""
    return lambda folder: (folder / name).unlink()


def copy(name: str, to: str) -> Tampering:
    """Write a copy of a file under another name."""

    def tamper(folder: Path) -> None:
        (folder / to).parent.mkdir(parents=True, exist_ok=True)
        (folder / to).write_bytes((folder / name).read_bytes())

    return tamper


def swap(one: str, other: str) -> Tampering:
    """Exchange the contents of two files."""

    def tamper(folder: Path) -> None:
        data = [(folder / name).read_bytes() for name in (one, other)]
        (folder / one).write_bytes(data[1])
        (folder / other).write_bytes(data[0])

    return tamper


def all_of(*tamperings: Tampering) -> Tampering:
    """Do several things together."""

    def tamper(folder: Path) -> None:
        for one in tamperings:
            one(folder)

    return tamper


def exchange_name(folder: Path, verdict: str = VERDICT) -> str:
    """Return the file of the exchange that a verdict rests on."""
    sha = loads((folder / verdict).read_bytes())["exchange"]
    return f"store/{sha[:2]}/{sha}.json"


def in_exchange(change: Callable[[dict], None], consistent: bool = True) -> Tampering:
    """Change an exchange; if `consistent`, with the hash of the response that stands in it corrected."""

    def tamper(folder: Path) -> None:
        path = folder / exchange_name(folder)
        document = loads(path.read_bytes())
        change(document)
        if consistent:
            document["response_sha256"] = sha256(document["response"])
        path.write_text(canonical(document) + "\n", "utf-8")

    return tamper


def better_reply(document: dict) -> None:
    """Let the judge have given a ten for fidelity."""
    reply = json.loads(document["response"]["body"])
    assert reply["scores"]["fidelity"] != 10
    reply["scores"]["fidelity"] = 10
    document["response"]["body"] = json.dumps(reply)


def another_day(document: dict) -> None:
    """Let the answer have come on another day."""
    document["response"]["received"] = "2020-02-02T00:00:00Z"


def another_question(document: dict) -> None:
    """Let the judge have been asked something else."""
    document["request"]["messages"][1]["content"][0]["text"] += " Be kind."


def remove_exchange(folder: Path) -> None:
    """Delete the exchange that a verdict rests on."""
    (folder / exchange_name(folder)).unlink()


def add_exchange(folder: Path) -> None:
    """Add an exchange that is whole in itself, and that nothing asks for."""
    document = loads((folder / exchange_name(folder)).read_bytes())
    document["request"]["ask"] = 7
    sha = sha256(document["request"])
    (folder / f"store/{sha[:2]}").mkdir(exist_ok=True)
    (folder / f"store/{sha[:2]}/{sha}.json").write_text(canonical(document) + "\n", "utf-8")


def drop_row(name: str, entry: str, configuration: str) -> Tampering:
    """Delete a row of a sheet or table."""

    def tamper(folder: Path) -> None:
        path = folder / name
        rows = read_tsv(path)
        kept = [row for row in rows if (row["entry"], row["configuration"]) != (entry, configuration)]
        assert len(kept) == len(rows) - 1
        write_tsv(path, read_columns(path), kept)

    return tamper


def add_capture(folder: Path) -> None:
    """Add a capture that the run did not hold."""
    path = folder / "bundle/captures.tsv"
    rows = read_tsv(path)
    row = next(r for r in rows if r["entry"] == "lens:hanlons-razor" and r["configuration"] == "optimum")
    added = {**row, "configuration": "single-model", "model_snapshot": "example/medium-2026-05-01"}
    write_tsv(path, read_columns(path), [*rows, added])


LEDGER, SUMMARY = "results/tables/ledger.tsv", "results/tables/summary.tsv"
CAPTURES, CATALOGUE = "bundle/captures.tsv", "bundle/catalogue.tsv"
DAG_ANSWER = "bundle/answers/optimum/mode-causal-dag.md"

# name -> (what is done, the file that must be named, a part of what must be said of it)
TAMPERINGS: dict[str, tuple[Tampering, str, str]] = {
    "a score in the ledger": (in_table(LEDGER, "mode:causal-dag", "overall", "9.9"), LEDGER, "column overall: '9.9'"),
    "a judge's score in the ledger": (
        in_table(LEDGER, "mode:causal-dag", "big1_fidelity", "1"),
        LEDGER,
        "big1_fidelity",
    ),
    "a failure flag": (in_table(LEDGER, "mode:causal-dag", "failure", "yes"), LEDGER, "column failure: 'yes'"),
    "a note in the ledger": (in_table(LEDGER, "mode:causal-dag", "big2_note_soundness", "Poor."), LEDGER, "'Poor.'"),
    "a row of the ledger": (drop_row(LEDGER, "mode:causal-dag", "frugal"), LEDGER, "row 7 ("),
    "a published mean": (in_table(SUMMARY, "", "public_mean_overall", "9.0"), SUMMARY, "public_mean_overall: '9.0'"),
    "a denominator": (in_table(SUMMARY, "", "judged", "9"), SUMMARY, "column judged: '9'"),
    "an averaged score": (
        in_table("results/tables/averaged.tsv", "mode:causal-dag", "fidelity", "9"),
        "results/tables/averaged.tsv",
        "column fidelity",
    ),
    "the number of verdicts given": (
        in_text("results/tables/answered.tsv", "coverage-words-1\t", "coverage-words-2\t"),
        "results/tables/answered.tsv",
        "coverage-words-2",
    ),
    "a check that passed": (
        in_text("results/tables/checks.tsv", "pass", "fail"),
        "results/tables/checks.tsv",
        "column result: 'fail'",
    ),
    "a verdict's score": (in_json(VERDICT, "scores", "fidelity", to=10), VERDICT, "scores.fidelity: 10, expected"),
    "a verdict's note": (in_json(VERDICT, "notes", "soundness", to="Fine."), VERDICT, 'notes.soundness: "Fine."'),
    "a verdict's impression": (in_json(VERDICT, "impression", to="Fine."), VERDICT, "impression"),
    "who gave a verdict": (in_json(VERDICT, "model_answered", to="other"), VERDICT, "model_answered"),
    "when a verdict was given": (in_json(VERDICT, "judged_on", to="2020-02-02"), VERDICT, "judged_on"),
    "how often a judge was asked": (in_json(VERDICT, "asks", to=2), VERDICT, "asks: 2, expected 1"),
    "a deleted verdict": (remove(VERDICT), VERDICT, "missing"),
    "two judges' verdicts swapped": (swap(VERDICT, VERDICT.replace("big1", "big2")), VERDICT, "exchange"),
    "a verdict of nobody": (copy(VERDICT, VERDICT.replace("big1", "big3")), VERDICT.replace("big1", "big3"), "nothing"),
    "a packet's answer": (in_json(PACKET, "answer", to="Better."), PACKET, 'answer: "Better."'),
    "a packet's model": (in_json(PACKET, "model_snapshot", to="other"), PACKET, "model_snapshot"),
    "a packet's specification": (in_json(PACKET, "specification", "text", to="Any."), PACKET, "specification.text"),
    "the rubric in a packet": (in_json(PACKET, "rubric", "scale", to={}), PACKET, "rubric.scale"),
    "an added packet": (
        copy(PACKET, PACKET.replace("optimum", "other")),
        PACKET.replace("optimum", "other"),
        "nothing",
    ),
    "an exchange's body": (in_exchange(better_reply), "store/", "not what the baseline coverage-words-1 answers"),
    "an exchange's body alone": (in_exchange(better_reply, False), "store/", "does not match the recorded hash"),
    "an exchange's day": (in_exchange(another_day), VERDICT, "judged_on"),
    "an exchange's request": (in_exchange(another_question), "store/", "does not hash to its name"),
    "a deleted exchange": (remove_exchange, VERDICT, "has no stored exchange"),
    "an added exchange": (add_exchange, "store/", "no verdict rests on it"),
    "a judge check": (
        in_json("results/checks/big1.json", "exchange", to="0" * 64),
        "results/checks/big1.json",
        "exchange",
    ),
    "a judge swapped in the panel": (
        in_text("results/panel.json", '"model":"coverage-words-1"', '"model":"coverage-paragraphs-1"'),
        "the run",
        "big1 is no longer the judge of the run 'example-1': model changed",
    ),
    "a judge swapped in the role map": (
        all_of(
            in_text("bundle/optimum.yaml", "big1: {model: coverage-words-1", "big1: {model: coverage-paragraphs-1"),
            in_text("bundle/optimum.yaml", "big2: {model: coverage-paragraphs-1", "big2: {model: coverage-words-1"),
        ),
        "the run",
        "model changed",
    ),
    "how often judges are asked": (in_json("results/panel.json", "max_asks", to=9), "results/panel.json", "max_asks"),
    "an answer": (add_text(DAG_ANSWER, "More.\n"), VERDICT, "has no stored exchange"),
    "a specification": (add_text("bundle/specs/mode-causal-dag.md", "More.\n"), VERDICT, "has no stored exchange"),
    "a prompt": (add_text("bundle/prompts/mode-causal-dag.md", "More.\n"), VERDICT, "has no stored exchange"),
    "a picture": (
        swap("bundle/visuals/optimum/visual-timeline.png", "bundle/visuals/optimum/visual-causal-dag.mmd"),
        "the run",
        "is not a image/png file",
    ),
    "a rejected capture": (
        in_table(CAPTURES, "lens:second-order-effects", "reason", "an accident", "frugal"),
        "results/intake.json",
        "aside",
    ),
    "a rejected capture accepted": (
        all_of(
            in_table(CAPTURES, "lens:second-order-effects", "accepted", "yes", "frugal"),
            in_table(CAPTURES, "lens:second-order-effects", "reason", "", "frugal"),
            in_table(CAPTURES, "lens:second-order-effects", "model_snapshot", "example/small-2026-05-01", "frugal"),
        ),
        "results/verdicts/frugal/lens/second-order-effects/big1.json",
        "has no stored exchange",
    ),
    "a capture rejected": (
        all_of(
            in_table(CAPTURES, "mode:causal-dag", "accepted", "no", "frugal"),
            in_table(CAPTURES, "mode:causal-dag", "reason", "weak", "frugal"),
        ),
        "results/intake.json",
        "aside",
    ),
    "a deleted capture": (drop_row(CAPTURES, "mode:causal-dag", "frugal"), "results/intake.json", "missing"),
    "an added capture": (
        add_capture,
        "results/verdicts/single-model/lens/hanlons-razor/big1.json",
        "no stored exchange",
    ),
    "a cost": (in_table(CAPTURES, "mode:causal-dag", "cost_usd", "0.001"), "results/intake.json", "cost_usd"),
    "a technique's name": (
        in_text(CATALOGUE, "\tCausal", "\tCasual"),
        f"results/verdicts/{DAG}/big1.json",
        "no stored exchange",
    ),
    "the bundle's title": (in_text("bundle/bundle.yaml", "title: Four", "title: For"), "results/intake.json", "title"),
    "a changed threshold": (
        add_text("config/config.yaml", "overrides: {failure_threshold: 9}\n"),
        "results/panel.json",
        "deviations",
    ),
    "changed weights": (
        add_text(
            "config/config.yaml",
            "overrides: {weights: {fidelity: 1, soundness: 0, completeness: 0, relevance: 0, calibration: 0}}\n",
        ),
        "results/panel.json",
        "deviations",
    ),
    "the cap taken away": (add_text("config/config.yaml", "overrides: {cap: null}\n"), "results/panel.json", "cap"),
    "the run's name": (in_text("config/config.yaml", "run: example-1", "run: other"), "results/panel.json", "run"),
    "a weight in the program": (
        in_text("workflow/config/protocols/performance.yaml", 'weight: "0.35"', 'weight: "0.30"'),
        "workflow/config/protocols/performance.yaml",
        "0.30",
    ),
    "the program": (
        in_text("workflow/scripts/assay/scoring/cap.py", "min(weighted", "max(weighted"),
        "workflow/scripts/assay/scoring/cap.py",
        "max(weighted",
    ),
    "an added program file": (
        add_text("workflow/scripts/sitecustomize.py", "1\n"),
        "workflow/scripts/sitecustomize.py",
        "",
    ),
    "intake.json": (in_json("results/intake.json", "missing", to=[]), "results/intake.json", "missing[0]"),
    "the methodology note": (
        in_text("results/report/methodology.md", "1 not held", "0 not held"),
        "results/report/methodology.md",
        "0 not held",
    ),
    "the published ledger": (
        in_text("results/report/ledger.csv", "mode:causal-dag", "mode:casual-dag"),
        "results/report/ledger.csv",
        "mode:casual-dag",
    ),
    "the published summary": (
        in_text("results/report/summary.md", "| Optimum |", "| The best |"),
        "results/report/summary.md",
        "The best",
    ),
    "an added report": (
        add_text("results/report/erratum.md", "Ignore the above.\n"),
        "results/report/erratum.md",
        "nothing",
    ),
    "the recorded software": (
        in_json("results/software.json", "pandas", to="0.1"),
        "results/report/methodology.md",
        "expected",
    ),
    "the crate's licence": (
        in_text("ro-crate-metadata.json", "licenses/CC0-1.0", "licenses/MIT"),
        "ro-crate-metadata.json",
        "license",
    ),
    "the README": (add_text("README.md", "Trust me.\n"), "README.md", "Trust me."),
    "an added file": (add_text("bundle/extra.md", "x"), "bundle/extra.md", "belongs to no part"),
    "a damaged journal": (add_text("store/journal.jsonl", "broken\n"), "store/journal.jsonl", "row 1"),
}
