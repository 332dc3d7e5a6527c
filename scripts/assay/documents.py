"""YAML that people write: read exactly, and checked against its JSON Schema with every fault at once."""

import re
from decimal import Decimal
from pathlib import Path

import yaml

from assay.problems import FileFault, Problem
from assay.sheets import read_utf8

SCHEMAS = Path(__file__).parents[2] / "schemas"


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, but decimals stay exact, dates stay text, and a key that stands twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for (key_node, _), key in zip(node.value, keys, strict=True):
            if keys.count(key) > 1:
                raise yaml.MarkedYAMLError(problem=f"the key {key!r} stands twice", problem_mark=key_node.start_mark)
        return super().construct_mapping(node, deep)


def _decimal(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Decimal:
    try:
        return Decimal(loader.construct_scalar(node).replace("_", ""))
    except ArithmeticError:
        raise yaml.MarkedYAMLError(problem=f"{node.value!r} is not a number", problem_mark=node.start_mark) from None


_Loader.add_constructor("tag:yaml.org,2002:float", _decimal)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", yaml.SafeLoader.construct_yaml_str)


def read_yaml(path: Path) -> object:
    """Read one YAML document. Raises FileFault with file and row if it is missing, not UTF-8 or broken."""
    text = read_utf8(path)
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        row = error.problem_mark.line + 1 if error.problem_mark else 0
        raise FileFault(path, row, f"not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise FileFault(path, 0, f"not valid YAML: {error}") from None


def schema_problems(value: object, schema_name: str, file: str) -> list[Problem]:
    """Check a document against `schemas/{schema_name}.schema.yaml`; return every fault with the key it concerns."""
    import jsonschema  # late: 160 ms that the hot path must not pay

    base = jsonschema.Draft202012Validator
    exact = base.TYPE_CHECKER.redefine("number", lambda _, value: _is_number(value))
    validator = jsonschema.validators.extend(base, type_checker=exact)
    schema = read_yaml(SCHEMAS / f"{schema_name}.schema.yaml")
    faults = sorted(validator(schema).iter_errors(value), key=lambda fault: [str(step) for step in fault.path])
    return [Problem(file, 0, _sentence(fault), _todo(fault)) for fault in faults]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _sentence(fault: object) -> str:
    place = ".".join(str(step) for step in fault.absolute_path)
    message = re.sub(r"Decimal\('([^']*)'\)", r"\1", fault.message)
    return f"{place}: {message}" if place else message


def _todo(fault: object) -> str:
    meaning = fault.schema.get("description") if isinstance(fault.schema, dict) else None
    if fault.validator == "additionalProperties" and isinstance(fault.schema.get("properties"), dict):
        return f"Known keys here: {', '.join(sorted(fault.schema['properties']))}"
    if fault.validator == "required":
        return "Add it"
    return f"Expected: {meaning}" if meaning else "Correct the value"
