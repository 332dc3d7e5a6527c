"""The software that makes the tables and reports."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from platform import python_version

PACKAGES = ("snakemake", "PyYAML", "jsonschema", "requests", "pandas")


def present_versions() -> dict[str, str]:
    """Return name -> version of what is installed here, `not installed` where it is absent."""
    return {"Python": python_version(), **{name: _version(name) for name in PACKAGES}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def other_versions(recorded: Mapping[str, str]) -> list[str]:
    """Say, one line each, what is installed here in another version than a run recorded."""
    here = {name: _version(name) for name in recorded if name != "Python"} | {"Python": python_version()}
    return [
        f"{name}: {then} made the run, {here[name]} is installed here"
        for name, then in sorted(recorded.items())
        if here[name] != then
    ]
