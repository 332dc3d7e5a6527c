"""What a change makes anew, and above all what it does not: nothing is judged again that has not changed."""

import os
import shutil
from collections import Counter

import pytest
from workdirs import bytes_of, exchanges
from workdirs import snakemake_forked as snakemake

import small_bundle
from assay.canonical import loads
from assay.files import read_json
from assay.sheets import read_tsv

REPORTING = ("statistics", "check_run", "figures", "report", "report_page", "all")
SCORING = ("average", "cap", "classify", "aggregate", *REPORTING)
AUDIT_BIG = ["mode:audit by big, judge big1", "mode:audit by big, judge big2"]
RESULTS = ("results/tables", "results/report")


def jobs(*rules, **counts) -> Counter:
    return Counter(dict.fromkeys(rules, 1) | counts)


def test_a_changed_answer_is_judged_again_by_both_judges_and_nothing_else_is(example):
    answer = example / "bundle/answers/frugal/mode-pre-mortem.md"
    old, before, tables = answer.read_text(), exchanges(example), bytes_of(example, *RESULTS)
    answer.write_text("# Pre-mortem\n\nNothing of the method.\n")
    done = snakemake(example)
    assert done.jobs == jobs("intake", *SCORING, packet=1, judge=2)
    assert done.judged == [f"mode:pre-mortem by frugal, judge {judge}" for judge in ("big1", "big2")]
    assert len(exchanges(example) - before) == 2
    [row] = [
        r
        for r in read_tsv(example / "results/tables/ledger.tsv")
        if (r["entry"], r["configuration"]) == ("mode:pre-mortem", "frugal")
    ]
    assert row["answer_characters"] == "37" and row["failure"] == "yes"

    after = exchanges(example)
    answer.write_text(old)
    done = snakemake(example)
    assert len(done.judged) == 2
    assert exchanges(example) == after, "reverting the answer must replay what is stored"
    assert bytes_of(example, *RESULTS) == tables
    assert snakemake(example).nothing


def test_a_changed_answer_and_a_changed_threshold_at_once_are_both_seen(small):
    (small / "bundle/answers/big-audit.md").write_text("Claims.\n")
    small_bundle.write(
        small / "config/config.yaml", "bundle: bundle\nrun: small-1\noverrides: {failure_threshold: 9}\n"
    )
    done = snakemake(small)
    assert done.judged == AUDIT_BIG and done.jobs == jobs("panel", "intake", *SCORING, packet=1, judge=2)
    assert {row["failure"] for row in read_tsv(small / "results/tables/ledger.tsv")} == {"yes"}
    assert "failure_threshold: 9 (specified: 4)" in (small / "results/report/methodology.md").read_text().replace(
        "\\", ""
    )


def test_a_changed_threshold_judges_nothing_and_runs_from_classify_on(small):
    verdicts, stored = bytes_of(small, "results/verdicts"), exchanges(small)
    small_bundle.write(
        small / "config/config.yaml", "bundle: bundle\nrun: small-1\noverrides: {failure_threshold: 9.5}\n"
    )
    done = snakemake(small)
    assert done.jobs == jobs("panel", "classify", "aggregate", *REPORTING)
    assert bytes_of(small, "results/verdicts") == verdicts and exchanges(small) == stored
    assert [row["public_failure_rate"] for row in read_tsv(small / "results/tables/summary.tsv")] == ["100", "100"]


def test_changed_weights_judge_nothing_and_run_from_cap_on(small):
    weights = "{fidelity: 0.2, soundness: 0.2, completeness: 0.2, relevance: 0.2, calibration: 0.2}"
    small_bundle.write(
        small / "config/config.yaml", f"bundle: bundle\nrun: small-1\noverrides: {{weights: {weights}}}\n"
    )
    assert snakemake(small).jobs == jobs("panel", "cap", "classify", "aggregate", *REPORTING)


