"""What all rules share: the run, read once per invocation, and the functions that answer the rules' questions."""

import json
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

SCRIPTS = Path(workflow.basedir) / "scripts"
sys.path.insert(0, str(SCRIPTS))

from assay.archive.software import present_versions
from assay.bundle.read import ID
from assay.canonical import canonical, loads
from assay.problems import UserError
from assay.judging import STORE, packet_question
from assay.packet import build_packet
from assay.planning import verdict_state
from assay.protocol import formula, rubric
from assay.run import open_run
from assay.store import Store


wildcard_constraints:
    configuration=ID,
    family=ID,
    id=ID,
    judge="[a-z0-9][a-z0-9_-]*",


# Jobs find this Python and the scripts through the environment, so that no path of this machine is in a command.
# A prefix replaces Snakemake's own, with which a failing part of a pipe fails the job.
shell.prefix(
    "set -euo pipefail; "
    f'export PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH" SCRIPTS={shlex.quote(str(SCRIPTS))}; '
)

# `snakemake diff --config other=PATH` names the run to compare with; it is no part of this run.
OTHER = config.pop("other", "")

CONFIG = canonical(loads(json.dumps(config)))

try:
    RUN = open_run(loads(CONFIG), check_files=workflow.is_main_process)
except UserError as error:
    raise WorkflowError(str(error)) from None

CAPTURES = {(c.configuration, *c.entry.split(":")): c for c in RUN.set.scored}
JUDGES = {judge.id: judge for judge in RUN.judges}
CRITERIA = RUN.criteria


def capture_of(wildcards):
    """Return the capture that a path's wildcards name."""
    try:
        return CAPTURES[wildcards.configuration, wildcards.family, wildcards.id]
    except KeyError:
        raise WorkflowError(
            f"{wildcards.family}:{wildcards.id} by {wildcards.configuration} is not among the captures to judge; "
            "results/intake.json says why"
        ) from None


def judge_of(wildcards):
    """Return the judge that a path's wildcards name."""
    if wildcards.judge not in JUDGES:
        raise WorkflowError(f"{wildcards.judge} is no judge of this panel: {', '.join(JUDGES)}")
    return JUDGES[wildcards.judge]


def capture_paths(pattern):
    """Return the pattern's path for every capture to judge, in the order of the ledger."""
    return [pattern.format(configuration=c, family=f, id=i) for c, f, i in CAPTURES]


def stored_state(capture, judge):
    """Say what judging a capture would do: replay what is stored, or buy. Builds the packet in memory."""
    texts = {what: Path(path).read_bytes() for what, path in RUN.files(capture).items()}
    visual = (Path(RUN.files(capture)["visual"]).name, texts["visual"]) if "visual" in texts else None
    shown = [texts[what].decode("utf-8") for what in ("prompt", "specification", "answer")]
    packet = build_packet(loads(RUN.card(capture)), rubric(RUN.protocol), *shown, visual)
    return verdict_state(judge.identity(), packet_question(packet, judge.id), Store(STORE), RUN.config["max_asks"])


def bundle_files(wildcards):
    """Return every file that intake checks: the sheets, the role map, and what the scored captures name."""
    sheets = ["bundle.yaml", "catalogue.tsv", "captures.tsv", RUN.bundle.role_map]
    named = {path for capture in RUN.set.scored for path in RUN.files(capture).values()}
    return [str(RUN.bundle.folder / sheet) for sheet in sheets] + sorted(named)


def card(wildcards):
    """Return what the sheets say of a capture: the packet is built again when this text changes."""
    return RUN.card(capture_of(wildcards))


def capture_file(what):
    """Return the input function for one kind of file of a capture; no file where the capture has none."""
    return lambda wildcards: RUN.files(capture_of(wildcards)).get(what, [])


def to_do(wildcards, input):
    """Say in a dry run whether a verdict is stored already. Not a reason to judge again: it depends on `input`."""
    return stored_state(capture_of(wildcards), judge_of(wildcards)) if workflow.dryrun else "judging"


def other_run(wildcards):
    """Return the run that `snakemake diff` compares with."""
    if not OTHER:
        raise WorkflowError("Name the run to compare with: snakemake diff --config other=PATH")
    return OTHER
