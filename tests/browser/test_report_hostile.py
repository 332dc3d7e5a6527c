"""Script in an answer, prompt, note, name, reply or SVG visual never runs in the report; it is shown as text."""

import json
import re
from pathlib import Path

import pytest

from assay.files import read_json, write_json, write_text
from assay.report.page.report import report_files
from assay.sheets import read_columns, read_tsv, write_tsv
from report_cases import CAPTIONS, CRITERIA, JUDGES, PICTURES, PROTOCOL, judged, reported
from report_page import read_material

PAYLOADS = [
    "<script>window.ran=1</script>",
    '<img src=x onerror="window.ran=2">',
    '"><svg onload=window.ran=3>',
    "</script><script>window.ran=4</script>",
    "</template><script>window.ran=5</script>",
    "</pre></section></main><script>window.ran=6</script>",
    "</style><script>window.ran=7</script>",
    "</title><script>window.ran=8</script>",
    '<iframe srcdoc="<script>parent.ran=9</script>"></iframe>',
    "' autofocus tabindex=1 onfocus='window.ran=10' x='",
    '" onmouseover="window.ran=11" style="position:fixed;inset:0" x="',
    '<a href="javascript:window.ran=12" id=capture>javascript:window.ran=12</a>',
    "<details open ontoggle=window.ran=13><summary>x</summary></details>",
    "<!--><script>window.ran=14</script>--><![CDATA[><script>window.ran=14</script>]]>",
    '<math><mtext><table><mglyph><style><img src=x onerror="window.ran=15">',
    "{{ cycler.__init__.__globals__.os.popen('touch ran16') }}{% raw %}${window.ran=16}",
    "&lt;script&gt;window.ran=17&lt;/script&gt;&#60;script&#62;window.ran=17&#60;/script&#62;",
    '<noscript><p title="</noscript><img src=x onerror=window.ran=18>">',
    '<meta http-equiv="refresh" content="0;url=https://example.invalid/"><base href="https://example.invalid/">',
    '<object data="data:text/html,<script>parent.ran=20</script>"></object><embed src="data:text/html,x">',
    "<form action=https://example.invalid/><input name=location autofocus onfocus=window.ran=21>",
    "<link rel=stylesheet href=https://example.invalid/x.css><style>*{display:none}</style>",
    "\\u003cscript\\u003ewindow.ran=23\\u003c/script\\u003e\u202e<x onclick=window.ran=23>\x07",
]
SVG = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="60"
 onload="parent.ran=31; alert(31)"><script>parent.ran=32; alert(32)</script><script href="https://example.invalid/x.js"/>
 <image href="https://example.invalid/x.png" width="9" height="9" onerror="alert(33)"/><rect width="90" height="60"
 fill="teal"><set attributeName="onclick" to="alert(34)"/><animate attributeName="x" onbegin="alert(35)" dur="1s"/>
 </rect>
 <foreignObject width="90" height="60"><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:parent.alert(36)"/>
 </foreignObject><a xlink:href="javascript:alert(37)"><text y="20">x</text></a><style>
 @import "https://example.invalid/x.css";</style></svg>"""
FOREIGN = "iframe, object, embed, base, form, link[rel=stylesheet], meta[http-equiv=refresh], img:not([src^='data:'])"
OWN = re.compile(
    r"(#|(\.\./\.\./\.\./)?(captures|figures)/|(\.\./\.\./\.\./)?[a-z]+\.(html|md|csv)\b)[A-Za-z0-9/.#_-]*$"
)
CAPTURES = "[...document.querySelectorAll('template[id^=\"capture:\"]')].map(page => page.id.slice(8))"


def _poisoned(number: int, text: str = "") -> str:
    return f"{text}{PAYLOADS[number % len(PAYLOADS)]}"


def poison_bundle(bundle: Path) -> None:
    """Put payloads into everything of a bundle that is a free text."""
    for number, path in enumerate(sorted([*bundle.glob("answers/*/*.md"), *bundle.glob("prompts/*.md")])):
        write_text(path, path.read_text("utf-8") + "\n".join(PAYLOADS[number % 3 :: 3]) + "\n" + _poisoned(number))
    for path in sorted(bundle.glob("specs/*.md")):
        write_text(path, "\n".join(PAYLOADS) + "\n" + path.read_text("utf-8"))
    for path in bundle.glob("visuals/*/*.svg"):
        write_text(path, SVG)
    for path in bundle.glob("visuals/*/*.mmd"):
        write_text(path, "graph TD\n" + "\n".join(PAYLOADS))
    for sheet, columns in (("catalogue", ("name", "target", "source")), ("captures", ("notes",))):
        rows = read_tsv(bundle / f"{sheet}.tsv")
        for number, line in enumerate(rows):
            line |= {column: _poisoned(number + at).replace("\\", "/") for at, column in enumerate(columns)}
            if sheet == "captures" and line["accepted"] == "no":
                line["reason"] = _poisoned(number).replace("\\", "/")
        write_tsv(bundle / f"{sheet}.tsv", read_columns(bundle / f"{sheet}.tsv"), rows)
    text = (bundle / "bundle.yaml").read_text("utf-8")
    for number, title in enumerate(("Fourteen techniques, three configurations", "Optimum", "Frugal", "Single model")):
        text = text.replace(f"title: {title}\n", f"title: {json.dumps(_poisoned(number * 3, title))}\n")
    write_text(bundle / "bundle.yaml", text)


def poison_verdicts(work: Path) -> None:
    """Put payloads into what judges and providers say."""
    tables = work / "results/tables"
    rows = read_tsv(tables / "ledger.tsv")
    for number, line in enumerate(rows):
        for judge in JUDGES:
            line |= {f"{judge}_note_{c}": _poisoned(number + at) for at, c in enumerate(CRITERIA)}
            line[f"{judge}_impression"] = _poisoned(number)
    write_tsv(tables / "ledger.tsv", read_columns(tables / "ledger.tsv"), rows)
    for number, path in enumerate(sorted(work.glob("results/verdicts/*/*/*/*.json"))):
        said = {"model_answered": _poisoned(number), "provider": _poisoned(number + 1), "repairs": [_poisoned(number)]}
        write_json(path, {**read_json(path), **said})
    answered = read_tsv(tables / "answered.tsv")
    for line in answered:
        line |= {"model_answered": PAYLOADS[0], "provider": PAYLOADS[1]}
    write_tsv(tables / "answered.tsv", read_columns(tables / "answered.tsv"), answered)
    lost = {"entry": "mode:five-whys", "configuration": "frugal", "judge": "big1", "state": "invalid"}
    write_tsv(tables / "unjudged.tsv", [*lost, "reason"], [{**lost, "reason": payload} for payload in PAYLOADS])


@pytest.fixture(scope="module")
def hostile(_page, tmp_path_factory) -> Path:
    """Return report.html of the example with payloads everywhere."""
    work = judged(tmp_path_factory.mktemp("hostile") / "work", poison_bundle)
    poison_verdicts(work)
    return reported(work)


def check(page) -> None:
    """Nothing of a payload ran or became an element, and the policy had nothing to stop."""
    assert page.run("typeof window.ran") == "undefined"
    assert page.run(f"document.querySelectorAll({FOREIGN!r}).length") == 0
    handlers = "[...document.querySelectorAll('*')].some(e => [...e.attributes].some(a => a.name.startsWith('on')))"
    assert page.run(handlers) is False
    addresses = page.run("[...document.querySelectorAll('a')].map(link => link.getAttribute('href'))")
    assert [address for address in addresses if not OWN.match(address)] == []
    assert page.run("document.querySelectorAll('script').length") <= 1
    assert page.problems == []


def test_nothing_runs_in_the_report_or_in_any_capture(page, hostile):
    assert len(PAYLOADS) >= 15
    page.open(hostile)
    check(page)
    assert (
        page.run("document.querySelector('h1').textContent")
        == "Fourteen techniques, three configurations" + PAYLOADS[0]
    )
    places = page.run(CAPTURES)
    assert len(places) == 37
    for place in places:
        page.run(f"location.hash = {place!r}; new Promise(done => setTimeout(done, 15))")
        assert page.run("document.getElementById('capture').hidden") is False
        check(page)
    assert not (hostile.parents[2] / "ran16").exists()


def test_payloads_are_shown_letter_by_letter(page, hostile):
    ledger = read_tsv(hostile.parents[1] / "tables/ledger.tsv")
    page.open(hostile)
    for line in ledger[:8]:
        place = f"{line['configuration']}/{line['family']}/{line['id']}"
        page.run(f"location.hash = {place!r}; new Promise(done => setTimeout(done, 15))")
        notes = page.run("[...document.querySelectorAll('#capture .said p')].map(note => note.textContent)")
        assert [line[f"big1_note_{c}"] for c in CRITERIA] == notes[:10:2]
        answer = hostile.parents[2] / f"bundle/answers/{line['configuration']}/{line['family']}-{line['id']}.md"
        assert answer.read_text("utf-8") in page.run(
            "[...document.querySelectorAll('#capture .words')].map(p => p.textContent)"
        )


def test_an_svg_visual_is_an_image_in_which_nothing_runs(page, hostile):
    page.open(hostile, "#optimum/visual/fishbone-diagram")
    page.run("new Promise(done => setTimeout(done, 300))")
    assert page.run("document.querySelector('#capture .visual img').naturalWidth") == 90
    assert page.run("document.querySelectorAll('#capture svg').length") == 0
    check(page)


def test_an_odd_address_shows_the_report(page, hostile):
    for fragment in ("#%", "#javascript:window.ran=1", "#<img src=x onerror=window.ran=1>", "#capture", "#__proto__"):
        page.open(hostile, fragment)
        assert page.run("document.getElementById('report').hidden") is False
        check(page)


def test_nothing_runs_in_captures_with_a_page_of_their_own(page, hostile, tmp_path):
    figures = {name: (hostile.parent / f"figures/{name}.svg").read_text("utf-8") for name in PICTURES}
    material = read_material(hostile.parents[1], PROTOCOL, CAPTIONS, figures, seed=1)
    for name, text in report_files(material, most_bytes=1):
        write_text(tmp_path / name, text)
    pages = sorted(tmp_path.glob("captures/*/*/*.html"))
    assert len(pages) == 37
    for path in pages[::6]:
        page.open(path)
        check(page)
    page.open(tmp_path / "report.html")
    check(page)
    before = page.loaded
    page.run("document.querySelector('#ledger-table a').click()")
    page.wait_for_load(before)
    assert page.run("location.pathname").endswith("/captures/optimum/lens/base-rates.html")
    before = page.loaded
    page.run("document.querySelector('[rel=next]').click()")
    page.wait_for_load(before)
    assert page.run("location.pathname").endswith("/captures/optimum/lens/hanlons-razor.html")
    before = page.loaded
    page.run("document.querySelector('.bar .button').click()")
    page.wait_for_load(before)
    assert page.run("location.pathname").endswith("/report.html")
    check(page)


def test_an_address_in_the_report_leads_to_a_page_beside_it(page, hostile, tmp_path):
    material = read_material(hostile.parents[1], PROTOCOL, CAPTIONS, dict.fromkeys(PICTURES, "<svg/>"), seed=1)
    for name, text in report_files(material, most_bytes=1):
        write_text(tmp_path / name, text)
    page.open(tmp_path / "report.html", "#frugal/mode/pre-mortem")
    page.run("new Promise(done => setTimeout(done, 300))")
    assert page.run("location.pathname").endswith("/captures/frugal/mode/pre-mortem.html")


def test_long_names_stay_within_a_narrow_window(page, hostile):
    page.look(420, 900)
    for fragment in ("", "#optimum/mode/causal-dag"):
        page.open(hostile, fragment)
        assert page.run("document.documentElement.scrollWidth") <= 420
