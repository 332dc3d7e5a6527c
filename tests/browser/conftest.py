"""One browser for all tests here, and the reports that it opens."""

from pathlib import Path

import pytest

from browser.chromium import browser, chromium
from report_cases import judged, reported


@pytest.fixture(scope="session")
def _page():
    if browser() is None:
        pytest.skip("NO BROWSER: the report is not looked at. Install Chromium (Debian: apt-get install chromium)")
    with chromium() as page:
        yield page


@pytest.fixture
def page(_page):
    """Return the browser's page at 1,400 px, light; what it complained of before is forgotten."""
    _page.look(1400, 900)
    _page.problems.clear()
    return _page


@pytest.fixture(scope="session")
def report(_page, tmp_path_factory) -> Path:
    """Return report.html of the example."""
    return reported(judged(tmp_path_factory.mktemp("report") / "example"))
