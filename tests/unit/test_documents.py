"""YAML that people write: exact, closed, and every fault with its file and row."""

import re
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest
import yaml

from assay.bundle.read import ID
from assay.documents import SCHEMAS, read_yaml, schema_problems
from assay.problems import FileFault

ROOT = Path(__file__).parents[2]


def written(tmp_path, text):
    path = tmp_path / "d.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def test_decimals_stay_exact_and_days_stay_text(tmp_path):
    found = read_yaml(written(tmp_path, "a: 0.10000000000000000001\nb: 2026-05-01\nc: 7\nd: 1.5e+3\n"))
    assert found == {"a": Decimal("0.10000000000000000001"), "b": "2026-05-01", "c": 7, "d": Decimal(1500)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "row 3: not valid YAML: the key 'a' stands twice"),
        ("a:\n  b: 1\n  b: 1\n", "row 3: not valid YAML: the key 'b' stands twice"),
        ("a: [1, 2\nb: 3\n", "row 2: not valid YAML"),
        ("a: 1\n\tb: 2\n", "row 2: not valid YAML"),
        ("a: .nan\n", "row 1: not valid YAML: '.nan' is not a number"),
        ("a: 1\nb: -.inf\n", "row 2: not valid YAML: '-.inf' is not a number"),
        ("a: !!python/object:os.system {}\n", "row 1: not valid YAML"),
        ("a: &x 1\nb: *y\n", "row 2: not valid YAML"),
        (b"a: \xff\n", "not UTF-8: byte 3"),
        ("a: \x07\n", "not valid YAML"),
        ("a: 1\n---\nb: 2\n", "row 2: not valid YAML"),
        ("? [a]\n: 1\n", "row 1: not valid YAML"),
    ],
)
def test_a_broken_document_names_file_and_row(tmp_path, text, message):
    with pytest.raises(FileFault, match=re.escape(message)) as fault:
        read_yaml(written(tmp_path, text))
    assert str(tmp_path / "d.yaml") in str(fault.value)


def test_every_fault_is_told_with_its_row(tmp_path):
    text = "id: Small\ntitle: t\nprotocol: performance\n"
    text += "configurations:\n  - id: a\n    title: ''\n  - {id: b, colour: x}\n"
    path = written(tmp_path, text)
    found = [(p.row, p.text) for p in schema_problems(read_yaml(path), "bundle", str(path))]
    assert (1, "id: 'Small' does not match '^[a-z0-9][a-z0-9-]*$'") in found
    assert any(row == 6 and "title" in what for row, what in found)
    assert [row for row, what in found if "colour" in what or "'title' is a required" in what] == [7, 7]
    assert len(found) == 4


@pytest.mark.parametrize("value", ["a\n", "-a", "A", "a b", "ä", "", "a/b", "a.b"])
def test_an_id_is_small_letters_digits_and_hyphens(value):
    head = {"id": value, "title": "t", "protocol": "performance", "configurations": [{"id": "a", "title": "t"}]}
    assert schema_problems(head, "bundle", "d.yaml")
    assert not re.fullmatch(ID, value)


def test_the_schemas_and_the_paths_have_the_same_rule_for_ids():
    common = (ROOT / "rules/common.smk").read_text()
    assert [line.strip() for line in common.splitlines() if "=ID," in line] == [
        "configuration=ID,",
        "family=ID,",
        "id=ID,",
    ]
    for name in ("bundle", "config"):
        assert read_yaml(SCHEMAS / f"{name}.schema.yaml")["$defs"]["id"]["pattern"] == f"^{ID}$"


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_schema_is_sound_and_closed(path):
    schema = yaml.safe_load(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["description"]
    assert schema.get("type") != "object" or schema["additionalProperties"] is False


def test_exact_decimals_are_numbers_and_truth_values_are_not():
    config = {"bundle": "b", "run": "r", "budget_usd": Decimal("1.5")}
    assert schema_problems(config, "config", "c") == []
    assert schema_problems({**config, "budget_usd": True}, "config", "c")
    assert schema_problems({**config, "budget_usd": Decimal(-1)}, "config", "c")


def test_a_misspelt_key_is_told_with_the_known_ones():
    [problem] = schema_problems({"bundle": "b", "run": "r", "temprature": 1}, "config", "c")
    assert "temprature" in problem.text and "budget_usd" in problem.todo


def test_the_configs_that_are_shipped_are_valid():
    shipped = [ROOT / "example" / folder / "config/config.yaml" for folder in ("performance", "five-judge")]
    for path in shipped:
        assert schema_problems(read_yaml(path), "config", "c") == []
    commented = "".join(path.read_text() for path in shipped)
    for key in read_yaml(SCHEMAS / "config.schema.yaml")["properties"]:
        assert re.search(rf"^(# )?{key}:", commented, re.MULTILINE), f"config.yaml does not show {key}"
