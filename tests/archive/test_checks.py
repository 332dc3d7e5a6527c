"""The six failure modes as checks: a sound run passes each, and each has runs that fail it."""

from pathlib import Path

import pytest
from conftest import small_example
from tampering import (
    CAPTURES,
    LEDGER,
    PACKET,
    SUMMARY,
    VERDICT,
    add_text,
    all_of,
    drop_row,
    exchange_name,
    in_json,
    in_table,
    in_text,
)

from assay.archive.show import table
from assay.archive.verify import verify
from assay.canonical import canonical, loads, sha256
from assay.checks.finished import read_finished
from assay.checks.performance import CHECKS
from assay.checks.table import run_checks
from assay.documents import read_yaml
from assay.prompt import nonce_of
from assay.protocol import override, read_protocol
from assay.sheets import read_columns, read_tsv, write_tsv
from finished_runs import finish


def results(folder: Path) -> dict[str, dict[str, str]]:
    """Go through the checks on a finished run as it stands."""
    config = read_yaml(folder / "config/config.yaml")
    protocol = override(read_protocol("performance"), config.get("overrides", {}), "config")[0]
    run = read_finished(protocol, folder / "bundle", folder / "results", folder / "store")
    return {row["check"]: row for row in run_checks(CHECKS, run)}


def show_to_judge(text) -> object:
    """Put `text(folder)` into the request that a verdict rests on, as if the judge had been shown it."""

    def tamper(folder: Path) -> None:
        path = folder / exchange_name(folder)
        document = loads(path.read_bytes())
        document["request"]["messages"][1]["content"][0]["text"] += text(folder)
        path.write_text(canonical(document), "utf-8")

    return tamper


def hide_specification(folder: Path) -> None:
    """Take the specification out of the request that a verdict rests on."""
    path = folder / exchange_name(folder)
    document = loads(path.read_bytes())
    part = document["request"]["messages"][1]["content"][0]
    text = loads((folder / PACKET).read_bytes())["specification"]["text"]
    assert text in part["text"]
    part["text"] = part["text"].replace(text, "")
    path.write_text(canonical(document), "utf-8")


def other_note(folder: Path) -> str:
    return loads((folder / VERDICT.replace("big1", "big2")).read_bytes())["notes"]["fidelity"]


def other_nonce(folder: Path) -> str:
    return nonce_of(sha256(loads((folder / PACKET).read_bytes())), "big2")


def add_ledger_row(**changes: str):
    """Add a row to the ledger: another one's, changed."""

    def tamper(folder: Path) -> None:
        rows = read_tsv(folder / LEDGER)
        write_tsv(folder / LEDGER, read_columns(folder / LEDGER), [*rows, {**rows[0], **changes}])

    return tamper


def publish_weighted(folder: Path) -> None:
    """Publish the weighted score as Overall."""
    rows = read_tsv(folder / LEDGER)
    assert any(row["capped"] == "yes" for row in rows)
    write_tsv(folder / LEDGER, read_columns(folder / LEDGER), [{**row, "overall": row["weighted"]} for row in rows])