def test_budget_and_limits_judge_nothing(small):
    text = "bundle: bundle\nrun: small-1\nbudget_usd: 3\nmax_asks: 2\njudges: {big1: {requests_per_minute: 3}}\n"
    small_bundle.write(small / "config/config.yaml", text)
    assert snakemake(small).jobs == jobs("panel", *REPORTING)
    assert read_json(small / "results/panel.json")["budget_usd"] == 3


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("\t0.10\t1.0\t", "\t0.11\t1.0\t", jobs("intake", *SCORING)),
        ("\t0.20\t2.0\tseen", "\t0.20\t\tseen", jobs("intake", *SCORING)),
        ("it timed out", "the server was down", jobs("intake", *SCORING)),
        ("\tseen\t", '\tseen "twice", {{1}} $HOME; it\'s\\n fine\t', jobs("intake", *SCORING, packet=1, judge=2)),
    ],
)
def test_one_edited_row_makes_anew_only_what_it_must(small, old, new, expected):
    small_bundle.edit(small / "bundle/captures.tsv", old, new)
    assert snakemake(small).jobs == expected
    assert snakemake(small).nothing
    if "seen" in old and "seen" in new:
        note = new.split("\t")[-2] if new.endswith("\t") else "seen"
        assert read_json(small / "results/packets/big/visual/chart.json")["acceptance_notes"] == note


def test_a_changed_name_in_the_catalogue_makes_the_packets_of_its_entry_anew(small):
    small_bundle.edit(small / "bundle/catalogue.tsv", "\tAudit\t", "\tAudit of claims\t")
    assert snakemake(small).jobs == jobs("intake", *SCORING, packet=2, judge=4)


def test_a_changed_specification_prompt_or_visual_is_judged_again(small):
    (small / "bundle/specs/rates.md").write_text("# Rates\n\n## Required elements\n\n- claims\n")
    (small / "bundle/visuals/big-chart.svg").write_text("<svg>changed</svg>\n")
    done = snakemake(small)
    assert done.jobs == jobs("intake", *SCORING, packet=2, judge=4)
    assert sorted({line.split(" by")[0] for line in done.judged}) == ["lens:rates", "visual:chart"]


def test_two_files_of_one_row_that_are_swapped_are_noticed(small):
    small_bundle.edit(small / "bundle/catalogue.tsv", "spec\tprompt\n", "spec\tprompt\tsource\n")
    for entry in ("audit", "chart", "rates"):
        small_bundle.edit(
            small / "bundle/catalogue.tsv", f"prompts/{entry}.md\n", f"prompts/{entry}.md\tspecs/{entry}.md\n"
        )
    assert snakemake(small).judged == [], "the sources say what was the default before"
    small_bundle.edit(
        small / "bundle/catalogue.tsv", "specs/rates.md\tprompts/rates.md", "prompts/rates.md\tspecs/rates.md"
    )
    assert snakemake(small).judged == [f"lens:rates by big, judge {judge}" for judge in ("big1", "big2")]


def test_a_config_in_another_order_and_with_comments_is_the_same(small):
    small_bundle.write(
        small / "config/config.yaml", "# mine\nrun: small-1\n\nbundle: bundle # here\nbudget_usd: null\n"
    )
    assert snakemake(small).nothing


def test_a_new_capture_adds_exactly_its_jobs_and_a_rejected_one_takes_its_row_away(small):
    sheet = small / "bundle/captures.tsv"
    old = sheet.read_text()
    small_bundle.edit(
        sheet, "lens:rates\ttiny\tno\tit timed out\t\t\t", "lens:rates\ttiny\tyes\t\tanswers/tiny-rates.md\t\tmade/tiny"
    )
    done = snakemake(small)
    assert done.jobs == jobs("intake", *SCORING, packet=1, judge=2)
    assert len(read_tsv(small / "results/tables/ledger.tsv")) == 6
    sheet.write_text(old)
    done = snakemake(small)
    assert done.jobs == jobs("intake", *SCORING)
    assert len(read_tsv(small / "results/tables/ledger.tsv")) == 5


def test_touched_files_cost_nothing(small):
    stored, results = exchanges(small), bytes_of(small, "results")
    for path in [*(small / "bundle").rglob("*"), *(small / "config").rglob("*")]:
        os.utime(path)
    done = snakemake(small)
    assert done.judged == [] and done.nothing
    assert exchanges(small) == stored and bytes_of(small, "results") == results


def test_a_touched_picture_that_is_too_large_to_compare_is_judged_again_from_the_store(small):
    picture = small / "bundle/visuals/tiny-chart.png"
    picture.write_bytes(picture.read_bytes() + bytes(1_200_000))
    assert len(snakemake(small).judged) == 2
    stored, results = exchanges(small), bytes_of(small, "results")
    os.utime(picture)
    assert snakemake(small).code == 0
    assert exchanges(small) == stored and bytes_of(small, "results") == results


