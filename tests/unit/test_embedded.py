"""The embedded baseline: deterministic, bounded, able to tell the example's answers apart, and no model judge."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.canonical import loads
from assay.contracts import reply_contract
from assay.embedded import BASELINES, DISCLAIMER, baseline, reply_text, required_elements, words
from assay.protocol import read_protocol, rubric
from assay.reading import read_object

BUNDLE = Path(__file__).parents[2] / "example/performance/bundle"
SPEC = "# T\n\n## Required elements\n\n- **Alpha claims**: listed claims\n- beta evidence weighed\n\n## Notes\n\n- no\n"


def overall(model, answer, entry):
    texts = [(BUNDLE / f"{kind}/{entry}.md").read_text() for kind in ("specs", "prompts")]
    scores = baseline(model, *texts, answer)["scores"]
    return scores["fidelity"]


@pytest.mark.parametrize("model", BASELINES)
@given(st.text(), st.text(), st.text())
def test_any_texts_give_scores_on_the_scale_with_one_decimal(model, specification, prompt, answer):
    found = baseline(model, specification, prompt, answer)
    assert all(0 <= score <= 10 and score == round(score, 1) for score in found["scores"].values())
    assert found == baseline(model, specification, prompt, answer)
    assert found["impression"] == DISCLAIMER and "no model judge" in DISCLAIMER


@pytest.mark.parametrize("model", BASELINES)
def test_its_reply_meets_the_contract_of_every_judge(model):
    contract = reply_contract(rubric(read_protocol("performance")))
    packet = {"specification": {"text": SPEC}, "prompt": "A prompt about claims.", "answer": "Claims because."}
    reply = read_object(reply_text(model, packet, "ab" * 16), contract, "ab" * 16)
    assert reply.repairs == () and set(reply.value["notes"]) == set(reply.value["scores"])


@pytest.mark.parametrize("model", BASELINES)
def test_an_empty_answer_gets_nothing(model):
    assert set(baseline(model, SPEC, "prompt words", "")["scores"].values()) == {Decimal(0)}


@pytest.mark.parametrize("model", BASELINES)
def test_it_tells_an_excellent_answer_from_half_of_one_and_from_mere_names(model):
    for entry in ("mode-pre-mortem", "mode-competing-hypotheses"):
        lanes = ("optimum", "frugal", "single-model")
        best, half, names = (
            overall(model, (BUNDLE / f"answers/{lane}/{entry}.md").read_text(), entry) for lane in lanes
        )
        assert best > half > names


def test_the_two_baselines_differ():
    scattered = "alpha claims\n\nlisted\n\nbeta\n\nevidence\n\nweighed"
    first, second = (baseline(model, SPEC, "p", scattered)["scores"]["fidelity"] for model in BASELINES)
    assert first > second


@pytest.mark.parametrize(
    ("specification", "elements"),
    [
        (SPEC, ["**Alpha claims**: listed claims", "beta evidence weighed"]),
        ("required_sections:\n  - first_part\n  - second_part\nother: x\n", ["first part", "second part"]),
        ('{"required": ["one_thing", "two"], "x": {"required": ["two", "three"]}}', ["one thing", "two", "three"]),
        ("# Only\n\n## Headings here\n", ["Only", "Headings here"]),
        ("plain words only", ["plain words only"]),
    ],
)
def test_required_elements_are_found_in_each_form_of_specification(specification, elements):
    assert required_elements(specification) == elements


def test_words_are_cut_and_common_ones_left_out():
    assert words("The Evidence, evidently: which would be 12 of them") == ["eviden", "eviden"]


def test_repeating_a_word_does_not_help():
    once, often = (baseline("coverage-words-1", SPEC, "p", "alpha " * n)["scores"]["fidelity"] for n in (1, 500))
    assert once == often


def test_notes_hold_the_counts_behind_the_scores():
    found = baseline("coverage-words-1", SPEC, "p", "alpha claims listed, because beta evidence weighed; perhaps")
    assert re.search(r"2 required elements by 100%", found["notes"]["fidelity"])
    assert loads(reply_text("coverage-words-1", {"specification": {"text": SPEC}, "prompt": "", "answer": ""}, "n"))
