"""Other ways to have the software: envs/assay.yaml for conda, and one pod on Kubernetes. Neither is needed here."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import small_bundle

PROJECT = Path(__file__).resolve().parents[2]
ELSEWHERE = {"matplotlib": "matplotlib-base"}  # named otherwise by conda-forge
CONDA = """\
#!/bin/sh
# Answers as conda does where Snakemake asks; an environment is this Python under a name of its own.
case "$*" in
    "info --json") echo '{{"conda_prefix": "{prefix}", "platform": "linux-64"}}' ;;
    "--version") echo "conda 24.9.2" ;;
    "config --get channel_priority --json") echo '{{"get": {{"channel_priority": "strict"}}}}' ;;
    "env create "*)
        while [ "$1" != "--prefix" ]; do shift; done
        mkdir -p "$2/bin"
        printf '#!/bin/sh\\necho "$@" >> {prefix}/used\\nexec {python} "$@"\\n' > "$2/bin/python"
        chmod +x "$2/bin/python"
        ;;
    "clean "*) ;;
    *) echo "what is conda $*?" >&2; exit 1 ;;
esac
"""


def run(work: Path, *options: str, **environ: str) -> str:
    """Run Snakemake in a work directory, without a variable of this conda, if there is one."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("CONDA")}
    order = [sys.executable, "-m", "snakemake", "--snakefile", str(PROJECT / "Snakefile"), "--directory", str(work)]
    done = subprocess.run(
        [*order, *options], cwd=PROJECT, env={**given, **environ}, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.fixture
def conda(tmp_path) -> Path:
    """Return the folder of a stand-in for conda."""
    prefix = tmp_path / "conda"
    small_bundle.write(prefix / "bin/conda", CONDA.format(prefix=prefix, python=sys.executable))
    small_bundle.write(prefix / "bin/activate", 'export PATH="$1/bin:$PATH"\n')
    (prefix / "bin/conda").chmod(0o755)
    return prefix


def test_with_conda_the_jobs_run_in_the_environment_of_assay_yaml(conda, tmp_path):
    work = tmp_path / "work"
    small_bundle.make(work)
    path = f"{conda}/bin:{os.environ['PATH']}"
    text = run(work, "--cores", "2", "--software-deployment-method", "conda", "--conda-frontend", "conda", PATH=path)
    used = (conda / "used").read_text().splitlines()
    scripts = {word for line in used for word in re.findall(r"\w+", line)}
    assert {"intake", "panel", "packet", "judge_check", "judge", "average", "cap", "classify", "report"} <= scripts
    total = int(re.search(r"^total +(\d+)", text, re.MULTILINE)[1])
    assert len(used) == total - 1  # all but the rule that only names the reports


def test_assay_yaml_holds_what_requirements_in_does_in_the_same_versions():
    lines = (PROJECT / "envs/requirements.in").read_text().splitlines()
    wanted = {line.split("==")[0] for line in lines if line and not line.startswith(("#", "-"))} - {"snakemake"}
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (PROJECT / "envs/requirements.txt").read_text(), re.MULTILINE))
    listed = yaml.safe_load((PROJECT / "envs/assay.yaml").read_text())["dependencies"]
    versions = dict(item.split(" =") for item in listed)
    assert set(versions) - {"python"} == {ELSEWHERE.get(name, name) for name in wanted}
    for name in wanted - {"numpy"}:  # numpy is pinned for each Python
        assert f"{pinned[name]}.".startswith(f"{versions[ELSEWHERE.get(name, name)]}."), name


def test_the_pod_of_kubernetes_starts_what_stands_in_its_manifest(tmp_path):
    manifest = yaml.safe_load((PROJECT / "profiles/kubernetes/job.yaml").read_text())
    (container,) = manifest["spec"]["template"]["spec"]["containers"]
    program, *options = container["command"]
    assert program == "assay/assay"
    place = options.index("my-run")
    small_bundle.make(tmp_path / "my-run")
    given = [*options[: place - 1], *options[place + 1 :], "--dry-run"]
    assert "profiles/kubernetes" in run(tmp_path / "my-run", *given)
    assert "env" not in container  # keys come from a secret, by name


@pytest.mark.parametrize("name", ["slurm", "kubernetes"])
def test_the_profiles_for_elsewhere_keep_what_the_default_one_sets(name):
    default, other = (
        yaml.safe_load((PROJECT / f"profiles/{profile}/config.v8+.yaml").read_text()) for profile in ("default", name)
    )
    expected = {key: value for key, value in default.items() if key not in ("latency-wait", "resources")}
    assert {key: other[key] for key in expected} == expected


def test_setup_refuses_what_it_does_not_know():
    done = subprocess.run([shutil.which("sh"), PROJECT / "envs/setup.sh", "clutser"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr
