"""A ledger that was worked out by hand, against what the scripts make of the same verdicts, to the last digit."""

import csv
import io
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from assay.canonical import canonical
from assay.checks.table import COLUMNS
from assay.files import write_json
from assay.protocol import read_protocol
from assay.sheets import read_tsv, write_tsv

SCRIPTS = Path(__file__).parents[2] / "scripts"
PROTOCOL = read_protocol("performance")
CRITERIA = ["fidelity", "soundness", "completeness", "relevance", "calibration"]
NOTE = '=1+1\nsecond line, with "quotes"\tand a tab \\ and a backslash'

# configuration, entry, scores of big1, scores of big2 (fidelity soundness completeness relevance calibration),
# cost, minutes; by hand: weighted, overall, capped, failure.
HAND = [
    # means 5.5 8.5 8.5 9.5 7.5: 1.925 + 2.125 + 1.53 + 1.14 + 0.75 = 7.47 > 5.5, so the cap bites
    ("alpha", "a1", "6 9 8 9 8", "5 8 9 10 7", "0.1", "1", "7.47", "5.5", "yes", "no"),
    # means 9.25 7.25 6.25 8 6.5: 3.2375 + 1.8125 + 1.125 + 0.96 + 0.65 = 7.785 < 9.25, no cap
    ("alpha", "a2", "9.5 7 6.5 8 7", "9 7.5 6 8 6", "0.2", "2", "7.785", "7.785", "no", "no"),
    # means 4 6 6 6 6: 1.4 + 1.5 + 1.08 + 0.72 + 0.6 = 5.3, capped at exactly 4.0: no failure
    ("alpha", "a3", "3.5 6 6 6 6", "4.5 6 6 6 6", "0.05", "3", "5.3", "4", "yes", "no"),
    # means 5 4 3 3 3.5: 1.75 + 1 + 0.54 + 0.36 + 0.35 = exactly 4.0 without the cap: no failure
    ("alpha", "a4", "5 4 2 2.5 3", "5 4 4 3.5 4", "0.15", "4", "4", "4", "no", "no"),
    # as before with calibration 3.495: 3.9995, which prints as 4.0 and is a failure all the same
    ("alpha", "a5", "5 4 3 3 3.49", "5 4 3 3 3.50", "0.125", "2.5", "3.9995", "3.9995", "no", "yes"),
    # 10 against 0 is 5 everywhere: weighted 5 = fidelity 5, the cap does not bite
    ("alpha", "a6", "10 10 10 10 10", "0 0 0 0 0", "0.175", "1.5", "5", "5", "no", "no"),
    # means 7.3335 6.6675 8.25 9.0015 0.375: 2.566725 + 1.666875 + 1.485 + 1.08018 + 0.0375 = 6.83628
    ("alpha", "a7", "7.333 6.667 8.125 9.001 0.5", "7.334 6.668 8.375 9.002 0.25", "0.08", "2",
     "6.83628", "6.83628", "no", "no"),
    # 0.35 x 4.87922 = 1.707727, + 2.5 + 1.8 + 1.2 + 1 = 8.207727, capped at 4.87922
    ("alpha", "a8", "4.87922 10 10 10 10", "4.87922 10 10 10 10", "0.12", "2", "8.207727", "4.87922", "yes", "no"),
    # nothing at all
    ("beta", "a1", "0 0 0 0 0", "0 0 0 0 0", "0.01", "0.04", "0", "0", "no", "yes"),
    # means 0.1 1 1 1 1: 0.035 + 0.25 + 0.18 + 0.12 + 0.1 = 0.685, capped at 0.1
    ("beta", "a2", "0.2 1 1 1 1", "0 1 1 1 1", "0.02", "0.06", "0.685", "0.1", "yes", "yes"),
    ("gamma", "a1", "9 9 9 9 9", "9 9 9 9 9", "0.3", "0", "9", "9", "no", "no"),
    ("gamma", "a2", "9 9 9 9 9", "9 9 9 9 9", "", "0", "9", "9", "no", "no"),
    ("gamma", "a3", "10 10 10 10 10", "10 10 10 10 10", "0.3", "0.1", "10", "10", "no", "no"),
]  # fmt: skip

