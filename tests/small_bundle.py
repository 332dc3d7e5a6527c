"""A small sound bundle for the tests, to be spoiled in one place at a time."""

import base64
from pathlib import Path

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
BUNDLE_YAML = """\
id: small
title: A small bundle
protocol: performance
configurations:
  - id: big
    title: Big
    model_snapshots: [made/big-2026-01-01]
  - id: tiny
    title: Tiny
expected: {mode: 1, visual: 1, lens: 1, configurations: 2}
"""
ROLES = """\
configuration: big
frozen: 2026-01-01
roles:
  big1: {model: coverage-words-1, provider: embedded, route: embedded}
  big2: {model: coverage-paragraphs-1, provider: embedded, route: embedded}
"""
CATALOGUE = """\
entry\tfamily\tname\ttarget\tspec\tprompt
mode:audit\tmode\tAudit\taudit\tspecs/audit.md\tprompts/audit.md
visual:chart\tvisual\tChart\tchart drawing\tspecs/chart.md\tprompts/chart.md
lens:rates\tlens\tRates\thost mode audit\tspecs/rates.md\tprompts/rates.md
"""
CAPTURES = """\
entry\tconfiguration\taccepted\treason\tanswer\tvisual\tmodel_snapshot\tcost_usd\tminutes\tnotes\tprompt
mode:audit\tbig\tyes\t\tanswers/big-audit.md\t\tmade/big-2026-01-01\t0.10\t1.0\t\tprompts/audit.md
visual:chart\tbig\tyes\t\tanswers/big-chart.md\tvisuals/big-chart.svg\tmade/big-2026-01-01\t0.20\t2.0\tseen\t
lens:rates\tbig\tyes\t\tanswers/big-rates.md\t\tmade/big-2026-01-01\t\t3.0\t\t
mode:audit\ttiny\tyes\t\tanswers/tiny-audit.md\t\tmade/tiny\t0.01\t0.1\t\t
visual:chart\ttiny\tyes\t\tanswers/tiny-chart.md\tvisuals/tiny-chart.png\tmade/tiny\t0.02\t0.2\t\t
lens:rates\ttiny\tno\tit timed out\t\t\t\t\t\t\t
"""


def make(work: Path) -> Path:
    """Make a work directory with config/config.yaml and the small bundle in it; return the bundle's folder."""
    bundle = work / "bundle"
    write(work / "config/config.yaml", "bundle: bundle\nrun: small-1\n")
    for name, text in (
        ("bundle.yaml", BUNDLE_YAML),
        ("optimum.yaml", ROLES),
        ("catalogue.tsv", CATALOGUE),
        ("captures.tsv", CAPTURES),
        ("visuals/big-chart.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>\n'),
    ):
        write(bundle / name, text)
    for entry in ("audit", "chart", "rates"):
        write(
            bundle / f"specs/{entry}.md", f"# {entry}\n\n## Required elements\n\n- claims listed\n- evidence weighed\n"
        )
        write(bundle / f"prompts/{entry}.md", f"Run the {entry} on the harbour project.\n")
        write(bundle / f"answers/big-{entry}.md", f"Claims listed for the {entry}, because evidence was weighed.\n")
        write(bundle / f"answers/tiny-{entry}.md", f"The {entry} is a harbour project.\n")
    (bundle / "visuals/tiny-chart.png").write_bytes(PNG)
    return bundle


def write(path: Path, text: str | bytes) -> None:
    """Write a file, and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text that stands in a file exactly once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
    path.write_text(text.replace(old, new), encoding="utf-8")
