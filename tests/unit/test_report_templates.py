"""The page's parts without a browser: what is written, how it is escaped, and what its policy lets in."""

import base64
import hashlib
import re

from assay.report.page import ledger
from assay.report.page.build import environment, head, inlined, script, stylesheet
from assay.report.page.captures import derivation, visual
from assay.report.page.grid import Cell, Column, Grid, Line
from report_cases import PROTOCOL, flat, row, scores


def test_everything_that_a_template_is_given_is_escaped():
    said = environment().from_string('<p title="{{ x }}">{{ x }}</p>').render(x="<b>\"'&\x00\ud800")
    assert said == '<p title="&lt;b&gt;&#34;&#39;&amp;\ufffd\ufffd">&lt;b&gt;&#34;&#39;&amp;\ufffd\ufffd</p>'


def test_the_policy_names_the_pages_own_script_and_style_by_hash_and_nothing_else():
    given = head(stylesheet(), script())
    for text in (stylesheet(), script()):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in given["policy"]
        assert "</" not in text  # nothing in it can end its element
    assert "unsafe" not in given["policy"] and "http" not in given["policy"] and "*" not in given["policy"]
    assert given["policy"].startswith("default-src 'none'; ")
    assert "script-src 'none'" in head(stylesheet())["policy"]


def test_the_script_builds_no_html_from_text():
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "DOMParser",
    ):
        assert word not in script()


def test_a_cell_shows_its_text_and_sorts_by_its_exact_value():
    grid = Grid(
        "G<", [Column("A", word=True), Column("B")], [Line([Cell("<i>", href="#a/b/c"), Cell("7.3", "7.25", sub="s")])]
    )
    said = str(environment().get_template("parts.html").module.table(grid))
    assert '<th scope="row" class="word"><a href="#a/b/c">&lt;i&gt;</a></th>' in said
    assert '<td data-sort="7.25">7.3<span class="sub">s</span></td>' in said
    assert 'aria-label="G&lt;"' in said


def test_a_picture_in_the_page_leads_to_the_pages_own_addresses():
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="1pt" height="1pt" viewBox="0 0 1 1" role="img">'
        '<style>.a{}</style><a href="../report.html#a/mode/x"><title>&lt;b&gt;</title></a></svg>'
    )
    said = str(inlined(svg, {"a/mode/x": "captures/a/mode/x.html"}))
    assert 'href="captures/a/mode/x.html"' in said and "<title>&lt;b&gt;</title>" in said
    assert "<style" not in said and "width" not in said


def test_the_derivation_names_every_number():
    one = row("mode:a", "best", {"big1": ["3", "10", "10", "10", "10"], "big2": ["3.5", "10", "10", "10", "10"]})
    assert derivation(scores([one]), PROTOCOL, one) == (
        "weighted = 0.35 × 3.25 + 0.25 × 10 + 0.18 × 10 + 0.12 × 10 + 0.1 × 10 = 7.6375; "
        "overall = min(7.6375, fidelity 3.25) = 3.25; failure: 3.25 < 4.0"
    )


def test_marks_say_failure_cap_and_flags():
    one = row("mode:a", "best", {"big1": ["3", "9", "9", "9", "9"]}, flags="addresses-judge chat-template")
    assert ledger.marks(one) == (
        ("failure", "failure"),
        ("cap", "capped"),
        ("flag", "addresses-judge"),
        ("flag", "chat-template"),
    )


def test_the_tables_of_failures_and_caps_are_ordered_by_how_bad_and_how_much():
    rows = [
        row(f"mode:{name}", "a", {"big1": [f, "8", "8", "8", "8"]}) for name, f in (("x", "3"), ("y", "1"), ("z", "9"))
    ]
    made = scores(rows, ["big1"])
    failed = ledger.failures(made, lambda entry, configuration: f"#{entry}")
    assert [(line.cells[0].text, line.cells[0].href) for line in failed.lines] == [
        ("mode:y", "#mode:y"),
        ("mode:x", "#mode:x"),
    ]
    assert [line.cells[0].text for line in ledger.capped(made, lambda *_: "#").lines] == ["mode:y", "mode:x"]


def test_a_gap_of_two_points_is_a_wide_one():
    one = row("mode:a", "best", {"big1": flat("7"), "big2": ["7", "9", "7", "7", "7"]})
    [line] = ledger.ledger(scores([one]), {"mode:a": "A"}, lambda *_: "#").lines
    assert "gap:wide" in line.kinds and ledger.widest_gap(one, scores([one])) == "2"


def test_pictures_are_shown_as_images_and_other_visuals_as_text():
    svg = visual({"kind": "text", "media_type": "image/svg+xml", "text": "<svg/>", "sha256": "0"})
    assert svg["image"] == "data:image/svg+xml;base64,PHN2Zy8+" and svg["source"] == "<svg/>"
    assert visual({"kind": "text", "media_type": "text/vnd.mermaid", "text": "graph", "sha256": "0"})["image"] == ""
    png = visual({"kind": "image", "media_type": "image/png", "base64": "AAAA", "sha256": "0"})
    assert png["image"] == "data:image/png;base64,AAAA" and png["source"] == ""
    assert visual({"kind": "none", "note": "text only"}) is None


def test_no_template_lets_a_text_through_unescaped():
    from assay.report.page.build import TEMPLATES

    for path in TEMPLATES.glob("*.html"):
        assert not re.search(r"\|\s*safe|autoescape|Markup", path.read_text("utf-8")), path
