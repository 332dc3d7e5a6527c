"""Archives: the same bytes every time, nothing in them that should stay at home, and a valid description."""

import base64
import json
import os
import tarfile
import time
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml
from conftest import snakemake
from tampering import in_json, in_table

from assay.archive.build import build
from assay.archive.contents import METADATA, SUMS
from assay.archive.pack import unpack, write_archive
from assay.archive.verify import verify
from assay.documents import read_yaml
from assay.problems import UserError

KEY = 'sk-planted/Key+0123"456789=='
WITH_KEY = {"providers": {"somewhere": {"base_url": "https://judge.example/v1", "key_env": "PLANTED_KEY"}}}


def archive(folder: Path, output: Path, more: dict | None = None, **environ: str):
    """Archive a work directory in this process."""
    return build(folder, {**read_yaml(folder / "config/config.yaml"), **(more or {})}, output, environ)


def members(file: Path) -> list[tarfile.TarInfo]:
    with tarfile.open(file) as tar:
        return tar.getmembers()


def test_the_same_run_gives_the_same_bytes_though_its_files_were_touched(made, work, tmp_path):
    for path in sorted(work.rglob("*"), reverse=True):
        os.utime(path, (time.time() + 9, time.time() + 9))
        if path.is_file():
            path.chmod(0o600)
    before = os.umask(0o077)
    try:
        archive(work, tmp_path / "again.tar.xz")
    finally:
        os.umask(before)
    assert (tmp_path / "again.tar.xz").read_bytes() == made.file.read_bytes()


def test_the_workflow_archives_again_only_when_the_run_has_changed(made):
    before = made.file.read_bytes(), made.file.stat().st_mtime_ns
    assert snakemake(made.folder, "archive").returncode == 0
    assert (made.file.read_bytes(), made.file.stat().st_mtime_ns) == before


def test_what_passes_while_a_run_works_stays_out_and_changes_nothing(made, work, tmp_path):
    for name in (
        "store/locks/x",
        "store/limits/big1.json",
        "store/stop.json",
        "store/corrupt/y.1.json",
        "results/plan.tsv",
    ):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(f"{time.time()}")
    (work / "bundle/.DS_Store").write_text("x")
    archive(work, tmp_path / "again.tar.xz")
    assert (tmp_path / "again.tar.xz").read_bytes() == made.file.read_bytes()


def test_an_archive_holds_what_it_must_and_nothing_of_this_machine(made):
    found = members(made.file)
    names = {member.name.removeprefix("example-1/") for member in found}
    for name in (
        *("workflow/Snakefile", "workflow/rules/judging.smk", "workflow/scripts/verify.py", "workflow/envs/assay.yaml"),
        *("workflow/schemas/bundle.schema.yaml", "workflow/config/protocols/performance.yaml", "config/config.yaml"),
        *("workflow/envs/requirements.txt", "workflow/profiles/default/config.v8+.yaml", "bundle/captures.tsv"),
        *("bundle/answers/frugal/lens-second-order-effects.md", "results/packets/optimum/mode/causal-dag.json"),
        *("results/verdicts/optimum/mode/causal-dag/big1.json", "results/tables/ledger.tsv", "results/intake.json"),
        *("results/report/methodology.md", SUMS, METADATA, "README.md", "config/prices.yaml"),
    ):
        assert name in names
    parts = {part for name in names for part in Path(name).parts}
    assert not {".snakemake", "logs", "__pycache__", ".git", "tests", "locks", "limits", "archive.tar.xz"} & parts
    assert all((m.uid, m.gid, m.uname, m.gname, m.mtime) == (0, 0, "", "", 315532800) for m in found)
    assert [m.name for m in found] == sorted(m.name for m in found)
    assert made.said.count("SHA-256 of") == 2
    home, work = str(Path.home()).encode(), str(made.folder).encode()
    for path in made.unpacked.rglob("*"):
        if path.is_file():
            assert work not in path.read_bytes()
            assert home == b"/root" or home not in path.read_bytes()


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        base64.b64encode(KEY.encode()).decode(),
        base64.b64encode(f"user:{KEY}".encode()).decode(),
        quote(KEY, safe=""),
        json.dumps(KEY),
        KEY[:6] + "****" + KEY[-4:],
    ],
    ids=["literal", "base64", "base64 of more", "URL", "JSON", "masked"],
)
@pytest.mark.parametrize("name", ["store/doubtful/x.1.json", "bundle/README.md"])
def test_a_planted_key_is_found_in_any_form_and_the_file_is_named_but_not_the_key(name, form, work, tmp_path):
    (work / name).parent.mkdir(exist_ok=True)
    (work / name).write_text(f"note: {form}\n")
    with pytest.raises(UserError, match=name) as error:
        archive(work, tmp_path / "no.tar.xz", PLANTED_KEY=KEY, more=WITH_KEY)
    assert KEY not in str(error.value)
    assert not (tmp_path / "no.tar.xz").exists()