ONE, VISUAL = "mode:causal-dag by optimum", {"entry": "visual:causal-dag", "family": "visual"}
FAILING = {
    "another model answered": (
        in_json(VERDICT, "model_answered", to="coverage-words-0"),
        "judge-substitution-drift",
        f"{ONE}, big1: coverage-words-1 was asked, coverage-words-0 answered",
    ),
    "the judge is not the role map's": (
        in_text("bundle/optimum.yaml", "big1: {model: coverage-words-1", "big1: {model: coverage-words-0"),
        "judge-substitution-drift",
        "big1: coverage-words-1 judged, not coverage-words-0, and the run is not labelled so",
    ),
    "the verdict is another judge's": (
        in_json(VERDICT, "judge_model", to="coverage-words-0"),
        "judge-substitution-drift",
        f"{ONE}, big1: the verdict is of big1 (coverage-words-0)",
    ),
    "a packet with scores": (
        all_of(lambda folder: add_field(folder, "scores", {"fidelity": 7})),
        "judge-contamination",
        f"{ONE}: the packet holds 'scores', which no judge may be shown",
    ),
    "a request with the other judge's note": (
        show_to_judge(other_note),
        "judge-contamination",
        f"{ONE}: the request to big1 holds big2's note on fidelity",
    ),
    "a request with the other judge's nonce": (
        show_to_judge(other_nonce),
        "judge-contamination",
        f"{ONE}: the request to big1 holds the nonce of big2",
    ),
    "one answer for two verdicts": (
        lambda folder: in_table(LEDGER, "mode:causal-dag", "big2_exchange", big1_exchange(folder))(folder),
        "judge-contamination",
        "stands for 2 verdicts",
    ),
    "a packet without the specification": (
        in_json(PACKET, "specification", "text", to=""),
        "specification-blindness",
        f"{ONE}: the packet holds no specification",
    ),
    "a request without the specification": (
        hide_specification,
        "specification-blindness",
        f"{ONE}: the request to big1 does not hold the specification",
    ),
    "another specification than the bundle's": (
        add_text("bundle/specs/mode-causal-dag.md", "More.\n"),
        "specification-blindness",
        f"{ONE}: the packet's specification is not the bundle's",
    ),
    "an entry without a specification in the ledger": (
        add_ledger_row(entry="lens:circle-of-competence", id="circle-of-competence", family="lens"),
        "specification-blindness",
        "lens:circle-of-competence by optimum: scored, but the entry has no specification",
    ),
    "a rejected capture in the ledger": (
        add_ledger_row(entry="lens:second-order-effects", configuration="frugal", id="second-order-effects"),
        "invalid-capture-scored",
        "lens:second-order-effects by frugal: scored, but the capture was rejected (a fallback model answered",
    ),
    "a fallback model's capture in the ledger": (
        in_table(CAPTURES, "mode:causal-dag", "model_snapshot", "example/tiny"),
        "invalid-capture-scored",
        f"{ONE}: scored, but example/tiny answered, a fallback or wrong model",
    ),
    "a packet with a drifted prompt": (
        in_json(PACKET, "prompt", to="Another prompt."),
        "invalid-capture-scored",
        f"{ONE}: judged with another prompt than the prime prompt",
    ),
    "a rejected capture in the failure rate": (
        in_table(SUMMARY, "", "failures", "3"),
        "invalid-capture-scored",
        "optimum: the summary counts 3 failures",
    ),
    "the weighted score published": (publish_weighted, "missing-hard-cap", "but min(weighted, fidelity) is"),
    "a failure that is none": (
        in_table(LEDGER, "mode:causal-dag", "failure", "yes"),
        "missing-hard-cap",
        f"{ONE}: failure is yes, but overall is",
    ),
    "both entries of a shared id": (
        add_ledger_row(**VISUAL),
        "shared-id-counted-twice",
        "visual:causal-dag by optimum: scored, but the id counts as mode:causal-dag",
    ),
    "one capture twice": (add_ledger_row(), "shared-id-counted-twice", "counted 2 times"),
    "a denominator that does not add up": (
        in_table(SUMMARY, "", "judged", "6"),
        "shared-id-counted-twice",
        "optimum: 6 judged + 1 unscorable + 0 rejected + 0 missing + 0 unjudged is not 5",
    ),
    "an entry too many": (
        in_json("results/intake.json", "entries", to=6),
        "shared-id-counted-twice",
        "6 entries in intake.json, 5 expected",
    ),
}


def add_field(folder: Path, name: str, value: object) -> None:
    packet = loads((folder / PACKET).read_bytes())
    (folder / PACKET).write_text(canonical({**packet, name: value}), "utf-8")


def big1_exchange(folder: Path) -> str:
    return loads((folder / VERDICT).read_bytes())["exchange"]


def test_a_sound_run_passes_every_check_and_says_how_much_was_looked_at(work):
    found = results(work)
    assert [row["result"] for row in found.values()] == ["pass"] * 6
    assert [row["looked_at"] for row in found.values()] == ["20", "20", "10", "10", "10", "10"]
    assert len(found) == 6


@pytest.mark.parametrize("case", FAILING)
def test_a_run_with_the_failure_fails_its_check(case, work):
    tamper, check, text = FAILING[case]
    tamper(work)
    row = results(work)[check]
    assert row["result"] == "fail"
    assert int(row["findings"]) >= 1
    assert text in row["first_finding"]


def test_every_check_has_a_run_that_fails_it():
    assert {check for _, check, _ in FAILING.values()} == {check.id for check in CHECKS}


@pytest.fixture(scope="module")
def uncapped(tmp_path_factory):
    """A whole run whose configuration takes the cap away."""
    folder = small_example(tmp_path_factory.mktemp("uncapped") / "work")
    add_text("config/config.yaml", "overrides: {cap: null}\n")(folder)
    finish(folder)
    return folder


def test_a_run_without_the_cap_says_so_in_its_note_and_does_not_verify_as_sound(uncapped):
    note = (uncapped / "results/report/methodology.md").read_text()
    assert "| Missing hard cap | **fail** | 10 ledger rows |" in note
    found = verify(uncapped)
    assert found.faults == []
    assert not found.passed
    assert "BUT NOT SOUND: the run fails 1 check" in table(found)


def test_a_labelled_substitution_passes_and_is_no_drift(tmp_path):
    folder = small_example(tmp_path / "work")
    in_text("bundle/optimum.yaml", "coverage-words-1, provider", "coverage-retired, provider")(folder)
    add_text(
        "config/config.yaml",
        "substitutions: {big1: {model: coverage-words-1, provider: embedded, route: embedded, reason: retired}}\n",
    )(folder)
    finish(folder)
    assert results(folder)["judge-substitution-drift"]["result"] == "pass"
    assert "A different judging panel" in (folder / "results/report/methodology.md").read_text()


def test_the_note_and_the_page_list_every_check(made):
    page = (made.folder / "results/report/report.html").read_text()
    note = (made.folder / "results/report/methodology.md").read_text()
    for check in CHECKS:
        assert f"| {check.title} | pass |" in note
        assert f'<bdi>{check.title}</bdi></th><td class="word">pass</td>' in page


def test_a_deleted_row_is_a_denominator_that_does_not_add_up(work):
    drop_row(LEDGER, "mode:causal-dag", "frugal")(work)
    assert results(work)["invalid-capture-scored"]["result"] == "fail"
