"""Wrong bundles: a clear message with file and row, exit code not 0, no traceback, and earlier results untouched."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from workdirs import bytes_of, snakemake, snakemake_forked

import small_bundle
from small_bundle import edit, write


@dataclass(frozen=True)
class Fault:
    """One way to spoil the small bundle (given its work directory), and parts of the message that must name it."""

    name: str
    spoil: Callable[[Path], object]
    message: tuple[str, ...]


def captures(old: str, new: str) -> Callable[[Path], object]:
    return lambda work: edit(work / "bundle/captures.tsv", old, new)


def catalogue(old: str, new: str) -> Callable[[Path], object]:
    return lambda work: edit(work / "bundle/catalogue.tsv", old, new)


def head(old: str, new: str) -> Callable[[Path], object]:
    return lambda work: edit(work / "bundle/bundle.yaml", old, new)


def roles(old: str, new: str) -> Callable[[Path], object]:
    return lambda work: edit(work / "bundle/optimum.yaml", old, new)


def config(more: str) -> Callable[[Path], object]:
    return lambda work: write(work / "config/config.yaml", f"bundle: bundle\nrun: small-1\n{more}")


def content(name: str, data: str | bytes) -> Callable[[Path], object]:
    return lambda work: write(work / "bundle" / name, data)


def remove(name: str) -> Callable[[Path], object]:
    return lambda work: (work / "bundle" / name).unlink()


def link(work: Path, target: str) -> None:
    (work / "bundle/answers/tiny-audit.md").unlink()
    (work / "bundle/answers/tiny-audit.md").symlink_to(target)


def drift(work: Path) -> None:
    write(work / "bundle/prompts/sent.md", "Run the audit on the harbour  project.\n")
    edit(work / "bundle/captures.tsv", "\tprompts/audit.md", "\tprompts/sent.md")


def row(name: str, number: int, *parts: str) -> tuple[str, ...]:
    return (f"bundle/{name}, row {number}: ", *parts)


TINY = "tiny\tyes\t\tanswers/tiny-audit.md\t\tmade/tiny\t0.01\t0.1"
FAULTS = [
    # what the sheets say
    Fault(
        "unknown entry",
        captures("lens:rates\tbig", "lens:rate\tbig"),
        row("captures.tsv", 4, "unknown entry 'lens:rate'"),
    ),
    Fault(
        "unknown configuration",
        captures("lens:rates\ttiny", "lens:rates\tteeny"),
        row("captures.tsv", 7, "unknown configuration 'teeny'", "big, tiny"),
    ),
    Fault(
        "capture twice",
        captures("lens:rates\ttiny", "mode:audit\ttiny"),
        row("captures.tsv", 7, "mode:audit by tiny stands already in row 5"),
    ),
    Fault(
        "entry twice",
        catalogue("lens:rates\tlens", "mode:audit\tmode"),
        row("catalogue.tsv", 4, "stands already in row 2"),
    ),
    Fault(
        "entry of no form",
        catalogue("lens:rates\tlens", "Lens_rates\tlens"),
        row("catalogue.tsv", 4, "not of the form family:id"),
    ),
    Fault(
        "entry of another family", catalogue("lens:rates\tlens", "lens:rates\tmode"), row("catalogue.tsv", 4, "family")
    ),
    Fault("unknown family", catalogue("lens:rates\tlens", "sound:rates\tsound"), row("catalogue.tsv", 4, "sound")),
    Fault(
        "id too long",
        catalogue("lens:rates\tlens", f"lens:{'r' * 101}\tlens"),
        row("catalogue.tsv", 4, "101 characters"),
    ),
    Fault("no name", catalogue("\tAudit\t", "\t\t"), row("catalogue.tsv", 2, "the name is empty")),
    Fault("no prompt", catalogue("prompts/audit.md", ""), row("catalogue.tsv", 2, "the prompt is empty")),
    Fault(
        "accepted neither yes nor no",
        captures(TINY, TINY.replace("yes", "true")),
        row("captures.tsv", 5, "accepted is 'true'"),
    ),
    Fault(
        "accepted with a reason against it",
        captures("tiny\tyes\t\tanswers/tiny-audit", "tiny\tyes\tslow\tanswers/tiny-audit"),
        row("captures.tsv", 5, "accepted, but with a reason against it ('slow')"),
    ),
    Fault(
        "rejected without a reason", captures("it timed out", ""), row("captures.tsv", 7, "rejected without a reason")
    ),
    Fault("no answer named", captures("answers/tiny-audit.md", ""), row("captures.tsv", 5, "has no answer")),
    Fault(
        "no model snapshot",
        captures("audit.md\t\tmade/tiny", "audit.md\t\t"),
        row("captures.tsv", 5, "the model snapshot is missing"),
    ),
    Fault(
        "a fallback model accepted",
        captures("big-audit.md\t\tmade/big-2026-01-01", "big-audit.md\t\tmade/fallback"),
        row("captures.tsv", 2, "answered by 'made/fallback', a fallback or wrong model", "made/big-2026-01-01"),
    ),
    Fault("cost is no number", captures("0.01\t0.1", "free\t0.1"), row("captures.tsv", 5, "cost_usd is 'free'")),
    Fault(
        "cost is NaN",
        captures("0.01\t0.1", "NaN\t0.1"),
        row("captures.tsv", 5, "cost_usd is 'NaN': not a finite number"),
    ),
    Fault(
        "minutes are infinite",
        captures("0.01\t0.1", "0.01\tinf"),
        row("captures.tsv", 5, "minutes is 'inf': not a finite number"),
    ),
    Fault(
        "cost is negative",
        captures("0.01\t0.1", "-0.01\t0.1"),
        row("captures.tsv", 5, "cost_usd is '-0.01': less than 0"),
    ),
    Fault(
        "minutes with a comma",
        captures("0.01\t0.1", "0.01\t0,1"),
        row("captures.tsv", 5, "minutes is '0,1': not a number"),
    ),
    Fault("notes too long", captures("\tseen\t", f"\t{'s' * 20_001}\t"), row("captures.tsv", 3, "20001 characters")),
    # the form of the sheets
    Fault(
        "header misses a column",
        captures("\tmodel_snapshot\t", "\tmodel\t"),
        row("captures.tsv", 1, "the column model_snapshot is missing", "unknown column 'model'"),
    ),
    Fault(
        "header names a column twice",
        captures("\tnotes\tprompt", "\tnotes\tnotes"),
        row("captures.tsv", 1, "notes stands twice"),
    ),
    Fault(
        "row with too many cells",
        captures("\tseen\t", "\tseen\tx\ty\t"),
        row("captures.tsv", 3, "cells, but the header has 11"),
    ),
    Fault(
        "commas instead of tabs",
        lambda work: write(work / "bundle/captures.tsv", small_bundle.CAPTURES.replace("\t", ",")),
        row("captures.tsv", 1, "is missing"),
    ),
    Fault("sheet is empty", content("captures.tsv", ""), row("captures.tsv", 1, "is missing")),
    Fault(
        "sheet holds no capture",
        content("captures.tsv", small_bundle.CAPTURES.splitlines()[0] + "\n"),
        ("bundle/captures.tsv: no capture is accepted",),
    ),
    Fault(
        "sheet is not UTF-8",
        content("catalogue.tsv", small_bundle.CATALOGUE.encode("utf-16")),
        ("bundle/catalogue.tsv: not UTF-8",),
    ),
    Fault("sheet is missing", remove("captures.tsv"), ("bundle/captures.tsv: the file is missing",)),
    # the files
    Fault(
        "answer does not exist",
        remove("answers/tiny-audit.md"),
        row("captures.tsv", 5, "'answers/tiny-audit.md' does not exist"),
    ),
    Fault(
        "answer is empty",
        content("answers/tiny-audit.md", " \n\ufeff\n"),
        row("captures.tsv", 5, "'answers/tiny-audit.md' is empty"),
    ),
    Fault(
        "answer is a folder",
        captures("answers/tiny-audit.md", "answers"),
        row("captures.tsv", 5, "'answers' cannot be read"),
    ),
    Fault(
        "answer is not UTF-8",
        content("answers/tiny-audit.md", b"caf\xe9"),
        row("captures.tsv", 5, "is not UTF-8 (byte 3)"),
    ),
    Fault(
        "specification does not exist",
        remove("specs/rates.md"),
        row("catalogue.tsv", 4, "'specs/rates.md' does not exist"),
    ),
    Fault(
        "prompt does not exist",
        remove("prompts/chart.md"),
        row("catalogue.tsv", 3, "'prompts/chart.md' does not exist"),
    ),
    Fault(
        "path leaves by dots",
        captures("answers/tiny-audit.md", "answers/../../config/config.yaml"),
        row("captures.tsv", 5, "leaves the bundle"),
    ),
    Fault(
        "path is absolute",
        captures("answers/tiny-audit.md", "/etc/hostname"),
        row("captures.tsv", 5, "leaves the bundle"),
    ),
    Fault(
        "path leaves by a link",
        lambda work: link(work, "../../config/config.yaml"),
        row("captures.tsv", 5, "leaves the bundle"),
    ),
    Fault("links in a circle", lambda work: link(work, "tiny-audit.md"), row("captures.tsv", 5, "leads nowhere")),
    Fault(
        "path with backslashes",
        captures("answers/tiny-audit.md", "answers\\tiny-audit.md"),
        row("captures.tsv", 5, "leaves the bundle"),
    ),
    Fault(
        "path with braces",
        captures("answers/tiny-audit.md", "answers/{id}.md"),
        row("captures.tsv", 5, "holds a brace"),
    ),
    Fault(
        "path with a null character",
        captures("answers/tiny-audit.md", "answers/\0.md"),
        row("captures.tsv", 5, "null character"),
    ),
    Fault(
        "prompt drift",
        drift,
        row(
            "captures.tsv",
            2,
            "prompt drift: 'prompts/sent.md' differs from the prime prompt 'prompts/audit.md' in line 1",
        ),
    ),
    Fault(
        "PNG that is none",
        content("visuals/tiny-chart.png", "<svg/>"),
        row("captures.tsv", 6, "is not a image/png file"),
    ),
    Fault("picture is empty", content("visuals/tiny-chart.png", b""), row("captures.tsv", 6, "is empty")),
    Fault(
        "visual of an unknown format",
        captures("visuals/big-chart.svg", "answers/big-chart.md"),
        row("captures.tsv", 3, "not one that a judge can be shown"),
    ),
    # the counts
    Fault(
        "fewer entries than expected",
        head("mode: 1", "mode: 60"),
        ("bundle/bundle.yaml: 1 entries of the family mode found, but 60 expected",),
    ),
    Fault(
        "an id counted twice",
        catalogue("lens:rates\tlens", "lens:audit\tlens"),
        row("catalogue.tsv", 4, "the id 'audit' would be counted twice: lens:audit and mode:audit", "shared_ids"),
    ),
    # bundle.yaml
    Fault("broken YAML", head("title: A small", "title: [A small"), ("bundle/bundle.yaml, row ", "not valid YAML")),
    Fault(
        "key twice",
        head("title: A small", "id: small\ntitle: A small"),
        ("bundle/bundle.yaml, row 2: not valid YAML: the key 'id' stands twice",),
    ),
    Fault(
        "unknown key",
        head("title: A small", "subtitle: x\ntitle: A small"),
        ("bundle/bundle.yaml", "'subtitle' was unexpected"),
    ),
    Fault(
        "id of no form",
        head("id: small\n", "id: Small One\n"),
        ("bundle/bundle.yaml, row 1: id: 'Small One' does not match",),
    ),
    Fault("configuration listed twice", head("id: tiny", "id: big"), ("the configuration 'big' is listed twice",)),
    Fault(
        "another bundle over old results",
        head("id: small\n", "id: other\n"),
        ("holds results of the bundle 'small', not of 'other'",),
    ),
    # the role map
    Fault("role missing", roles("big2:", "big3:"), ("bundle/optimum.yaml: the role big2 is missing",)),
    Fault("both roles one model", roles("coverage-paragraphs-1", "coverage-words-1"), ("would not be independent",)),
    Fault(
        "manual route",
        roles("coverage-paragraphs-1, provider: embedded, route: embedded", "m, provider: p, route: manual"),
        ("bundle/optimum.yaml: the route 'manual' of big2 is not a metered API",),
    ),
    Fault("role map missing", remove("optimum.yaml"), ("bundle/optimum.yaml: the file is missing",)),
    # config.yaml
    Fault(
        "unknown config key",
        config("temprature: 0\n"),
        ("config/config.yaml", "'temprature' was unexpected", "budget_usd"),
    ),
    Fault(
        "config key twice",
        config("run: small-2\n"),
        ("config/config.yaml, row 3: not valid YAML: the key 'run' stands twice",),
    ),
    Fault("broken config", config("judges: {big1: [\n"), ("config/config.yaml, row ", "not valid YAML")),
    Fault("budget is infinite", config("budget_usd: .inf\n"), ("config/config.yaml, row 3", "'.inf' is not a number")),
    Fault("a day where a text is needed", config("budget_usd: 2026-01-01\n"), ("config/config.yaml", "date")),
    Fault(
        "weights that are not 1",
        config("overrides: {weights: {fidelity: 1, soundness: 1, completeness: 0, relevance: 0, calibration: 0}}\n"),
        ("config/config.yaml: overrides.weights: the weights add up to 2, not to 1",),
    ),
    Fault(
        "unknown override", config("overrides: {scale: 100}\n"), ("overrides.scale: not a value that a run can change",)
    ),
    Fault(
        "bundle outside of the work directory",
        lambda work: write(work / "config/config.yaml", "bundle: ../bundle\nrun: small-1\n"),
        ("'../bundle' is not inside the work directory",),
    ),
    Fault(
        "bundle does not exist",
        lambda work: write(work / "config/config.yaml", "bundle: bundel\nrun: small-1\n"),
        ("the bundle folder 'bundel' does not exist",),
    ),
    Fault(
        "broken price table",
        lambda work: write(work / "config/prices.yaml", "prices:\n  - models: [m]\n"),
        ("config/prices.yaml, row 2", "'input' is a required"),
    ),
]


def refused(work: Path) -> str:
    """Run Snakemake in vain; return what it said after having seen that it was a message and changed nothing."""
    before = bytes_of(work, "results", "store", "logs")
    assert before
    done = snakemake_forked(work)
    assert done.code == 1, done.text
    for internal in ("Traceback", "Error in", ".smk", ".py", "Exception"):
        assert internal not in done.text, done.text
    assert bytes_of(work, "results", "store", "logs") == before
    return done.text


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_told_and_nothing_is_touched(small, fault):
    fault.spoil(small)
    text = refused(small)
    for part in fault.message:
        assert part in text, text
    assert re.search(r"^error: ", text, re.MULTILINE)


def test_many_faults_are_all_told_in_one_pass_in_the_order_of_files_and_rows(small):
    spoiled = [
        "unknown entry",
        "cost is NaN",
        "prompt drift",
        "answer is not UTF-8",
        "PNG that is none",
        "specification does not exist",
        "fewer entries than expected",
        "role missing",
        "unknown override",
        "rejected without a reason",
    ]
    chosen = [fault for fault in FAULTS if fault.name in spoiled]
    assert len(chosen) == len(spoiled)
    for fault in chosen:
        fault.spoil(small)
    text = refused(small)
    for fault in chosen:
        for part in fault.message:
            assert part in text, (fault.name, text)
    listed = [line for line in text.splitlines() if line.startswith("  ")]
    assert f"{len(listed)} problems found; nothing was judged:" in text
    places = [re.match(r"  ([\w./]+)(?:, row (\d+))?", line).groups() for line in listed]
    assert places == sorted(places, key=lambda place: (place[0], int(place[1] or 0)))


def test_a_dry_run_and_a_plan_refuse_a_wrong_bundle_too(small):
    edit(small / "bundle/captures.tsv", "0.01\t0.1", "NaN\t0.1")
    for arguments in (["--dry-run"], ["plan"]):
        done = snakemake(small, *arguments)
        assert done.code == 1 and "cost_usd is 'NaN'" in done.text


def test_the_mended_bundle_goes_on_where_it_was(small):
    before = bytes_of(small, "results", "store")
    edit(small / "bundle/captures.tsv", "0.01\t0.1", "NaN\t0.1")
    refused(small)
    edit(small / "bundle/captures.tsv", "NaN\t0.1", "0.01\t0.1")
    assert snakemake(small).nothing
    assert bytes_of(small, "results", "store") == before
