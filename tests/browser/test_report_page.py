"""The report in a real browser: it opens, sorts, filters, leads to captures, and can be read on any screen."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from assay.sheets import read_columns, read_tsv, write_tsv
from report_cases import reported

SHOTS = Path(__file__).resolve().parents[2] / "ci-output"
CAPTURE = "#optimum/visual/fishbone-diagram"
COLUMN = "[...document.querySelectorAll('{table} tbody tr:not([hidden])')].map(row => row.cells[{column}].textContent)"


def column(page, table: str, number: int) -> list[str]:
    return page.run(COLUMN.format(table=table, column=number))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 420])
def test_the_report_opens_without_a_complaint_and_fits_the_window(page, report, width, dark):
    page.look(width, 900, dark=dark)
    for name, fragment in (("report", ""), ("capture", CAPTURE)):
        page.open(report, fragment)
        page.screenshot(SHOTS / f"{name}-{width}-{'dark' if dark else 'light'}.png", whole=True)
        assert page.run("document.documentElement.scrollWidth") <= width
        assert page.run("getComputedStyle(document.body).backgroundColor") == (
            "rgb(20, 25, 31)" if dark else "rgb(254, 254, 254)"
        )
    assert page.problems == []


def test_a_table_sorts_down_up_and_back(page, report):
    page.open(report)
    table = "#results ~ .scroll table"
    start = column(page, table, 0)
    page.click(f"{table} thead th:nth-child(4) button")  # Soundness
    falling = [float(cell) for cell in column(page, table, 3)]
    assert falling == sorted(falling, reverse=True) and column(page, table, 0) != start
    assert page.run(f"document.querySelector('{table} thead th:nth-child(4)').ariaSort") == "descending"
    page.press("Enter", "\r")  # the button has the focus: sorting needs no mouse
    assert [float(cell) for cell in column(page, table, 3)] == falling[::-1]
    page.click(f"{table} thead th:nth-child(4) button")
    assert column(page, table, 0) == start
    assert page.problems == []


def test_unknown_amounts_sort_last_both_ways(page, report):
    page.open(report)
    table = "#results ~ .scroll table"
    for _ in range(2):
        page.click(f"{table} thead th:nth-child(9) button")  # USD per 100
        assert column(page, table, 8)[-1] == "unknown"


def test_the_ledger_is_searched_and_filtered(page, report):
    page.open(report)
    everything = column(page, "#ledger-table", 0)
    assert len(everything) == 37
    page.click(".controls input")
    page.type("pre-mortem FRUGAL")
    assert [cell.split("P")[0] for cell in column(page, "#ledger-table", 0)] == ["mode:pre-mortem"]
    assert page.run("document.getElementById('ledger-count').textContent") == "1 of 37 captures"
    page.click(".controls button")
    assert column(page, "#ledger-table", 0) == everything
    page.run(
        """(() => { const select = document.querySelectorAll('.controls select')[2]; select.value = 'mark:failure';
        select.dispatchEvent(new Event('input', {bubbles: true})); })()"""
    )
    failures = column(page, "#ledger-table", 2)
    assert failures and all(float(cell) < 4 for cell in failures)
    assert len(failures) == page.run("document.querySelectorAll('#failures ~ .scroll tbody tr').length")


def test_a_point_leads_to_its_capture_and_back_leads_to_the_report(page, report):
    page.open(report)
    page.run("document.querySelector('#figure-judges-fidelity').scrollIntoView({block: 'center'})")
    wanted = page.run(
        """(() => { for (const point of document.querySelectorAll('#figure-judges-fidelity .picture a')) {
            const box = point.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
            const top = document.elementFromPoint(x, y)?.closest('a');
            if (top === point) return [x, y, point.getAttribute('href'), point.querySelector('title').textContent];
        } })()"""
    )
    x, y, address, words = wanted
    where = page.run("scrollY")
    page.click_at(x, y)
    configuration, family, name = address.removeprefix("#").split("/")
    assert page.run("location.hash") == address and words.startswith(f"{family}:{name} by {configuration}: big1 ")
    assert page.run("document.getElementById('report').hidden") is True
    facts = page.run("document.querySelector('#capture .facts').textContent")
    assert f"results/packets/{configuration}/{family}/{name}.json" in facts
    given = page.run(
        "[...document.querySelectorAll('#capture .judgement tr:nth-child(1) .said b')].map(b => b.textContent)"
    )
    assert words.endswith(f": big1 {given[0]}, big2 {given[1]}")
    assert page.run("document.activeElement.tagName") == "H1"
    page.run("history.back()")
    page.run("new Promise(done => setTimeout(done, 100))")
    assert page.run("document.getElementById('capture').hidden && !document.getElementById('report').hidden")
    assert abs(page.run("scrollY") - where) < 5
    assert page.problems == []


def test_a_capture_shows_prompt_answer_specification_visual_and_both_judges(page, report):
    page.open(report, CAPTURE)
    bundle = report.parents[2] / "bundle"
    texts = page.run("[...document.querySelectorAll('#capture .words')].map(pre => pre.textContent)")
    for name in ("prompts/visual-fishbone-diagram.md", "answers/optimum/visual-fishbone-diagram.md"):
        assert (bundle / name).read_text("utf-8") in texts
    assert (bundle / "specs/visual-fishbone-diagram.md").read_text("utf-8") in texts
    assert page.run("document.querySelector('#capture .visual img').naturalWidth") > 0
    assert page.run("document.querySelectorAll('#capture .judgement .said').length") == 12
    page.click("#capture [rel=next]")
    assert page.run("location.hash") == "#optimum/visual/timeline"
    assert page.run("document.querySelector('#capture .visual img').naturalWidth") > 0  # a PNG
    assert page.problems == []


def test_a_screen_reader_finds_names_headings_and_headers(page, report):
    for fragment in ("", CAPTURE):
        page.open(report, fragment)
        assert page.run("[...document.querySelectorAll('h1')].filter(h => h.checkVisibility()).length") == 1
        ids = page.run("[...document.querySelectorAll('[id]')].map(element => element.id)")
        assert len(ids) == len(set(ids))
        for wrong in (
            "img:not([alt])",
            "svg:not([role=img][aria-label])",
            "th:not([scope])",
            ".scroll:not([role=region][aria-label][tabindex])",
            "label:not(:has(input, select))",
            "button:empty",
        ):
            assert page.run(f"document.querySelectorAll({wrong!r}).length") == 0, wrong
    levels = page.run("[...document.querySelectorAll('#report :is(h1, h2, h3)')].map(h => Number(h.tagName[1]))")
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_keyboard_reaches_the_ledger_first(page, report):
    page.open(report)
    page.press("Tab")
    assert page.run("document.activeElement.textContent") == "Skip to the ledger"
    stops = page.run("[...document.querySelectorAll('#report a, #report button')].filter(e => e.tabIndex >= 0).length")
    assert stops < 400  # points are left out: each is reached from the ledger


def test_it_prints_light_whole_and_without_controls(page, report):
    page.look(760, 1000, dark=True, printed=True)
    page.open(report)
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for hidden in (".contents", ".controls", ".skip"):
        assert page.run(f"getComputedStyle(document.querySelector('{hidden}')).display") == "none"
    widest = page.run(
        "Math.max(...[...document.querySelectorAll('.scroll table')].map(t => t.getBoundingClientRect().width))"
    )
    assert widest <= 760
    page.screenshot(SHOTS / "report-print.png", whole=True)
    assert page.pdf().startswith(b"%PDF-")


def test_a_picture_opens_alone_and_its_points_lead_into_the_report(page, report):
    picture = report.parent / "figures/judges-fidelity.svg"
    page.open(picture)
    address = page.run("document.querySelector('a').getAttribute('href')")
    assert (picture.parent / address.partition("#")[0]).resolve() == report.resolve()
    assert page.problems == []


def test_a_run_without_any_score_says_so_and_lists_every_capture(page, report, tmp_path):
    work = tmp_path / "work"
    shutil.copytree(report.parents[2], work)
    tables = work / "results/tables"
    rows = read_tsv(tables / "ledger.tsv")
    lost = [{"judge": "big1", "state": "invalid", "reason": "not one JSON object"} for _ in rows]
    lost = [
        {"entry": r["entry"], "configuration": r["configuration"], **why} for r, why in zip(rows, lost, strict=True)
    ]
    write_tsv(tables / "unjudged.tsv", list(lost[0]), lost)
    write_tsv(tables / "ledger.tsv", read_columns(tables / "ledger.tsv"), [])
    page.open(reported(work))
    assert "Partial run: it lacks 37 verdicts, and so the scores of 37 captures." in page.run(
        "document.querySelector('.notice').textContent"
    )
    assert page.run("document.querySelector('.findings').textContent.trim()") == "Nothing has a score."
    told = page.run("document.querySelector('#unscored ~ .scroll').textContent")
    assert told.count("big1: invalid: not one JSON object") == 37
    assert page.problems == []
