"""The bench bundles have the size and form that they claim, and one seed gives one bundle."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from assay.documents import read_yaml
from assay.embedded import baseline
from assay.problems import UserError
from assay.run import open_run
from assay.sheets import read_tsv
from bench import make_bundle as bench

SHARED = (Path(__file__).parents[2] / "../shared/ora-specs").resolve()
NO_SPECIFICATIONS = Path("no-such-folder")


def files(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check_grid(workdir: Path, captures: int) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Check that the sheets, the counts and the files fit together; return catalogue and captures."""
    bundle = workdir / "bundle"
    document = yaml.safe_load((bundle / "bundle.yaml").read_text())
    catalogue, held = read_tsv(bundle / "catalogue.tsv"), read_tsv(bundle / "captures.tsv")
    expected = document["expected"]
    families = Counter(cells["family"] for cells in catalogue)
    assert {family: families[family] for family in ("mode", "visual", "lens")} | {
        "configurations": len(document["configurations"])
    } == expected
    assert len(held) == captures == len({(cells["entry"], cells["configuration"]) for cells in held})
    ids = [cells["entry"].partition(":")[2] for cells in catalogue]
    assert len(set(ids)) == len(ids) and all(re.fullmatch("[a-z0-9][a-z0-9-]*", name) for name in ids)
    snapshots = {lane["id"]: lane["model_snapshots"] for lane in document["configurations"]}
    assert all(cells["model_snapshot"] in snapshots[cells["configuration"]] for cells in held)
    named = [cells[column] for cells in catalogue for column in ("spec", "prompt")]
    named += [cells[column] for cells in held for column in ("answer", "visual") if cells[column]]
    assert all((bundle / name).stat().st_size for name in named)
    return catalogue, held


def test_full_grid_from_the_real_specifications(tmp_path):
    if not SHARED.is_dir():
        pytest.skip(f"NOT TESTED: the real specifications are absent ({SHARED})")
    bench.main([str(tmp_path)])
    catalogue, held = check_grid(tmp_path, 1173)
    assert Counter(cells["family"] for cells in catalogue) == {"mode": 60, "visual": 21, "lens": 115}
    entries = {cells["entry"]: cells for cells in catalogue}
    assert {"mode:causal-dag", "visual:fishbone-diagram"} <= set(entries)
    assert not {"visual:causal-dag", "lens:fishbone-diagram"} & set(entries)
    lanes = Counter(cells["entry"] for cells in held)
    assert {entry: count for entry, count in lanes.items() if count != 6} == {
        "mode:passion-exploration": 4,
        "mode:structured-output": 5,
    }
    for name in ("modes/argument-audit.md", "modes/wicked-problems.md", "lenses/hanlons-razor.md"):
        family, _, file = name.partition("s/") if name.startswith("mode") else ("lens", "", name.partition("/")[2])
        spec = tmp_path / "bundle" / entries[f"{family}:{Path(file).stem}"]["spec"]
        assert spec.read_bytes() == (SHARED / name).read_bytes()


@pytest.mark.parametrize("route", ["embedded", "openai-chat"])
def test_bundle_passes_intake(tmp_path, monkeypatch, route):
    bench.make_bundle(tmp_path, captures=40, route=route, specifications=NO_SPECIFICATIONS)
    monkeypatch.chdir(tmp_path)
    found = open_run(read_yaml(Path("config/config.yaml"))).set
    assert (len(found.scored), found.aside, len(found.missing)) == (40, (), 2)


def test_texts_have_real_sizes(tmp_path):
    bench.make_bundle(tmp_path, captures=300, specifications=NO_SPECIFICATIONS)
    catalogue, held = check_grid(tmp_path, 300)
    bundle = tmp_path / "bundle"
    size = {name: (bundle / name).stat().st_size for cells in catalogue for name in (cells["spec"], cells["prompt"])}
    assert all(8_000 <= size[cells["spec"]] <= 20_000 for cells in catalogue)
    assert all(500 <= size[cells["prompt"]] <= 2_000 for cells in catalogue)
    answers = [(bundle / cells["answer"]).read_bytes() for cells in held]
    assert all(2_000 <= len(answer) <= 12_000 for answer in answers)
    assert len(set(answers)) == len(answers)
    assert {Path(cells["visual"]).suffix for cells in held} == {"", ".svg", ".mmd"}
    assert all(float(cells["cost_usd"]) > 0 and float(cells["minutes"]) > 0 for cells in held)