def test_reordered_rows_change_no_byte(small):
    results = bytes_of(small, "results")
    for sheet in ("captures.tsv", "catalogue.tsv"):
        head, *rows = (small / "bundle" / sheet).read_text().splitlines()
        (small / "bundle" / sheet).write_text("\n".join([head, *reversed(rows)]) + "\n")
    done = snakemake(small)
    assert done.code == 0 and done.judged == []
    assert bytes_of(small, "results") == results


def test_reordered_columns_and_a_spreadsheets_line_ends_change_no_byte(small):
    results = bytes_of(small, "results")
    sheet = small / "bundle/captures.tsv"
    rows = [line.split("\t") for line in sheet.read_text().splitlines()]
    sheet.write_bytes("\r\n".join("\t".join(reversed(row)) for row in rows).encode() + b"\r\n")
    done = snakemake(small)
    assert done.code == 0 and done.judged == []
    assert bytes_of(small, "results") == results


def test_a_moved_work_directory_has_nothing_to_do(small, tmp_path):
    moved = tmp_path / "moved to ' \" ü"
    small.rename(moved)
    assert snakemake(moved).nothing


def test_without_snakemakes_records_nothing_is_bought(small):
    stored, results = exchanges(small), bytes_of(small, "results")
    shutil.rmtree(small / ".snakemake")
    for path in (small / "bundle").rglob("*"):
        os.utime(path)
    assert snakemake(small).code == 0
    assert exchanges(small) == stored and bytes_of(small, "results") == results


def test_a_deleted_verdict_packet_and_table_come_back_from_the_store(small):
    stored, results = exchanges(small), bytes_of(small, "results")
    shutil.rmtree(small / "results")
    assert snakemake(small).code == 0
    assert exchanges(small) == stored and bytes_of(small, "results") == results


def test_a_forced_run_replays_everything(small):
    stored, results = exchanges(small), bytes_of(small, "results")
    done = snakemake(small, "--forceall")
    assert done.code == 0 and len(done.judged) == 10
    assert exchanges(small) == stored and bytes_of(small, "results") == results


def test_a_damaged_exchange_is_set_aside_and_told_and_judged_anew(small):
    name = loads((small / "results/verdicts/big/mode/audit/big1.json").read_bytes())["exchange"]
    path = small / "store" / name[:2] / f"{name}.json"
    path.write_text(path.read_text().replace('"status":200', '"status":201'))
    (small / "results/verdicts/big/mode/audit/big1.json").unlink()
    done = snakemake(small, "results/verdicts/big/mode/audit/big1.json")
    assert done.code == 0, done.text
    log = (small / "logs/verdicts/big/mode/audit/big1.log").read_text()
    assert "damaged" in log and list((small / "store/corrupt").glob(f"{name}.*"))
    assert name in exchanges(small)


def test_a_judge_cannot_change_within_a_run_and_a_new_run_judges_again(small):
    roles = small / "bundle/optimum.yaml"
    results = bytes_of(small, "results", "store")
    text = roles.read_text()
    swapped = text.replace("coverage-words-1", "X").replace("coverage-paragraphs-1", "coverage-words-1")
    roles.write_text(swapped.replace("X", "coverage-paragraphs-1"))
    done = snakemake(small)
    assert done.code == 1 and "big1 is no longer the judge of the run 'small-1': model changed" in done.text
    assert bytes_of(small, "results", "store") == results
    small_bundle.write(small / "config/config.yaml", "bundle: bundle\nrun: small-2\n")
    done = snakemake(small)
    assert done.code == 0 and len(done.judged) == 10 and done.jobs["judge_check"] == 2 and done.jobs["packet"] == 0
    assert {row["model"] for row in read_tsv(small / "results/tables/answered.tsv") if row["judge"] == "big1"} == {
        "coverage-paragraphs-1"
    }


def test_a_substituted_judge_is_another_panel_on_every_page(small):
    first = "big1: {model: coverage-words-1, provider: embedded, route: embedded"
    small_bundle.edit(small / "bundle/optimum.yaml", first, "big1: {model: gone, provider: acme, route: openai-chat")
    text = f'bundle: bundle\nrun: small-1\nsubstitutions: {{{first}, reason: "the frozen model was withdrawn"}}}}\n'
    small_bundle.write(small / "config/config.yaml", text)
    done = snakemake(small)
    assert done.code == 0, done.text
    for name in ("summary.md", "methodology.md"):
        assert "A different judging panel" in (small / "results/report" / name).read_text()
    note = (small / "results/report/methodology.md").read_text().replace("\\", "")
    assert "judge big1: coverage-words-1; the frozen model was withdrawn" in note
