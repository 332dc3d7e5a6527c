"""What a judge must return, as contracts for the reader of verdicts."""

from collections.abc import Mapping
from decimal import Decimal

from assay.reading import Choice, Contract, Fields, Nonce, Score, Text


def reply_contract(rubric: Mapping) -> Contract:
    """Return the contract of a verdict: nonce, a score and a note for each criterion, and an impression.

    It is the specification's response schema (Appendix) without what Assay knows better than a judge:
    entry_key, configuration and judge_model are written into the verdict from the request and the response.
    """
    score = Score(Decimal(rubric["scale"]["min"]), Decimal(rubric["scale"]["max"]))
    ids = [criterion["id"] for criterion in rubric["criteria"]]
    return Fields(
        {
            "nonce": Nonce(),
            "scores": Fields(dict.fromkeys(ids, score)),
            "notes": Fields(dict.fromkeys(ids, Text())),
            "impression": Text(),
        }
    )


def check_contract() -> Contract:
    """Return the contract of the judge check's reply."""
    return Fields({"nonce": Nonce(), "ready": Choice(("yes",))})
