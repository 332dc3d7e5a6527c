"""What all rules share: the run, read once per invocation, and the functions that answer the rules' questions."""

import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from assay.bundle.read import ID
from assay.buying.stop import clear_stop
from assay.canonical import canonical, loads, sha256
from assay.problems import UserError, log
from assay.judging import STORE, packet_question
from assay.planning import verdict_state
from assay.protocols import packet_place
from assay.run import exact_config, open_run, panel_document
from assay.store import Store


wildcard_constraints:
    configuration=ID,
    family=ID,
    id=ID,
    judge="[a-z0-9][a-z0-9_-]*",
    view="[a-z]+",


try:
    RUN = open_run(exact_config(config), check_files=workflow.is_main_process)
except UserError as error:
    log(f"error: {error}")
    sys.exit(1)

PANEL = canonical(panel_document(RUN))

# Jobs find this Python, the scripts, the panel and the protocol through the environment: so no path of this machine is
# in a command, and a new budget or limit is no reason to judge again.
ENVIRONMENT = {"SCRIPTS": str(SCRIPTS), "ASSAY_PANEL": PANEL, "ASSAY_PROTOCOL": canonical(RUN.protocol)}
EXPORTS = " ".join(f"{name}={shlex.quote(value)}" for name, value in ENVIRONMENT.items())
PREFIX = f'export PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH" {EXPORTS}; '
shell.prefix(PREFIX.replace("{", "{{").replace("}", "}}"))

CAPTURES = {(c.configuration, *c.entry.split(":")): c for c in RUN.set.scored}
JUDGES = {judge.id: judge for judge in RUN.judges}
FORMULA = RUN.kind.formula(RUN.protocol)


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


def packet_paths():
    """Return the paths of all packets: one for each capture, or one for each judge of it that sees its own part."""
    return [f"results/packets/{packet_place(c, f, i, view)}" for c, f, i in CAPTURES for view in RUN.views]


def packet_of(wildcards):
    """Return the packet that a judge is shown of a capture."""
    c, f, i = wildcards.configuration, wildcards.family, wildcards.id
    return f"results/packets/{packet_place(c, f, i, judge_of(wildcards).view)}"


def stored_state(capture, judge, round=1):
    """Say what judging a capture would do: replay what is stored, or buy. Builds the packet in memory."""
    question = packet_question(RUN.kind.packet(RUN, capture, judge.view), judge.id, round)
    return verdict_state(judge.identity(), question, Store(STORE), RUN.config["max_asks"])


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


def to_do(wildcards, input, round=1):
    """Say in a dry run whether a verdict is stored already. Not a reason to judge again: it depends on `input`."""
    return stored_state(capture_of(wildcards), judge_of(wildcards), round) if workflow.dryrun else "judging"


def captions():
    """Return every caption of report/ by the name of its picture or table, as JSON."""
    files = sorted((Path(workflow.basedir) / "report").glob("*.rst"))
    return canonical({file.stem: " ".join(file.read_text("utf-8").split()) for file in files})
