"""Make a work directory with a performance bundle of the real size: 196 entries x 6 configurations, 1,173 held.

    python tests/bench/make_bundle.py WORKDIR [--captures N] [--route embedded|openai-chat] [--seed S]

Specifications are read from ../shared/ora-specs where it is there; whatever has no text there is generated in the
same form and size, as are all prompts, answers and visuals. One seed always gives the same bytes.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]

from assay.problems import UserError, log, run  # noqa: E402
from assay.sheets import write_tsv  # noqa: E402
from bench.texts import PLAIN, Technique, answer, prompt, specification, titled, visual, vocabulary  # noqa: E402

SPECIFICATIONS = ROOT / "../shared/ora-specs"
FULL_GRID = {"mode": 60, "visual": 21, "lens": 115}
FULL_CAPTURES = 1173
# The reference run holds three captures fewer than 196 x 6: these modes ran on fewer than six lanes.
NOT_HELD = {"passion-exploration": 2, "structured-output": 1}
LANES = ("optimum", "single-large", "mixed-panel", "single-small", "local-large", "local-small")
QUALITY = (0.95, 0.8, 0.7, 0.5, 0.4, 0.15)
BUDGET_USD = 1000  # enough for every call, and yet each one is held against it
PRICE = {
    "from": "2020-01-01",
    "to": "2999-12-31",
    "input": "1",
    "output": "10",
    "source": "made up for the bench",
    "checked": "2026-12-01",
}
JUDGES = {
    "embedded": ("coverage-words-1", "coverage-paragraphs-1"),
    "openai-chat": ("bench-judge-a", "bench-judge-b"),
}


def real_techniques(folder: Path) -> dict[str, list[Technique]]:
    """Read what `folder` (ora-specs) offers, by family, shared ids resolved; lenses mostly without their text."""
    modes = []
    for path in sorted((folder / "modes").glob("*.md")):
        source = f"ora-specs/modes/{path.name}"
        modes.append(Technique("mode", path.stem, titled(path.stem), path.stem, source, path.read_text("utf-8")))
    visuals = []
    for path in sorted((folder / "visuals/specs").glob("*.json")):
        example = (folder / f"visuals/examples/{path.stem}.valid.json").read_text("utf-8")
        text = f"## Schema\n\n```json\n{path.read_text('utf-8')}```\n\n## Example\n\n```json\n{example}```\n"
        name = {"fishbone": "fishbone-diagram"}.get(path.stem, path.stem.replace("_", "-"))
        source = f"ora-specs/visuals/specs/{path.name}"
        visuals.append(Technique("visual", name, titled(name), path.stem, source, text, vocabulary(text)))
    taken = {technique.id for technique in modes}
    visuals = [technique for technique in visuals if technique.id not in taken]
    taken |= {technique.id for technique in visuals}
    lenses = [technique for technique in _real_lenses(folder / "lenses") if technique.id not in taken]
    return {"mode": modes, "visual": visuals, "lens": lenses}


def _real_lenses(folder: Path) -> Iterable[Technique]:
    hosts = json.loads((folder / "lens-ids-referenced-by-modes-2026-05-04.json").read_text("utf-8"))
    listed = json.loads((folder / "legacy-100-lenses-2026-05-01.json").read_text("utf-8"))
    said = {lens["lens_id"]: " ".join([*lens["topics"], lens["core_principle_first_sentence"]]) for lens in listed}
    for sheet in ("non-legacy-lenses-index-2026-06-17.tsv", "drift-repair-lenses-2026-06-17.tsv"):
        for line in (folder / sheet).read_text("utf-8").splitlines():
            lens, _, text = line.partition("\t")
            said.setdefault(lens, text)
    for lens, text in said.items():
        host = hosts.get(lens, [{"mode": "any mode"}])[0]["mode"]
        path = folder / f"{lens}.md"
        whole = path.read_text("utf-8") if path.is_file() else ""
        source = f"ora-specs/lenses/{path.name}" if whole else "generated"
        yield Technique("lens", lens, titled(lens), host, source, whole, vocabulary(f"{titled(lens)} {text}"))


def techniques(counts: Mapping[str, int], folder: Path, seed: int) -> list[Technique]:
    """Return as many techniques of each family as `counts` says, all with a specification."""
    if folder.is_dir():
        known = real_techniques(folder)
    else:
        log(f"{folder} is absent: all specifications are generated")
        modes = [Technique("mode", name, titled(name), name) for name in ("causal-dag", *NOT_HELD)]
        known = {"mode": modes, "visual": [Technique("visual", "fishbone-diagram", "Fishbone Diagram", "fishbone")]}
    made = []
    for family, count in counts.items():
        found = known.get(family, [])[:count]
        for number in range(len(found) + 1, count + 1):
            name = f"bench-{family}-{number}"
            found.append(Technique(family, name, titled(name), name))
        made += [_with_text(technique, random.Random(f"{seed}/{family}:{technique.id}")) for technique in found]
    return made


def _with_text(technique: Technique, rng: random.Random) -> Technique:
    whole = technique.text and technique.family != "visual"
    technique = replace(technique, words=technique.words or (*vocabulary(technique.name), *rng.sample(PLAIN, 12)))
    text = technique.text if whole else specification(technique, rng)
    return replace(technique, text=text, words=vocabulary(text))


def shape(captures: int) -> tuple[dict[str, int], list[str]]:
    """Return entries by family and the configurations of a grid that holds `captures` and at most a lane more."""
    if captures == FULL_CAPTURES:
        return dict(FULL_GRID), list(LANES)
    lanes = [*LANES, *(f"lane-{n}" for n in range(7, 13))] if captures >= 2 * FULL_CAPTURES else list(LANES)
    entries = -(-captures // len(lanes))
    counts = {family: entries * number // sum(FULL_GRID.values()) for family, number in FULL_GRID.items()}
    return {**counts, "mode": entries - counts["visual"] - counts["lens"]}, lanes


def held(made: Sequence[Technique], lanes: Sequence[str], captures: int) -> list[tuple[Technique, int]]:
    """Return exactly `captures` cells as (technique, lane number); those left out are in the last lanes."""
    missing = NOT_HELD if captures == FULL_CAPTURES else {made[-1].id: len(made) * len(lanes) - captures}
    return [(one, lane) for one in made for lane in range(len(lanes) - missing.get(one.id, 0))]


def make_bundle(
    workdir: Path,
    captures: int = FULL_CAPTURES,
    route: str = "embedded",
    seed: int = 1,
    base_url: str = "http://127.0.0.1:8000/v1",
    specifications: Path = SPECIFICATIONS,
) -> dict[str, int]:
    """Write config/ and bundle/ into `workdir`; return the numbers of entries, configurations and captures.

    `base_url` is where the judges of a route that is no embedded one answer; their key is in ASSAY_BENCH_KEY.
    Raises UserError if `workdir` has a bundle or a config already, or `captures` is less than 1.
    """
    if captures < 1:
        raise UserError(f"--captures {captures}: expected 1 or more")
    for name in ("bundle", "config"):
        if (workdir / name).exists():
            raise UserError(f"{workdir / name} exists already: name a new work directory")
    counts, lanes = shape(captures)
    made = techniques(counts, specifications.resolve(), seed)
    cells = held(made, lanes, captures)
    _write_heads(workdir, counts, lanes, route, seed, base_url)
    cases = _write_catalogue(workdir / "bundle", made, seed)
    _write_captures(workdir / "bundle", cells, lanes, cases, seed)
    return {"entries": len(made), "configurations": len(lanes), "captures": len(cells)}


def _put(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return name


def _write_heads(
    workdir: Path, counts: Mapping[str, int], lanes: Sequence[str], route: str, seed: int, base_url: str
) -> None:
    """Write the three YAML files. JSON is YAML, and needs no library."""
    judges = zip(("big1", "big2"), JUDGES[route], strict=True)
    config = {"bundle": "bundle", "run": "bench-1", "seed": seed}
    if route != "embedded":
        config["providers"] = {"bench": {"base_url": base_url, "key_env": "ASSAY_BENCH_KEY"}}
        config["budget_usd"] = BUDGET_USD
        config["judges"] = {judge: {"parameters": {"max_output_tokens": 2000}} for judge in ("big1", "big2")}
        prices = {"prices": [{"models": list(JUDGES[route]), **PRICE}]}
        _put(workdir, "config/prices.yaml", json.dumps(prices, indent=2) + "\n")
    bundle = {
        "id": "bench",
        "title": "Generated grid",
        "protocol": "performance",
        "configurations": [{"id": lane, "title": titled(lane), "model_snapshots": [_model(lane)]} for lane in lanes],
        "expected": {**counts, "configurations": len(lanes)},
        "role_map": "optimum.yaml",
    }
    roles = {role: {"model": model, "provider": "bench", "route": route} for role, model in judges}
    role_map = {"configuration": "optimum", "frozen": "2026-05-01", "roles": roles}
    for name, value in (
        ("config/config.yaml", config),
        ("bundle/bundle.yaml", bundle),
        ("bundle/optimum.yaml", role_map),
    ):
        _put(workdir, name, json.dumps(value, indent=2) + "\n")


def _model(lane: str) -> str:
    return f"bench/{lane}-2026-01-01"


def _write_catalogue(bundle: Path, made: Sequence[Technique], seed: int) -> dict[str, list[str]]:
    rows, cases = [], {}
    for one in made:
        key = f"{one.family}:{one.id}"
        text, cases[key] = prompt(one, random.Random(f"{seed}/prompt/{key}"))
        row = {"entry": key, "family": one.family, "name": one.name, "target": one.target, "source": one.source}
        row["spec"] = _put(bundle, f"specs/{one.family}/{one.id}.md", one.text)
        row["prompt"] = _put(bundle, f"prompts/{one.family}/{one.id}.md", text)
        rows.append(row)
    write_tsv(bundle / "catalogue.tsv", ("entry", "family", "name", "target", "spec", "prompt", "source"), rows)
    return cases


def _write_captures(
    bundle: Path,
    cells: Sequence[tuple[Technique, int]],
    lanes: Sequence[str],
    cases: Mapping[str, list[str]],
    seed: int,
) -> None:
    columns = ("entry", "configuration", "accepted", "reason", "answer", "visual", "model_snapshot", "cost_usd")
    columns += ("minutes", "notes")
    rows = []
    for one, lane in cells:
        key, place = f"{one.family}:{one.id}", f"{lanes[lane]}/{one.family}/{one.id}"
        rng = random.Random(f"{seed}/answer/{key}/{lanes[lane]}")
        quality = min(1.0, max(0.0, QUALITY[lane % len(QUALITY)] + rng.uniform(-0.25, 0.2)))
        row = dict.fromkeys(columns, "")
        row |= {"entry": key, "configuration": lanes[lane], "accepted": "yes", "model_snapshot": _model(lanes[lane])}
        row["answer"] = _put(bundle, f"answers/{place}.md", answer(one, cases[key], quality, rng))
        if one.family == "visual" and rng.random() < 0.9:
            ending, text = visual(one, rng)
            row["visual"] = _put(bundle, f"visuals/{place}.{ending}", text)
        row["cost_usd"] = f"0.{rng.randint(1, 999_999):06d}"
        row["minutes"] = f"{rng.randint(0, 19)}.{rng.randint(1, 99):02d}"
        row["notes"] = "accepted at the first attempt"
        rows.append(row)
    write_tsv(bundle / "captures.tsv", columns, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the work directory that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workdir", type=Path, help="work directory to make")
    parser.add_argument("--captures", type=int, default=FULL_CAPTURES, help="captures that are held (default: 1173)")
    parser.add_argument("--route", choices=sorted(JUDGES), default="embedded", help="route of both judges")
    parser.add_argument("--base-url", default="http://127.0.0.1:8000/v1", help="where the judges of openai-chat answer")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    made = make_bundle(given.workdir, given.captures, given.route, given.seed, given.base_url)
    log(f"{given.workdir}: " + ", ".join(f"{number} {what}" for what, number in made.items()))


if __name__ == "__main__":
    run(main)
