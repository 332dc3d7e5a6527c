"""Small files of a run folder: read whole under a size guard, as text, JSON or YAML, checked against a schema."""

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from assay import documents
from assay.canonical import loads
from assay.problems import FileFault
from assay.runs.faults import Faults

MEBIBYTE = 1 << 20
_DIGITS = 30
_DEPTH = 20


def read_bytes(path: Path, faults: Faults, limit: int = 32 * MEBIBYTE) -> bytes | None:
    """Return the bytes of `path`, or None (and a problem) when it cannot be read or is larger than `limit` bytes."""
    try:
        size = path.stat().st_size
        if size > limit:
            text = f"the file has {size} bytes, more than the {limit} that are read"
            faults.add(0, text, "Cut what is not evidence, or split it")
            return None
        return path.read_bytes()
    except OSError as error:
        faults.add(0, f"the file cannot be read: {error.strerror}", "Mend the file or its permissions")
        return None


def read_text(path: Path, faults: Faults, limit: int = 32 * MEBIBYTE) -> str | None:
    """Return the UTF-8 text of `path` (without a byte order mark, line ends as `\\n`), or None and a problem."""
    data = read_bytes(path, faults, limit)
    if data is None:
        return None
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        faults.add(row, "not UTF-8 text", "Save the file as UTF-8")
        return None


def read_json(path: Path, schema: str, faults: Faults) -> Any | None:
    """Return the value of a JSON file that meets `schemas/{schema}.schema.yaml`, or None and its problems."""
    data = read_bytes(path, faults)
    if data is None:
        return None
    try:
        value = loads(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        faults.add(getattr(error, "lineno", 0), f"not valid JSON: {error}", "Write the file again as JSON (UTF-8)")
        return None
    return value if meets(value, schema, faults) else None


def read_yaml(path: Path, schema: str, faults: Faults) -> Any | None:
    """Return the value of a YAML file that meets `schemas/{schema}.schema.yaml`, or None and its problems.

    Aliases are refused, because a few nested ones make a small file grow without bound.
    """
    import yaml

    text = read_text(path, faults, MEBIBYTE)
    if text is None or not _flat(text, faults):
        return None
    try:
        value = documents.read_yaml(path)
    except (FileFault, yaml.YAMLError, ValueError) as error:
        faults.add(getattr(error, "row", 0), getattr(error, "text", str(error)), "Mend the YAML")
        return None
    return value if meets(value, schema, faults) else None


def _flat(text: str, faults: Faults) -> bool:
    """Whether a YAML text can be read at all, without aliases and not nested without end."""
    import yaml

    opens = (yaml.FlowSequenceStartToken, yaml.FlowMappingStartToken)
    opens += (yaml.BlockSequenceStartToken, yaml.BlockMappingStartToken)
    closes = (yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken, yaml.BlockEndToken)
    depth = 0
    try:
        for token in yaml.scan(text):
            depth += isinstance(token, opens) - isinstance(token, closes)
            if isinstance(token, yaml.AliasToken) or depth > _DEPTH:
                words = "YAML aliases are not read here" if depth <= _DEPTH else "the YAML is nested too deeply"
                faults.add(token.start_mark.line + 1, words, "Write it out flat, as the schema shows")
                return False
    except yaml.MarkedYAMLError as error:
        row = error.problem_mark.line + 1 if error.problem_mark else 0
        faults.add(row, f"not valid YAML: {error.problem}", "Mend the YAML")
        return False
    except yaml.YAMLError as error:
        faults.add(0, f"not valid YAML: {error}", "Mend the YAML")
        return False
    return True


@cache
def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema `schemas/{name}.schema.yaml`."""
    return documents.read_yaml(documents.SCHEMAS / f"{name}.schema.yaml")


def meets(value: object, schema: str, faults: Faults) -> bool:
    """Note every way in which `value` fails the schema; True when there is none."""
    if _wild(value):
        faults.add(0, "it holds a number that is not plain (over 30 digits, or no number)", "Write numbers plainly")
        return False
    problems = documents.schema_problems(value, schema, faults.file)
    for problem in problems:
        faults.add(problem.row, problem.text, problem.todo)
    return not problems


def _wild(value: object) -> bool:
    """Whether a number in `value` is not finite, or has so many digits that writing it out would take a book."""
    if isinstance(value, Decimal):
        return not value.is_finite() or value.adjusted() > _DIGITS or value.as_tuple().exponent < -_DIGITS
    if isinstance(value, dict):
        return any(map(_wild, value.values()))
    if isinstance(value, int):
        return abs(value) >= 10**_DIGITS
    return isinstance(value, list) and any(map(_wild, value))