def test_a_key_that_is_not_set_here_is_named_as_not_searched_for(work, tmp_path):
    built = archive(work, tmp_path / "a.tar.xz", WITH_KEY)
    assert any("PLANTED_KEY is not set" in notice for notice in built.notices)
    assert not any("PLANTED_KEY" in notice for notice in archive(work, tmp_path / "b.tar.xz").notices)


def test_a_path_of_this_machine_is_refused_with_the_file_named(work, tmp_path):
    (work / "store/doubtful").mkdir()
    (work / "store/doubtful/x.1.json").write_text(f'"{work}/bundle"')
    with pytest.raises(UserError, match=r"store/doubtful/x\.1\.json: this file holds the path"):
        archive(work, tmp_path / "no.tar.xz")
    (work / "bundle/README.md").write_text(f"Captured in {work}.")
    archive(work, tmp_path / "quoted.tar.xz")


def test_a_bundle_outside_the_work_directory_is_refused(work, tmp_path):
    (work / "bundle").rename(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="results must not depend on where this stands"):
        archive(work, tmp_path / "no.tar.xz", {"bundle": "../elsewhere"})
    assert not verify(work, {**read_yaml(work / "config/config.yaml"), "bundle": str(tmp_path / "elsewhere")}).passed
    (work / "bundle").symlink_to(tmp_path / "elsewhere")
    archive(work, tmp_path / "linked.tar.xz")
    assert verify(unpack(tmp_path / "linked.tar.xz", tmp_path / "u")).passed


def test_a_run_that_does_not_derive_is_not_archived(work, tmp_path):
    in_json("results/verdicts/optimum/mode/causal-dag/big1.json", "impression", to="Fine.")(work)
    with pytest.raises(UserError, match=r"big1\.json is not what the bundle and the exchanges give: impression"):
        archive(work, tmp_path / "no.tar.xz")


def test_a_changed_table_is_not_archived(work, tmp_path):
    in_table("results/tables/ledger.tsv", "mode:causal-dag", "overall", "9")(work)
    with pytest.raises(UserError, match="column overall: '9'"):
        archive(work, tmp_path / "no.tar.xz")


def test_settings_given_on_the_command_line_are_archived_as_they_were_used(work, tmp_path):
    archive(work, tmp_path / "a.tar.xz", {"max_asks": 3})
    config = (unpack(tmp_path / "a.tar.xz", tmp_path / "u") / "config/config.yaml").read_text()
    assert yaml.safe_load(config) == {"bundle": "bundle", "run": "example-1", "max_asks": 3}
    assert verify(tmp_path / "u/example-1").passed


def test_an_archive_with_a_link_or_a_way_out_is_not_unpacked(tmp_path):
    write_archive(tmp_path / "out.tar.xz", "run/../..", {"x": b"1"})
    with pytest.raises(UserError, match="not a plain file inside"):
        unpack(tmp_path / "out.tar.xz", tmp_path / "u")
    with tarfile.open(tmp_path / "link.tar.xz", "w:xz") as tar:
        link = tarfile.TarInfo("run/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with pytest.raises(UserError, match="not a plain file inside"):
        unpack(tmp_path / "link.tar.xz", tmp_path / "v")
    (tmp_path / "text.tar.xz").write_text("no archive")
    with pytest.raises(UserError, match="not an archive"):
        unpack(tmp_path / "text.tar.xz", tmp_path / "w")


def test_the_crate_reads_back_and_names_workflow_run_judges_software_licences_and_sizes(made):
    from rocrate.rocrate import ROCrate

    crate = ROCrate(made.unpacked)
    assert crate.mainEntity.id == "workflow/Snakefile"
    run = crate.get("#run")
    assert run["instrument"] is crate.mainEntity
    results = {entity.id for entity in run["result"]}
    assert {"results/tables/ledger.tsv", "results/report/methodology.md", "results/verdicts/"} <= results
    for judge in ("big1", "big2"):
        assert crate.get(f"#judging-{judge}")["instrument"].id == f"#judge-{judge}"
    assert crate.get("#software-pandas")["softwareVersion"]
    assert crate.root_dataset["license"].id == "https://spdx.org/licenses/CC0-1.0"
    ledger = crate.get("results/tables/ledger.tsv")
    assert ledger["contentSize"] == str((made.unpacked / "results/tables/ledger.tsv").stat().st_size)
    for entity in crate.data_entities:
        assert (made.unpacked / entity.id).exists()


def test_the_crate_is_valid_under_the_validator_of_the_workflow_run_profile(made, issues):
    assert issues(made.unpacked) == []


def test_the_validator_would_find_a_crate_without_its_workflow_invalid(unpacked, issues):
    path = unpacked / METADATA
    crate = json.loads(path.read_text("utf-8"))
    crate["@graph"] = [entity for entity in crate["@graph"] if entity["@id"] != "workflow/Snakefile"]
    path.write_text(json.dumps(crate), "utf-8")
    assert issues(unpacked)
