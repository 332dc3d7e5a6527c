"""Money is exact, an unknown cost is unknown, and a reservation is never too small."""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from route_requests import request

from assay.cost import IMAGE_TOKENS, Price, cost_usd, cut_prompt, greatest_cost, input_tokens_at_most, price_of
from assay.documents import read_yaml, schema_problems
from assay.routes.shapes import Usage

TABLE = Path(__file__).parents[2] / "config/prices.yaml"
PRICE = Price(Decimal("2"), Decimal("10"), cached=Decimal("0.5"), cache_write=Decimal("2.5"), reasoning=Decimal("8"))
BARE = Price(Decimal("2"), Decimal("10"))
ROW = {"models": ["m", "m-2026-01-01"], "from": "2026-07-30", "to": "2026-12-31", "input": "2", "output": "10"}


def test_cached_written_and_reasoning_tokens_have_their_own_prices():
    # 1000 in (600 plain, 300 cached, 100 written), 200 out (50 answer, 150 reasoning)
    usage = Usage(1000, 300, 100, 200, 150)
    assert cost_usd(usage, PRICE) == Decimal("0.0033")  # (1200 + 150 + 250 + 500 + 1200) / 1e6
    assert cost_usd(usage, BARE) == Decimal("0.004")  # (2000 + 2000) / 1e6


def test_the_apis_own_figure_comes_first():
    assert cost_usd(Usage(1000, None, None, 200), PRICE, Decimal("0.5")) == Decimal("0.5")
    assert cost_usd(Usage(), None, Decimal(0)) == 0


@pytest.mark.parametrize(
    ("usage", "price"),
    [
        (Usage(), PRICE),
        (Usage(input=5), PRICE),
        (Usage(output=5), PRICE),
        (Usage(5, None, None, 5), None),
        (Usage(5, 6, None, 5), PRICE),
        (Usage(5, 3, 3, 5), PRICE),
        (Usage(5, None, None, 5, 6), PRICE),
        (Usage(11, None, None, 5), Price(Decimal(1), Decimal(1), longest_input=10)),
    ],
)
def test_an_unknown_cost_is_not_zero(usage, price):
    assert cost_usd(usage, price) is None


def test_prices_hold_for_exact_ids_days_and_tiers():
    table = {"prices": [ROW, {**ROW, "tier": "flex", "input": "1"}, {**ROW, "from": "2027-01-01", "to": "2027-02-01"}]}
    assert price_of(table, "m", "2026-07-30") == price_of(table, "m-2026-01-01", "2026-12-31", "default") == BARE
    assert price_of(table, "m", "2026-12-01", "flex").input == 1
    assert price_of(table, "m", "2027-01-01") == BARE
    for model, day, tier in (
        ("m", "2026-07-29", ""),
        ("m", "2027-02-02", ""),
        ("m-", "2026-12-01", ""),
        ("M", "2026-12-01", ""),
        ("m", "2026-12-01", "priority"),
    ):
        assert price_of(table, model, day, tier) is None


def test_the_price_table_is_valid_and_its_rows_do_not_overlap():
    table = read_yaml(TABLE)
    assert schema_problems(table, "prices", str(TABLE)) == []
    rows = [(model, row) for row in table["prices"] for model in row["models"]]
    for i, (model, row) in enumerate(rows):
        assert row["from"] <= row["to"]
        price = price_of(table, model, row["from"])
        assert price.input > 0 and price.output > 0
        for other, later in rows[i + 1 :]:
            if other == model and row.get("tier") == later.get("tier"):
                assert row["to"] < later["from"] or later["to"] < row["from"]


def test_a_number_without_quotes_in_the_price_table_is_a_fault():
    row = {**ROW, "source": "s", "checked": "2026-12-01"}
    assert schema_problems({"prices": [row]}, "prices", "f") == []
    assert schema_problems({"prices": [{**row, "input": Decimal("2")}]}, "prices", "f")


def test_the_greatest_cost_bounds_input_by_bytes_and_output_by_the_limit():
    made = request("openai-chat", parameters={"max_output_tokens": 1000})
    tokens = input_tokens_at_most(made)
    assert tokens >= len("You are a judge.Judge this: é".encode())
    assert greatest_cost(made, BARE) == (tokens * 2 + 1000 * 10) / Decimal(1_000_000)
    dearer = Price(Decimal(2), Decimal(10), cache_write=Decimal(3), reasoning=Decimal(20))
    assert greatest_cost(made, dearer) == (tokens * 3 + 1000 * 20) / Decimal(1_000_000)
    image = request("openai-chat", parameters={"max_output_tokens": 1000}, image=True)
    assert input_tokens_at_most(image) == tokens + IMAGE_TOKENS


@pytest.mark.parametrize(
    ("route", "name"),
    [
        ("openai-chat", "max_output_tokens"),
        ("openai-chat", "max_completion_tokens"),
        ("anthropic-messages", "max_tokens"),
        ("gemini", "maxOutputTokens"),
    ],
)
def test_the_limit_bounds_the_cost_by_whatever_name_the_api_has_for_it(route, name):
    small, large = (greatest_cost(request(route, parameters={name: limit}), BARE) for limit in (7, 8))
    assert large - small == Decimal(10) / 1_000_000


def test_a_cost_without_bound_is_unknown():
    assert greatest_cost(request("openai-chat"), BARE) is None
    assert greatest_cost(request("openai-chat", parameters={"max_output_tokens": 7}), None) is None
    short = Price(Decimal(1), Decimal(1), longest_input=10)
    assert greatest_cost(request("openai-chat", parameters={"max_output_tokens": 7}), short) is None
    assert greatest_cost(request("anthropic-messages"), BARE) is not None
    nested = request("gemini", parameters={"generationConfig": {"maxOutputTokens": 7}})
    assert greatest_cost(nested, BARE) is not None


prices = st.decimals(0, 100, places=4)


@given(st.text(max_size=300), st.integers(1, 5000), st.data(), prices, prices, st.none() | prices, st.none() | prices)
def test_no_call_within_its_limits_costs_more_than_was_reserved(text, limit, data, given, taken, cached, thought):
    price = Price(given, taken, cached=cached, reasoning=thought)
    made = request("openai-chat", parameters={"max_output_tokens": limit})
    made["messages"][1]["content"][0]["text"] = text
    tokens = data.draw(st.integers(0, len(text.encode("utf-8", "surrogatepass"))))
    output = data.draw(st.integers(0, limit))
    usage = Usage(tokens, data.draw(st.integers(0, tokens)), 0, output, data.draw(st.integers(0, output)))
    assert cost_usd(usage, price) <= greatest_cost(made, price)


def test_a_packet_that_the_server_cut_in_silence_is_noticed():
    made = request("openai-chat")
    made["messages"][1]["content"][0]["text"] = "word " * 5900
    assert "prompt_truncated" in cut_prompt(made, Usage(input=2050))
    for tokens in (5901, 7900, 5000, None, 0):
        assert cut_prompt(made, Usage(input=tokens)) == ""
