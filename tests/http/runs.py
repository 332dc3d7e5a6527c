"""Whole runs of the workflow against the test server, as a user starts them, on bundles small enough for a test."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from assay.sheets import read_tsv, write_tsv

PROJECT = Path(__file__).resolve().parents[2]
KEY = "sk-workflow-PLANTED-0123456789"
KEY_NAME = "ASSAY_TEST_KEY"
LANES = ("optimum", "other")
TABLES = "results/tables/summary.tsv"  # a target behind all judging and scoring, without the reports
MODELS = {"big1": "judge-a", "big2": "judge-b"}
LIMITED = {"parameters": {"max_output_tokens": 200}}
# The fault server counts at least 900 input and 120 output tokens for a call.
PRICES = {
    "prices": [
        {
            "models": ["judge-a", "judge-b"],
            "from": "2020-01-01",
            "to": "2999-12-31",
            "input": "1",
            "output": "10",
            "source": "made up for the tests",
            "checked": "2026-12-01",
        }
    ]
}


def bundle(folder: Path, captures: int, answers: Sequence[str] = ()) -> Path:
    """Write a bundle of one-line files: `captures` captures of modes, on two configurations where the number is even.

    `answers` are the texts of the first captures; the others get a line of their own.
    """
    lanes = LANES if captures % 2 == 0 else LANES[:1]
    names = [f"method-{number}" for number in range(captures // len(lanes))]
    place = folder / "bundle"
    for part in ("specs", "prompts", "answers"):
        (place / part).mkdir(parents=True)
    entries, rows = [], []
    for name in names:
        (place / f"specs/{name}.md").write_text(f"Do {name} in three steps.\n")
        (place / f"prompts/{name}.md").write_text(f"Use {name}.\n")
        entry = {"entry": f"mode:{name}", "family": "mode", "name": name, "target": name, "source": ""}
        entries.append({**entry, "spec": f"specs/{name}.md", "prompt": f"prompts/{name}.md"})
        for lane in lanes:
            given = answers[len(rows)] if len(rows) < len(answers) else f"Answer of {lane} by {name}.\n"
            (place / f"answers/{lane}-{name}.md").write_text(given, encoding="utf-8")
            row = {"entry": entry["entry"], "configuration": lane, "accepted": "yes", "reason": "", "visual": ""}
            row |= {"answer": f"answers/{lane}-{name}.md", "model_snapshot": "vendor/m-1", "cost_usd": "0.1"}
            rows.append({**row, "minutes": "1", "notes": ""})
    write_tsv(place / "catalogue.tsv", list(entries[0]), entries)
    write_tsv(place / "captures.tsv", list(rows[0]), rows)
    head = {"id": "tiny", "title": "Tiny", "protocol": "performance", "role_map": "optimum.yaml"}
    head["configurations"] = [{"id": lane, "title": lane, "model_snapshots": ["vendor/m-1"]} for lane in lanes]
    head["expected"] = {"mode": len(names), "visual": 0, "lens": 0, "configurations": len(lanes)}
    write(place / "bundle.yaml", head)
    return folder


def write(path: Path, value: object) -> None:
    """Write JSON, which is YAML, too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")


def configure(folder: Path, address: str, route: str = "openai-chat", **changes: object) -> Path:
    """Write the role map (judge-a and judge-b at a server), the prices and config.yaml; `changes` go into the last."""
    roles = {role: {"model": model, "provider": "test", "route": route} for role, model in MODELS.items()}
    write(folder / "bundle/optimum.yaml", {"configuration": "optimum", "frozen": "2026-05-01", "roles": roles})
    write(folder / "config/prices.yaml", PRICES)
    config = {"bundle": "bundle", "run": "tiny-1", "judges": {role: dict(LIMITED) for role in MODELS}}
    config["providers"] = {"test": {"base_url": f"{address}/v1", "key_env": KEY_NAME}}
    write(folder / "config/config.yaml", {**config, **changes})
    return folder


def make(folder: Path, server, captures: int, **changes: object) -> Path:
    """Make a work directory whose judges are at the test server."""
    return configure(bundle(folder, captures), server.address, **changes)


def change(folder: Path, **changes: object) -> None:
    """Edit config.yaml."""
    path = folder / "config/config.yaml"
    write(path, {**json.loads(path.read_text()), **changes})


def start(folder: Path, *options: str, cores: int = 4, key: str | None = KEY) -> subprocess.Popen:
    """Start the workflow as a user would, as a process group of its own."""
    environ = {name: value for name, value in os.environ.items() if name != KEY_NAME}
    order = ["--snakefile", str(PROJECT / "Snakefile"), "--directory", str(folder), "--cores", str(cores), *options]
    return subprocess.Popen(
        [sys.executable, "-m", "snakemake", *order],
        cwd=PROJECT,
        env=environ if key is None else {**environ, KEY_NAME: key},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def run(folder: Path, *options: str, ends: int = 0, **how: object) -> str:
    """Run the workflow to its end; it must end with the exit code `ends`. Returns everything that a user sees."""
    process = start(folder, *options, **how)
    output = process.communicate(timeout=300)[0]
    assert process.returncode == ends, output[-6000:]
    assert "Traceback" not in output, output
    return output


def tables(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every table."""
    place = folder / "results/tables"
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def unjudged(folder: Path) -> list[dict[str, str]]:
    """Return the rows of unjudged.tsv."""
    return read_tsv(folder / "results/tables/unjudged.tsv")