# alpha: overall 5.5 + 7.785 + 4 + 4 + 3.9995 + 5 + 6.83628 + 4.87922 = 42, / 8 = 5.25; completeness 50 / 8 = 6.25;
# one failure in 8 = 12.5 %; dollars 1.00 / 8 x 100 = 12.5; minutes 18 / 8 = 2.25. Every half goes up.
# beta: overall 0.1 / 2 = 0.05; dollars 0.03 / 2 x 100 = 1.5; minutes 0.1 / 2 = 0.05.
# gamma: overall 28 / 3; the cost of one capture is unknown, so the mean is; minutes 0.1 / 3. delta: nothing was judged.
SUMMARY = {
    "alpha": {
        "judged": "8", "unscorable": "0", "failures": "1", "failure_rate": "0.125", "public_failure_rate": "13",
        "mean_overall": "5.25", "public_mean_overall": "5.3",
        "mean_fidelity": "5.74534", "public_mean_fidelity": "5.7",
        "mean_soundness": "6.4271875", "public_mean_soundness": "6.4",
        "mean_completeness": "6.25", "public_mean_completeness": "6.3",
        "mean_relevance": "6.6876875", "public_mean_relevance": "6.7",
        "mean_calibration": "5.29625", "public_mean_calibration": "5.3",
        "cost_per_100_usd": "12.5", "public_cost_per_100_usd": "13", "unknown_cost": "0",
        "mean_minutes": "2.25", "public_mean_minutes": "2.3",
    },
    "beta": {
        "judged": "2", "failures": "2", "failure_rate": "1", "public_failure_rate": "100",
        "mean_overall": "0.05", "public_mean_overall": "0.1", "mean_soundness": "0.5", "public_mean_soundness": "0.5",
        "cost_per_100_usd": "1.5", "public_cost_per_100_usd": "2",
        "mean_minutes": "0.05", "public_mean_minutes": "0.1",
    },
    "gamma": {
        "judged": "3", "failures": "0", "failure_rate": "0", "public_failure_rate": "0",
        "mean_overall": "9.333333333333", "public_mean_overall": "9.3",
        "cost_per_100_usd": "", "public_cost_per_100_usd": "unknown", "unknown_cost": "1",
        "mean_minutes": "0.033333333333", "public_mean_minutes": "0.0",
    },
    "delta": {
        "judged": "0", "unscorable": "1", "rejected": "1", "missing": "6", "failures": "0", "failure_rate": "",
        "public_failure_rate": "unknown", "mean_overall": "", "public_mean_overall": "unknown",
        "public_cost_per_100_usd": "unknown", "public_mean_minutes": "unknown",
    },
}  # fmt: skip

ROWS = """\
| Alpha | 5.3 | 5.7 | 6.4 | 6.3 | 6.7 | 5.3 | 13 % | $13 | 2.3 | 8 | 0 |
| Beta | 0.1 | 0.1 | 0.5 | 0.5 | 0.5 | 0.5 | 100 % | $2 | 0.1 | 2 | 0 |
| Gamma | 9.3 | 9.3 | 9.3 | 9.3 | 9.3 | 9.3 | 0 % | unknown | 0.0 | 3 | 0 |
"""


def intake() -> dict:
    lanes = ["alpha", "beta", "gamma", "delta"]
    scored = [
        {
            "entry": f"mode:{entry}",
            "family": "mode",
            "id": entry,
            "configuration": lane,
            "cost_usd": cost,
            "minutes": minutes,
            "answer_characters": "100",
            "flags": "",
        }
        for lane, entry, _, _, cost, minutes, *_ in HAND
    ]
    aside = [
        {"entry": "mode:a1", "configuration": "delta", "kind": "unscorable", "reason": "no text"},
        {"entry": "mode:a2", "configuration": "delta", "kind": "rejected", "reason": "a fallback model answered"},
    ]
    return {
        "format": "assay-intake-1",
        "bundle": {"id": "hand", "title": "By hand", "licence": "", "protocol": "performance"},
        "configurations": [{"id": lane, "title": lane.capitalize()} for lane in lanes],
        "expected": {"mode": 8, "configurations": 4},
        "possible": 32,
        "entries": 8,
        "scored": scored,
        "aside": aside,
        "excluded_entries": {},
        "unscorable_entries": ["mode:a1"],
        "missing": [[f"mode:a{number}", "delta"] for number in range(3, 9)],
    }


