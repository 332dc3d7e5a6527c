"""A run of the five-judge protocol: archived, verified, tampered with, checked and compared."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ENTRY, snakemake
from tampering import add_text, copy, in_json, in_table, in_text, rehash, remove

from assay.archive.build import build
from assay.archive.show import table
from assay.archive.verify import Verification, verify
from assay.canonical import canonical, loads
from assay.checks.finished import read_finished
from assay.checks.five_judge import CHECKS
from assay.checks.table import run_checks
from assay.documents import read_yaml
from assay.protocols import implementation

PLACE = "cheater/challenge/duration-parser"
LEDGER, RUNS = "results/tables/ledger.tsv", "results/tables/runs.json"
OBJECTIVE, DETECTED = f"results/objective/{PLACE}.json", f"results/detected/{PLACE}.json"
PACKET, VERDICT = f"results/packets/{PLACE}/strategy.json", f"results/verdicts/{PLACE}/strategy2.json"
ONE = f"{ENTRY} by cheater"
Tampering = Callable[[Path], None]


@pytest.fixture
def work(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "work", ignore=shutil.ignore_patterns(".snakemake", "archive")))


@pytest.fixture
def unpacked(opened, tmp_path):
    return Path(shutil.copytree(opened, tmp_path / "unpacked"))


def named(found: Verification, file: str, text: str) -> bool:
    return any(name.startswith(file) and text in fault for name, fault in found.faults)


def test_a_finished_run_verifies_and_every_check_passes(finished):
    found = verify(finished)
    assert found.passed, table(found)
    assert {line.what: line.checked for line in found.lines}[
        "Objective, metrics and detectors, from the run folders"
    ] == 7
    assert [(row["check"], row["result"]) for row in found.checks] == [(check.id, "pass") for check in CHECKS]


def test_an_archive_unpacked_elsewhere_verifies(opened):
    found = verify(opened)
    assert found.passed, table(found)
    assert (opened / "bundle/runs/cheater/duration-parser/telemetry.jsonl").is_file()
    assert (opened / "bundle/challenges/duration-parser/start/durations.py").is_file()


def test_its_crate_is_valid_under_the_validator_of_the_workflow_run_profile(opened, issues):
    assert issues(opened) == []


def test_an_archive_made_again_after_files_were_touched_has_the_same_hash(finished, work):
    for path in work.rglob("*"):
        path.touch()
    again = build(work, read_yaml(work / "config/config.yaml"), work / "archive/again.tar.xz", {})
    assert (work / "archive/again.tar.xz").read_bytes() == (finished / "archive/example-1.tar.xz").read_bytes()
    assert again.files > 100


def test_the_note_lists_every_check(finished):
    note = (finished / "results/report/methodology.md").read_text("utf-8")
    for check in CHECKS:
        assert f"| {check.title} | pass |" in note


def first_panel_score(to: object) -> Tampering:
    return in_json(VERDICT, "overall", to=to)


def show(field: str) -> Tampering:
    """Put one more field into a packet."""

    def tamper(folder: Path) -> None:
        packet = loads((folder / PACKET).read_bytes())
        packet["shown"][field] = "cheater"
        (folder / PACKET).write_text(canonical(packet) + "\n", "utf-8")

    return tamper


def cell(column: str, to: str) -> Tampering:
    return in_table(LEDGER, ENTRY, column, to, "cheater")


TAMPERINGS = {
    "an event of the telemetry": (
        add_text(
            f"bundle/runs/{PLACE.replace('challenge/', '')}/telemetry.jsonl",
            '{"id":"late","kind":"error","time":"2027-01-01T00:00:00Z","message":"it failed"}\n',
        ),
        f"results/packets/{PLACE}/process.json",
        "shown.errors",
    ),
    "a change in the diff": (
        in_text("bundle/runs/thrasher/duration-parser/changes.diff", "+++ b/", "+++ b/x"),
        "results/packets/thrasher/challenge/duration-parser/strategy.json",
        "shown.diff[0]",
    ),
    "a file of a run taken away": (
        remove("bundle/runs/cheater/duration-parser/plan.md"),
        f"results/packets/{PLACE}/strategy.json",
        "plan",
    ),
    "an addend of Objective": (
        in_json(OBJECTIVE, "bundle", "addends", 0, "points", to=90),
        OBJECTIVE,
        "bundle.addends[0].points: 90, expected 40",
    ),
    "a penalty's evidence": (in_json(DETECTED, "findings", 0, "evidence", to=[]), DETECTED, "findings[0].evidence"),
    "a picture of a session": (
        in_text(f"results/report/runs/{PLACE}.svg", "</svg>", "<g/></svg>"),
        f"results/report/runs/{PLACE}.svg",
        "",
    ),
    "a panel member's score": (first_panel_score(95), VERDICT, "overall: 95, expected 40"),
    "a deleted verdict of the panel": (remove(VERDICT), VERDICT, "missing"),
    "a fresh verdict that was not asked for": (
        lambda folder: copy(VERDICT, VERDICT.replace("verdicts", "adjudication"))(folder),
        VERDICT.replace("verdicts", "adjudication"),
        "has no stored exchange",
    ),
    "a weight of the composite": (cell("process_weight", "20"), LEDGER, "column process_weight: '20'"),
    "a final score": (cell("final", "40"), LEDGER, "column final: '40'"),
    "the quarantine flag": (cell("state", "scored"), LEDGER, "column state: 'scored'"),
    "a dispute": (
        in_text("results/tables/disputes.tsv", "\topen\t", "\tstands\t"),
        "results/tables/disputes.tsv",
        "column state: 'stands'",
    ),
    "a packet with a forbidden field": (show("agent"), PACKET, "shown.agent"),
    "a run's page": (
        in_text(f"results/report/runs/{PLACE}.md", "15", "51"),
        f"results/report/runs/{PLACE}.md",
        "",
    ),
    "a configured weight": (
        add_text(
            "config/config.yaml",
            "overrides: {weights: {default: {objective: 55, process: 15, strategy: 15, recovery: 15}}}\n",
        ),
        "results/panel.json",
        "deviations",
    ),
}


@pytest.mark.parametrize("case", TAMPERINGS)
def test_tampering_is_caught_and_named_even_with_new_hashes(case, unpacked):
    tamper, file, text = TAMPERINGS[case]
    tamper(unpacked)
    rehash(unpacked)
    found = verify(unpacked)
    assert not found.passed
    assert named(found, file, text), table(found)


def results(folder: Path) -> dict[str, dict[str, str]]:
    protocol = implementation("five-judge").read()
    run = read_finished(protocol, folder / "bundle", folder / "results", folder / "store")
    return {row["check"]: row for row in run_checks(CHECKS, run)}


FAILING = {
    "the weighted score in place of the anchored": (
        cell("anchored", "51.35"),
        "anchor-overridden",
        f"{ONE}: anchored is 51.35, but the evidence allows 40",
    ),
    "an anchor that is said not to be active": (
        in_json(OBJECTIVE, "anchor", to=False),
        "anchor-overridden",
        f"{ONE}: the anchor is active by the evidence, but not so applied",
    ),
    "a weighted score with integrity in it": (
        cell("weighted", "46.35"),
        "integrity-averaged-in",
        f"{ONE}: weighted is 46.35, but its judges give 51.025",
    ),
    "a final score without the adjustment": (
        cell("final", "40"),
        "integrity-averaged-in",
        f"{ONE}: final is 40, but anchored and integrity add up to 15",
    ),
    "other weights than the protocol's": (
        cell("process_weight", "20"),
        "integrity-averaged-in",
        f"{ONE}: the weights are not those of the set default",
    ),
    "a penalty that nothing shows": (
        in_json(DETECTED, "findings", 0, "evidence", to=[]),
        "penalty-without-evidence",
        f"{ONE}: -25 points for test_access, but nothing in the record shows it",
    ),
    "a penalty larger than its triggers": (
        in_table(LEDGER, ENTRY, "integrity_adjustment", "-20", "thrasher"),
        "penalty-without-evidence",
        f"{ENTRY} by thrasher: integrity is -20, but its triggers come to -13",
    ),
    "a quarantined run in the ranking": (
        cell("state", "scored"),
        "penalty-without-evidence",
        f"{ONE}: the state is scored, but its triggers quarantine it",
    ),
    "a score of two members": (
        cell("strategy2", ""),
        "panel-member-missing",
        f"{ONE}: a strategy score of 44 without strategy2",
    ),
    "two members of one family": (
        in_json("results/panel.json", "judges", 2, "family", to="words"),
        "panel-member-missing",
        "the strategy panel is of the families both, words, not of 3",
    ),
    "a member's score without its verdict": (
        in_json(VERDICT, "format", to="assay-no-verdict-1"),
        "panel-member-missing",
        f"{ONE}: the ledger has a score of strategy2, but strategy2 gave no such verdict",
    ),
    "a packet that names the agent": (
        show("agent"),
        "forbidden-field",
        f"{ONE}: the packet for strategy holds 'agent', which it may not see",
    ),
    "a strategy packet with the sandbox log": (
        show("sandbox"),
        "forbidden-field",
        f"{ONE}: the packet for strategy holds 'sandbox', which it may not see",
    ),
    "a request with another judge's words": (
        in_json(
            f"results/verdicts/{PLACE}/process.json", "rationale", to="You are an independent judge of one recorded"
        ),
        "forbidden-field",
        "holds the words of process",
    ),
}


@pytest.mark.parametrize("case", FAILING)
def test_a_run_with_the_failure_fails_its_check(case, work):
    tamper, check, text = FAILING[case]
    tamper(work)
    row = results(work)[check]
    assert row["result"] == "fail"
    assert text in row["first_finding"]


def test_every_check_has_a_run_that_fails_it():
    assert {check for _, check, _ in FAILING.values()} == {check.id for check in CHECKS}


def test_an_adjudicated_run_verifies_with_its_fresh_verdicts(finished, tmp_path):
    work = Path(shutil.copytree(finished, tmp_path / "work", ignore=shutil.ignore_patterns("archive"), symlinks=True))
    done = snakemake(work, "adjudicate")
    assert done.returncode == 0, done.stderr
    fresh = sorted((work / "results/adjudication").rglob("*.json"))
    assert fresh
    found = verify(work)
    assert found.passed, table(found)
    fresh[0].unlink()
    assert not verify(work).passed
