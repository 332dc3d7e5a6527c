"""The report of the whole grid, 1,173 captures: how long it takes, how large it is, and that it can be read."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.make_bundle import make_bundle
from report_cases import ROOT, reported

SECONDS, MEGABYTES, REPORT_MEGABYTES = 30, 600, 15


@pytest.fixture(scope="module")
def full_grid(_page, tmp_path_factory) -> Path:
    """Return the judged work directory of the full grid."""
    work = tmp_path_factory.mktemp("full") / "work"
    make_bundle(work)
    command = [sys.executable, ROOT / "tests/bench/judge_at_once.py", work, "--twist"]
    subprocess.run(command, check=True, timeout=300)
    return work


def test_the_full_grid_is_reported_in_time_and_read_in_a_browser(page, full_grid):
    before = os.times()
    report = reported(full_grid)
    after = os.times()
    # processor time: other work on this machine does not count
    assert after.children_user + after.children_system - before.children_user - before.children_system < SECONDS
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MEGABYTES * 1024
    assert report.stat().st_size < REPORT_MEGABYTES * 1_000_000
    assert len(list(report.parent.glob("captures/*/*/*.html"))) == 1173
    start = time.monotonic()
    page.open(report)
    page.click("#ledger-table thead th:nth-child(3) button")
    assert time.monotonic() - start < 10
    overall = page.run(
        "[...document.querySelectorAll('#ledger-table tbody tr')].map(row => Number(row.cells[2].textContent))"
    )
    assert len(overall) == 1173 and overall == sorted(overall, reverse=True)
    before = page.loaded
    page.run("document.querySelector('#figure-judges-relevance a').dispatchEvent(new MouseEvent('click'))")
    page.wait_for_load(before)
    assert "/captures/" in page.run("location.pathname")
    assert page.run("document.querySelectorAll('.judgement .said').length") == 12
    assert page.problems == []