def verdict(lane: str, entry: str, judge: str, scores: str) -> dict:
    return {
        "format": "assay-verdict-1",
        "entry": f"mode:{entry}",
        "configuration": lane,
        "judge": judge,
        "judge_model": f"model-{judge}",
        "route": "openai-chat",
        "model_answered": f"model-{judge}-2026",
        "provider": "acme",
        "fingerprint": "",
        "scores": dict(zip(CRITERIA, map(Decimal, scores.split()), strict=True)),
        "notes": {criterion: f"{judge} on {criterion}" for criterion in CRITERIA} | {"fidelity": NOTE},
        "impression": "@impression",
        "packet_sha256": "0" * 64,
        "exchange": "1" * 64,
        "judged_on": "2026-12-01",
        "asks": 1,
        "repairs": [],
        "usage": {},
        "cost_usd": None,
    }


def panel() -> dict:
    identity = {"provider": "acme", "route": "openai-chat", "parameters": {}, "response_format": "schema"}
    judges = [
        {"identity": {**identity, "judge": judge, "model": f"model-{judge}", "prompt_version": 1}, "substituted": ""}
        for judge in ("big1", "big2")
    ]
    return {"run": "hand-1", "deviations": [], "judges": judges}


def call(script: str, *arguments: object) -> None:
    command = [sys.executable, str(SCRIPTS / f"{script}.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    """Write the verdicts down, and run the scripts of all phases over them as the rules do."""
    folder = tmp_path_factory.mktemp("hand")
    tables = folder / "tables"
    write_json(folder / "intake.json", intake())
    write_json(folder / "panel.json", panel())
    for lane, entry, first, second, *_ in HAND:
        for judge, scores in (("big1", first), ("big2", second)):
            write_json(folder / f"verdicts/{lane}/mode/{entry}/{judge}.json", verdict(lane, entry, judge, scores))
    common = ["--criteria", *CRITERIA]
    weights = canonical([{"id": c["id"], "weight": c["weight"]} for c in PROTOCOL["criteria"]])
    known = ["--intake", folder / "intake.json"]
    side = ["--answered", tables / "answered.tsv", "--unjudged", tables / "unjudged.tsv", "--partial", "no"]
    given = ["--verdicts", folder / "verdicts", "--judges", "big1", "big2", *common, *side]
    call("average", *known, *given, "--output", tables / "averaged.tsv")
    given = ["--averaged", tables / "averaged.tsv", "--weights", weights, "--cap", "fidelity"]
    call("cap", *given, "--output", tables / "scored.tsv")
    given = ["--scored", tables / "scored.tsv", "--threshold", "4.0", *common]
    call("classify", *given, "--output", tables / "ledger.tsv")
    given = ["--ledger", tables / "ledger.tsv", *known, *common, "--rounding", canonical(PROTOCOL["rounding"])]
    call("aggregate", *given, "--output", tables / "summary.tsv")
    given = ["--protocol", canonical(PROTOCOL), "--tables", tables, *known, "--panel", folder / "panel.json"]
    write_json(folder / "software.json", {"Python": "3.11.0"})
    write_tsv(tables / "checks.tsv", COLUMNS, [])
    call("report", *given, "--software", folder / "software.json", "--output", folder / "report")
    return folder


@pytest.mark.parametrize("hand", HAND, ids=lambda hand: f"{hand[0]}-{hand[1]}")
def test_the_ledger_matches_the_hand(results, hand):
    lane, entry, first, second, cost, minutes, *by_hand = hand
    [row] = [r for r in read_tsv(results / "tables/ledger.tsv") if (r["configuration"], r["id"]) == (lane, entry)]
    assert [row[name] for name in ("weighted", "overall", "capped", "failure")] == by_hand
    assert (row["cost_usd"], row["minutes"]) == (cost, minutes)
    for judge, scores in (("big1", first), ("big2", second)):
        assert [Decimal(row[f"{judge}_{c}"]) for c in CRITERIA] == [Decimal(score) for score in scores.split()]


@pytest.mark.parametrize("lane", SUMMARY)
def test_the_summary_matches_the_hand(results, lane):
    [row] = [r for r in read_tsv(results / "tables/summary.tsv") if r["configuration"] == lane]
    assert {name: row[name] for name in SUMMARY[lane]} == SUMMARY[lane]


def test_the_published_table_matches_the_hand(results):
    text = (results / "report/summary.md").read_text()
    assert all(row in text for row in ROWS.splitlines())


def test_there_is_one_row_for_each_capture_in_the_order_of_intake(results):
    rows = read_tsv(results / "tables/ledger.tsv")
    assert [(row["configuration"], row["id"]) for row in rows] == [(hand[0], hand[1]) for hand in HAND]


def test_notes_reach_the_spreadsheet_whole_and_inert(results):
    text = (results / "report/ledger.csv").read_bytes().decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == len(HAND)
    for row, plain in zip(rows, read_tsv(results / "tables/ledger.tsv"), strict=True):
        assert row["big1_note_fidelity"] == "'" + NOTE and plain["big1_note_fidelity"] == NOTE
        assert row["big2_impression"] == "'@impression"
        assert row["overall"] == plain["overall"]


def test_another_order_of_the_captures_gives_the_same_summary(results, tmp_path):
    head, *rows = (results / "tables/ledger.tsv").read_text().splitlines()
    (tmp_path / "ledger.tsv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    given = ["--ledger", tmp_path / "ledger.tsv", "--intake", results / "intake.json", "--criteria", *CRITERIA]
    call("aggregate", *given, "--rounding", canonical(PROTOCOL["rounding"]), "--output", tmp_path / "summary.tsv")
    assert (tmp_path / "summary.tsv").read_bytes() == (results / "tables/summary.tsv").read_bytes()


def test_the_note_names_judges_as_they_answered_and_what_was_left_out(results):
    text = (results / "report/methodology.md").read_text()
    for part in (
        "model-big1-2026",
        "Scoring date: 2026-12-01.",
        "13 captures scored, of 8 scored entries",
        "mode:a2 by delta: a fallback model answered",
        "mode:a1: no specification text",
        "overall = min(weighted, fidelity); failure when overall < 4.0",
        "8 entries x 4 configurations = 32 possible captures",
    ):
        assert part in text, part


def test_a_missing_verdict_stops_the_tables_unless_a_partial_run_is_asked_for(results, tmp_path):
    folder = tmp_path / "verdicts"
    for source in results.glob("verdicts/*/*/*/*.json"):
        write_json(
            folder / source.relative_to(results / "verdicts"), json.loads(source.read_text(), parse_float=Decimal)
        )
    none = {"format": "assay-no-verdict-1", "state": "invalid", "reason": "asked 3 times", "entry": "mode:a1"}
    write_json(folder / "alpha/mode/a1/big2.json", {**none, "configuration": "alpha", "judge": "big2"})
    given = [
        "--intake",
        results / "intake.json",
        "--verdicts",
        folder,
        "--judges",
        "big1",
        "big2",
        "--criteria",
        *CRITERIA,
    ]
    given += ["--output", tmp_path / "averaged.tsv", "--answered", tmp_path / "answered.tsv"]
    given += ["--unjudged", tmp_path / "unjudged.tsv"]
    command = [sys.executable, str(SCRIPTS / "average.py"), *map(str, given), "--partial", "no"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "mode:a1 by alpha, big2: asked 3 times" in done.stderr
    assert not (tmp_path / "averaged.tsv").exists()
    call("average", *given, "--partial", "yes")
    assert len(read_tsv(tmp_path / "averaged.tsv")) == len(HAND) - 1
    assert [row["judge"] for row in read_tsv(tmp_path / "unjudged.tsv")] == ["big2"]
