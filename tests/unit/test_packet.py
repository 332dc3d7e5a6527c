"""Packets: the eleven fields of Phase 1, the visual as it can be shown, the rubric, and nothing of another judge."""

import base64
from pathlib import Path

import pytest

import small_bundle
from assay.canonical import canonical, loads, sha256
from assay.packet import build_packet, show_visual
from assay.run import open_run
from assay.visuals import image_fault, media_type

FIELDS = [
    *("entry", "family", "technique", "specification", "target", "prompt", "configuration", "answer", "visual"),
    *("model_snapshot", "acceptance_notes"),
]


@pytest.fixture
def run(tmp_path, monkeypatch):
    small_bundle.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    return open_run({"bundle": "bundle", "run": "r"})


def packet_of(run, number, visual=None):
    capture = run.set.scored[number]
    files = run.files(capture)
    texts = [Path(files[what]).read_text() for what in ("prompt", "specification", "answer")]
    return build_packet(loads(run.card(capture)), *texts, visual)


def test_a_packet_has_the_eleven_fields_the_rubric_and_nothing_else(run):
    packet = packet_of(run, 2, ("c.svg", b"<svg/>"))
    assert sorted(packet) == sorted(["format", "rubric", *FIELDS])
    assert packet["entry"] == "visual:chart" and packet["configuration"] == "big"
    assert packet["technique"] == "Chart" and packet["target"] == "chart drawing"
    assert packet["model_snapshot"] == "made/big-2026-01-01" and packet["acceptance_notes"] == "seen"
    assert packet["prompt"] == "Run the chart on the harbour project.\n"
    assert packet["specification"]["sha256"] == sha256(packet["specification"]["text"].encode())
    assert packet["specification"]["source"] == "specs/chart.md"


def test_a_packet_tells_nothing_of_cost_judges_or_other_captures(run):
    text = canonical(packet_of(run, 1))
    for hidden in ("big1", "big2", "coverage-words", "cost", "minutes", "0.10", "tiny", "weight", "0.35"):
        assert hidden not in text


def test_a_text_only_answer_says_so(run):
    assert packet_of(run, 1)["visual"]["kind"] == "none"
    assert packet_of(run, 1)["visual"]["note"].startswith("text only")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.svg", "image/svg+xml"),
        ("a.mmd", "text/vnd.mermaid"),
        ("a.MERMAID", "text/vnd.mermaid"),
        ("a.json", "application/json"),
    ],
)
def test_text_formats_are_shown_as_text(name, kind):
    data = "graph TD; é\r\n".encode()
    assert show_visual((name, data)) == {
        "kind": "text",
        "media_type": kind,
        "text": "graph TD; é\r\n",
        "sha256": sha256(data),
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.png", "image/png"), ("a.JPG", "image/jpeg"), ("a.jpeg", "image/jpeg"), ("a.webp", "image/webp")],
)
def test_pictures_are_shown_byte_for_byte(name, kind):
    shown = show_visual((name, small_bundle.PNG))
    assert (shown["kind"], shown["media_type"], shown["sha256"]) == ("image", kind, sha256(small_bundle.PNG))
    assert base64.b64decode(shown["base64"]) == small_bundle.PNG


@pytest.mark.parametrize("name", ["a.gif", "a.pdf", "a", "png", "a.svg.gz", ".md"])
def test_a_format_that_judges_cannot_be_shown_has_no_type(name):
    assert media_type(name) is None or name == "png"


@pytest.mark.parametrize(
    ("data", "kind", "good"),
    [
        (small_bundle.PNG, "image/png", True),
        (small_bundle.PNG, "image/jpeg", False),
        (b"\xff\xd8\xff\xe0", "image/jpeg", True),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp", True),
        (b"RIFF\0\0\0\0WAVEfmt ", "image/webp", False),
        (b"", "image/png", False),
        (b"<svg/>", "image/png", False),
        (b"version https://git-lfs.github.com/spec/v1\n", "image/png", False),
    ],
)
def test_a_picture_must_be_what_its_name_says(data, kind, good):
    assert (image_fault(data, kind) == "") is good


def test_the_same_capture_gives_the_same_bytes(run):
    assert canonical(packet_of(run, 0)) == canonical(packet_of(run, 0))


def test_line_ends_and_unicode_of_the_texts_are_kept(run):
    card = loads(run.card(run.set.scored[0]))
    texts = ["a\r\nb", "\ufeffspec", "e\u0301 \u2028 \x00"]
    packet = build_packet(card, *texts, None)
    assert [packet["prompt"], packet["specification"]["text"], packet["answer"]] == texts
    assert loads(canonical(packet)) == packet


@pytest.mark.parametrize("what", ["notes", "technique", "model_snapshot", "target", "source", "rubric"])
def test_the_card_changes_with_everything_that_it_puts_into_the_packet(run, what):
    card = loads(run.card(run.set.scored[0]))
    assert what in card
    changed = {**card, what: "other"}
    assert sha256(build_packet(changed, "p", "s", "a", None)) != sha256(build_packet(card, "p", "s", "a", None))


def test_cost_and_minutes_are_not_on_the_card(run):
    for capture in run.set.scored:
        assert set(loads(run.card(capture))["files"]) >= {"answer", "prompt", "specification"}
        assert not {"cost_usd", "minutes", "accepted", "reason", "row"} & set(loads(run.card(capture)))
