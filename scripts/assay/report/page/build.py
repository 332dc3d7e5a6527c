"""The report's HTML: templates that write every text as text, under a policy that runs no script but the page's own."""

import base64
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from assay.report.figures.drawing import LINK, SVG
from assay.report.figures.judges import REPORT
from assay.report.figures.palette import style

TEMPLATES = Path(__file__).parents[1] / "templates"


def environment() -> Environment:
    """Return the templates; everything that is not a template's own text is escaped."""
    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printable,
    )
    return found


def _printable(value: object) -> object:
    """Replace what HTML cannot hold (NUL, halves of surrogate pairs) by the replacement character."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return re.sub(r"[\x00\ud800-\udfff]", "\ufffd", value)
    return value


def stylesheet() -> str:
    """Return the style rules of the report and of a capture's own page."""
    return (TEMPLATES / "style.css").read_text("utf-8")


def with_pictures(rules: str) -> str:
    """Return the style rules with those of the pictures; on paper they are always light."""
    return f"{rules}{style(dark=False)}@media screen and (prefers-color-scheme: dark){{{style(dark=True)}}}"


def script() -> str:
    return (TEMPLATES / "script.js").read_text("utf-8")


def head(rules: str, code: str = "") -> dict[str, str]:
    """Return what a page's head needs: its style rules, its script, and the policy that lets in nothing but these.

    No network, frame or form; scripts and styles only by the hash of the page's own; pictures only from the page.
    """
    scripts = _hash(code) if code else "'none'"
    parts = ["default-src 'none'", f"script-src {scripts}", f"style-src {_hash(rules)}", "img-src data:"]
    policy = "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])
    return {"style": Markup(rules), "script": Markup(code), "policy": policy}


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def inlined(svg: str, addresses: Mapping[str, str]) -> Markup:
    """Return a picture as part of the page: coloured by the page's rules, its links leading to `addresses`.

    `addresses` maps the place of a capture (`configuration/family/id`) to its address.
    """
    root = ElementTree.fromstring(svg)
    for child in root.findall(f"{{{SVG}}}style"):
        root.remove(child)
    for name in ("width", "height", "version", "font-family"):
        root.attrib.pop(name, None)
    for link in root.iter(f"{{{SVG}}}a"):
        link.set("href", addresses[link.get("href").removeprefix(REPORT)])
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", LINK)
    return Markup(ElementTree.tostring(root, encoding="unicode"))