def test_one_seed_gives_one_bundle_and_another_seed_another(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        bench.make_bundle(tmp_path / name, captures=40, seed=seed, specifications=NO_SPECIFICATIONS)
    one, same, other = (files(tmp_path / name) for name in "abc")
    assert one == same
    assert set(one) == set(other) and one != other


def test_without_the_real_specifications_it_says_so_and_keeps_the_full_grid(tmp_path, capsys):
    bench.make_bundle(tmp_path, specifications=NO_SPECIFICATIONS)
    assert "no-such-folder is absent: all specifications are generated" in capsys.readouterr().err
    _, held = check_grid(tmp_path, 1173)
    lanes = Counter(cells["entry"] for cells in held)
    assert (lanes["mode:passion-exploration"], lanes["mode:structured-output"]) == (4, 5)


@pytest.mark.parametrize(("captures", "lanes"), [(1, 6), (7, 6), (1_000, 6), (3_000, 12), (10_000, 12)])
def test_larger_grids_hold_exactly_what_was_asked(captures, lanes):
    counts, configurations = bench.shape(captures)
    made = [bench.Technique(family, f"{family}-{n}", "", "") for family, count in counts.items() for n in range(count)]
    cells = bench.held(made, configurations, captures)
    assert len(configurations) == lanes
    assert len(cells) == len({(one.id, lane) for one, lane in cells}) == captures
    assert {one.id for one, _ in cells} == {one.id for one in made}


def test_answers_of_better_lanes_cover_more_of_the_specification(tmp_path):
    bench.make_bundle(tmp_path, captures=120, specifications=NO_SPECIFICATIONS)
    catalogue, held = check_grid(tmp_path, 120)
    texts = {cells["entry"]: cells for cells in catalogue}
    scores: dict[str, list[float]] = {}
    for cells in held:
        spec, prompt = ((tmp_path / "bundle" / texts[cells["entry"]][what]).read_text() for what in ("spec", "prompt"))
        answer = (tmp_path / "bundle" / cells["answer"]).read_text()
        found = baseline("coverage-paragraphs-1", spec, prompt, answer)["scores"]["fidelity"]
        scores.setdefault(cells["configuration"], []).append(float(found))
    mean = {lane: round(sum(values) / len(values), 2) for lane, values in scores.items()}
    assert mean["optimum"] > mean["single-small"] > mean["local-small"]
    assert len({value for values in scores.values() for value in values}) > 20


@pytest.mark.parametrize("route", ["embedded", "openai-chat"])
def test_routes_make_two_different_judges(tmp_path, route):
    bench.make_bundle(
        tmp_path, captures=6, route=route, base_url="http://127.0.0.1:9/v1", specifications=NO_SPECIFICATIONS
    )
    roles = yaml.safe_load((tmp_path / "bundle/optimum.yaml").read_text())["roles"]
    config = yaml.safe_load((tmp_path / "config/config.yaml").read_text())
    assert {role["route"] for role in roles.values()} == {route}
    assert roles["big1"]["model"] != roles["big2"]["model"]
    assert [provider["base_url"] for provider in config.get("providers", {}).values()] == (
        [] if route == "embedded" else ["http://127.0.0.1:9/v1"]
    )


def test_bundle_that_is_there_already_is_refused(tmp_path):
    (tmp_path / "bundle").mkdir()
    with pytest.raises(UserError, match="exists already"):
        bench.make_bundle(tmp_path)
    with pytest.raises(UserError, match="--captures 0"):
        bench.make_bundle(tmp_path / "other", captures=0)
    assert files(tmp_path) == {}
