"""YAML that people write: read exactly, and checked against its JSON Schema with every fault at once."""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import yaml

from assay.problems import FileFault, Problem
from assay.sheets import read_utf8

CONFIG_FILE = "config/config.yaml"
SCHEMAS = Path(__file__).parents[2] / "schemas"


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, but decimals stay exact, dates stay text, and a key that stands twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for place, ((key_node, _), key) in enumerate(zip(node.value, keys, strict=True)):
            if key in keys[:place]:
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
    validator = jsonschema.validators.extend(base, {"pattern": _pattern}, type_checker=exact)
    schema = read_yaml(SCHEMAS / f"{schema_name}.schema.yaml")
    faults = sorted(validator(schema).iter_errors(value), key=lambda fault: [str(step) for step in fault.path])
    return [Problem(file, _row(file, list(fault.absolute_path)), _sentence(fault), _todo(fault)) for fault in faults]


def _pattern(validator: object, pattern: str, instance: object, schema: object) -> Iterator[object]:
    """Check `pattern` as JSON Schema means it: `$` is the end of the text, not the place before a last newline."""
    from jsonschema import ValidationError

    if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _row(file: str, steps: list[str | int]) -> int:
    """Return the line of a YAML file on which the value that `steps` lead to begins; 0 if it is not in a file."""
    if not steps or not Path(file).is_file():
        return 0
    node = yaml.compose(read_utf8(Path(file)), Loader=_Loader)
    row = 0
    for step in steps:
        pairs = dict(enumerate((n, n) for n in node.value)) if isinstance(node, yaml.SequenceNode) else {}
        if isinstance(node, yaml.MappingNode):
            pairs = {key.value: (key, value) for key, value in node.value}
        if step not in pairs and str(step) not in pairs:
            return row
        key, node = pairs.get(step) or pairs[str(step)]
        row = key.start_mark.line + 1
    return row


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
