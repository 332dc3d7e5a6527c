"""Reading and checking a bundle: what is said of a sound one, and which captures are judged."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import small_bundle
from assay.bundle.check import check_bundle
from assay.bundle.model import Entry
from assay.bundle.read import amount, read_bundle
from assay.bundle.scored_set import resolve_shared_ids, scored_set
from assay.protocol import read_protocol

PROTOCOL = read_protocol("performance")
EXAMPLE = Path(__file__).parents[2] / "example/performance/bundle"


def checked(bundle: Path):
    found, problems = read_bundle(bundle, PROTOCOL)
    return found, problems + check_bundle(found)


def entry(key: str, spec: str = "s.md") -> Entry:
    family, id_ = key.split(":")
    return Entry(key, family, id_, "Name", "", spec, "p.md", "", 2)


def test_a_sound_bundle_has_no_problems(tmp_path):
    bundle, problems = checked(small_bundle.make(tmp_path))
    assert problems == []
    assert [c.key for c in bundle.captures][:2] == [("mode:audit", "big"), ("visual:chart", "big")]
    assert bundle.captures[0].cost_usd == Decimal("0.10") and bundle.captures[2].cost_usd is None


def test_the_example_has_no_problems_and_holds_what_its_page_says():
    bundle, problems = checked(EXAMPLE)
    assert problems == []
    found = scored_set(bundle)
    assert len(found.scored) == 37
    assert [aside.kind for aside in found.aside].count("unscorable") == 3
    assert [a.entry for a in found.aside if a.kind == "rejected"] == ["lens:second-order-effects"]
    assert found.missing == (("lens:hanlons-razor", "single-model"),)
    assert found.excluded_entries == {"visual:causal-dag": "mode:causal-dag"}
    assert found.unscorable_entries == ("lens:circle-of-competence",)


def test_the_scored_set_is_ordered_by_configuration_family_and_id(tmp_path):
    folder = small_bundle.make(tmp_path)
    before = scored_set(checked(folder)[0])
    for sheet in ("captures.tsv", "catalogue.tsv"):
        head, *rows = (folder / sheet).read_text().splitlines()
        (folder / sheet).write_text("\n".join([head, *reversed(rows)]) + "\n")
    after = scored_set(checked(folder)[0])
    assert [c.key for c in after.scored] == [c.key for c in before.scored]
    assert [c.key for c in before.scored] == [
        ("lens:rates", "big"),
        ("mode:audit", "big"),
        ("visual:chart", "big"),
        ("mode:audit", "tiny"),
        ("visual:chart", "tiny"),
    ]


def test_every_capture_is_scored_or_set_aside_with_a_reason():
    bundle, _ = checked(EXAMPLE)
    found = scored_set(bundle)
    kept = {capture.key for capture in found.scored}
    aside = {(a.entry, a.configuration) for a in found.aside}
    assert kept | aside == {capture.key for capture in bundle.captures} and not kept & aside
    assert all(a.reason for a in found.aside)


def test_a_rejected_capture_needs_no_files_and_is_no_failure(tmp_path):
    bundle, problems = checked(small_bundle.make(tmp_path))
    assert problems == []
    [aside] = scored_set(bundle).aside
    assert (aside.kind, aside.reason) == ("rejected", "it timed out")


def test_an_entry_without_specification_is_unscorable_with_all_its_captures(tmp_path):
    folder = small_bundle.make(tmp_path)
    small_bundle.edit(folder / "catalogue.tsv", "specs/audit.md", "")
    bundle, problems = checked(folder)
    assert problems == []
    found = scored_set(bundle)
    assert found.unscorable_entries == ("mode:audit",)
    assert [(a.entry, a.configuration) for a in found.aside if a.kind == "unscorable"] == [
        ("mode:audit", "big"),
        ("mode:audit", "tiny"),
    ]


def test_a_shared_id_counts_once_by_the_configured_family():
    entries = {key: entry(key) for key in ("mode:causal-dag", "visual:causal-dag", "lens:x")}
    excluded, double = resolve_shared_ids(entries, {"causal-dag": "mode"})
    assert (excluded, double) == ({"visual:causal-dag": "mode:causal-dag"}, {})


def test_an_id_of_three_families_counts_once():
    entries = {key: entry(key) for key in ("mode:x", "visual:x", "lens:x")}
    excluded, double = resolve_shared_ids(entries, {"x": "lens"})
    assert (excluded, double) == ({"mode:x": "lens:x", "visual:x": "lens:x"}, {})


@pytest.mark.parametrize("rule", [{}, {"x": "visual"}, {"y": "mode"}])
def test_a_double_count_without_a_rule_is_named(rule):
    entries = {key: entry(key) for key in ("mode:x", "lens:x")}
    assert resolve_shared_ids(entries, rule) == ({}, {"x": ["lens:x", "mode:x"]})


def test_the_specifications_shared_ids_are_the_default():
    assert PROTOCOL["shared_ids"] == {"causal-dag": "mode", "fishbone-diagram": "visual"}
    assert PROTOCOL["expected"] == {"mode": 60, "visual": 21, "lens": 115, "configurations": 6}


def test_the_specified_counts_are_expected_when_the_bundle_states_none(tmp_path):
    folder = small_bundle.make(tmp_path)
    small_bundle.edit(folder / "bundle.yaml", "expected: {mode: 1, visual: 1, lens: 1, configurations: 2}\n", "")
    texts = [problem.text for problem in checked(folder)[1]]
    assert texts == [
        "1 entries of the family mode found, but 60 expected",
        "1 entries of the family visual found, but 21 expected",
        "1 entries of the family lens found, but 115 expected",
        "2 configurations found, but 6 expected",
    ]


def test_a_configuration_that_names_no_snapshots_takes_any_model(tmp_path):
    folder = small_bundle.make(tmp_path)
    small_bundle.edit(folder / "captures.tsv", "big-chart.svg\tmade/big-2026-01-01", "big-chart.svg\tother/model")
    assert len(checked(folder)[1]) == 1
    small_bundle.edit(folder / "bundle.yaml", "    model_snapshots: [made/big-2026-01-01]\n", "")
    assert checked(folder)[1] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("answers/tiny-audit.md", "answers/../answers/tiny-audit.md"),
        ("answers/tiny-audit.md", "./answers/tiny-audit.md"),
        ("answers/tiny-audit.md", "answers/link.md"),
    ],
)
def test_a_path_may_wander_inside_the_bundle(tmp_path, old, new):
    folder = small_bundle.make(tmp_path)
    (folder / "answers/link.md").symlink_to("tiny-audit.md")
    small_bundle.edit(folder / "captures.tsv", old, new)
    assert checked(folder)[1] == []


def test_one_fault_in_a_row_is_told_once(tmp_path):
    folder = small_bundle.make(tmp_path)
    small_bundle.edit(
        folder / "captures.tsv", "tiny\tyes\t\tanswers/tiny-audit.md", "tiny\tja\t\tanswers/tiny-audit.md"
    )
    assert [(p.row, p.text) for p in checked(folder)[1]] == [(5, "accepted is 'ja'")]


@given(st.decimals(min_value=0, max_value=10**9, places=6))
def test_an_amount_is_read_exactly(number):
    assert amount(f"{number:f}") == (number, "")


@pytest.mark.parametrize("cell", ["0", "0.0", "7.", ".5", "00.10"])
def test_an_amount_of_0_or_more_is_good(cell):
    assert amount(cell) == (Decimal(cell), "")


def test_an_empty_amount_is_unknown_and_not_0():
    assert amount("") == (None, "")


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        ("nan", "not a finite number"),
        ("NaN", "not a finite number"),
        ("inf", "not a finite number"),
        ("-Infinity", "not a finite number"),
        ("-1", "less than 0"),
        ("-0", "less than 0"),
        ("1e3", "not a plain number"),
        ("1,5", "not a number"),
        ("$1", "not a number"),
        ("1_000", "not a number"),
        ("+1", "not a number"),
        ("٣", "not a number"),
        ("１", "not a number"),
        ("0x10", "not a number"),
        ("unknown", "not a number"),
        ("1" * 41, "not a plain number"),
        (".", "not a number"),
        ("1 2", "not a number"),
    ],
)
def test_what_is_no_amount_is_a_fault(cell, fault):
    assert amount(cell) == (None, fault)


def test_a_broken_head_does_not_hide_the_faults_of_the_sheets(tmp_path):
    folder = small_bundle.make(tmp_path)
    small_bundle.edit(folder / "bundle.yaml", "title: A small", "titel: A small")
    (folder / "answers/big-audit.md").unlink()
    bundle, problems = checked(folder)
    assert bundle.id == ""
    assert sorted({Path(problem.file).name for problem in problems}) == ["bundle.yaml", "captures.tsv"]
    assert any("big-audit.md' does not exist" in problem.text for problem in problems)
    assert not any("found, but" in problem.text for problem in problems)


def test_each_text_is_judged_only_with_the_files_of_its_own_row(tmp_path):
    bundle, _ = checked(small_bundle.make(tmp_path))
    files = bundle.files(bundle.captures[1])
    folder = str(bundle.folder)
    assert files == {
        "answer": f"{folder}/answers/big-chart.md",
        "prompt": f"{folder}/prompts/chart.md",
        "specification": f"{folder}/specs/chart.md",
        "visual": f"{folder}/visuals/big-chart.svg",
    }
    assert "visual" not in bundle.files(replace(bundle.captures[1], visual=""))
