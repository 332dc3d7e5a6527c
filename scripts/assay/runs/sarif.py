"""SARIF 2.1.0: which security findings are critical."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from assay.canonical import loads
from assay.runs.faults import Faults
from assay.runs.texts import MEBIBYTE, read_bytes

CRITICAL = Decimal("9.0")


@dataclass(frozen=True, order=True)
class SecurityFinding:
    """One result of a scanner; `severity` is its or its rule's security-severity (0 to 10), None = neither has one."""

    id: str
    tool: str
    rule: str
    level: str
    severity: Decimal | None
    place: str
    message: str

    @property
    def critical(self) -> bool:
        """Level error and a security-severity of at least 9.0 (five-judge-exact.md, A run folder)."""
        return self.level == "error" and self.severity is not None and self.severity >= CRITICAL


def read_sarif(path: Path, faults: Faults) -> tuple[SecurityFinding, ...] | None:
    """Return the findings of a SARIF 2.1.0 file, or None and its problems."""
    data = read_bytes(path, faults, 64 * MEBIBYTE)
    if data is None:
        return None
    try:
        value = loads(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        faults.add(getattr(error, "lineno", 0), f"not valid JSON: {error}", "Give the scanner's whole SARIF output")
        return None
    if not isinstance(value, dict) or value.get("version") != "2.1.0":
        version = value.get("version") if isinstance(value, dict) else None
        text = f"SARIF version {version!r} is not read" if version else "this is not a SARIF file"
        faults.add(0, text, "Give SARIF 2.1.0")
        return None
    before = faults.total
    try:
        findings = [
            _finding(f"security:{run_number}.{number}", result, run, faults)
            for run_number, run in enumerate(value["runs"], 1)
            for number, result in enumerate(run.get("results") or [], 1)
            if result.get("baselineState") != "absent"
        ]
    except (KeyError, TypeError, AttributeError) as error:
        faults.add(0, f"the file does not have the shape of SARIF 2.1.0 ({error})", "Give the scanner's own output")
        return None
    return tuple(findings) if faults.total == before else None


def _finding(name: str, result: Mapping[str, Any], run: Mapping[str, Any], faults: Faults) -> SecurityFinding:
    rule = _rule(result, run)
    level = result.get("level") or rule.get("defaultConfiguration", {}).get("level") or "warning"
    if result.get("kind", "fail") != "fail":
        level = "none"
    severity = None
    for holder in (result, rule):
        text = holder.get("properties", {}).get("security-severity")
        if text is not None:
            severity = _severity(text, name, faults)
            break
    return SecurityFinding(
        name,
        run["tool"]["driver"]["name"],
        result.get("ruleId") or rule.get("id") or "",
        level,
        severity,
        _place(result),
        str(result.get("message", {}).get("text", ""))[:2000],
    )


def _rule(result: Mapping[str, Any], run: Mapping[str, Any]) -> Mapping[str, Any]:
    """The rule of a result: by its index in the component that it names, else by its id in any component."""
    reference = result.get("rule", {})
    index = result.get("ruleIndex", reference.get("index"))
    component = reference.get("toolComponent", {}).get("index")
    extensions = run["tool"].get("extensions", [])
    home = (
        extensions[component]
        if isinstance(component, int) and 0 <= component < len(extensions)
        else run["tool"]["driver"]
    )
    rules = home.get("rules", [])
    if isinstance(index, int) and 0 <= index < len(rules):
        return rules[index]
    wanted = result.get("ruleId", reference.get("id"))
    every = [rule for part in (run["tool"]["driver"], *extensions) for rule in part.get("rules", [])]
    exact = [rule for rule in every if wanted and rule.get("id") == wanted]
    parents = [rule for rule in every if wanted and str(wanted).startswith(f"{rule.get('id')}/")]
    return (exact or parents or [{}])[0]


def _severity(text: object, name: str, faults: Faults) -> Decimal | None:
    try:
        number = Decimal(str(text).strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or not 0 <= number <= 10:
        faults.add(0, f"{name}: security-severity {text!r} is not a number from 0 to 10", "Mend the scanner's output")
        return None
    return number


def _place(result: Mapping[str, Any]) -> str:
    for location in result.get("locations") or []:
        physical = location.get("physicalLocation", {})
        uri = physical.get("artifactLocation", {}).get("uri", "")
        line = physical.get("region", {}).get("startLine")
        return f"{uri}:{line}" if line else uri
    return ""
