"""Another model than the pinned one is never taken for it."""

import pytest

from assay.model_match import matches
from assay.routes.shapes import Reply


def answered(*models):
    return Reply("{}", "stop", models=models)


@pytest.mark.parametrize(
    ("asked", "accepted", "models", "problem"),
    [
        ("gpt-4o", (), ("gpt-4o",), ""),
        ("gpt-4o", (), ("gpt-4o-mini",), "wrong_model"),
        ("gpt-4o", (), ("gpt-4o-2024-08-06",), "wrong_model"),
        ("gpt-4o", ("gpt-4o-2024-08-06",), ("gpt-4o-2024-08-06",), ""),
        ("gpt-4o", ("gpt-4o-2024",), ("gpt-4o-2024-08-06",), "wrong_model"),
        ("m", (), ("M",), "wrong_model"),
        ("openai/m", (), ("m",), "wrong_model"),
        ("m", (), (), "model_unknown"),
        ("m", ("", "n"), (), "model_unknown"),
        ("m", (), ("n", "m"), "wrong_model"),
        ("m", ("n",), ("n", "m"), ""),
    ],
)
def test_only_listed_ids_match(asked, accepted, models, problem):
    text = matches(asked, accepted, answered(*models))
    assert text.partition(":")[0] == problem
    assert not text or asked in text


def test_the_problem_names_the_models_that_answered():
    assert "n, o answered" in matches("m", (), answered("n", "m", "o"))
