"""What all rules share: the run, read once per invocation, and the functions that answer the rules' questions."""

import inspect
import os
import shlex
import signal
import sys
import time
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod

from assay.archive.software import present_versions
from assay.bundle.read import ID
from assay.buying.preflight import obstacle
from assay.buying.stop import clear_stop, end_run, reason
from assay.canonical import canonical, loads, sha256
from assay.files import write_text
from assay.fork_server import ForkServer
from assay.missing import failure, missing, summary
from assay.problems import UserError, log
from assay.judging import STORE, check_question, packet_question
from assay.planning import verdict_state
from assay.progress import Progress, Watch, is_no_verdict
from assay.protocols import packet_place
from assay.routes import EMBEDDED
from assay.run import exact_config, open_run, panel_document
from assay.scheduling import steady
from assay.store import Store


wildcard_constraints:
    configuration=ID,
    family=ID,
    id=ID,
    judge="[a-z0-9][a-z0-9_-]*",
    view="[a-z]+",


# `snakemake diff --config other=PATH` names the run to compare with; it is no part of this run.
OTHER = config.pop("other", "")

try:
    CONFIG = exact_config(config)
    RUN = open_run(CONFIG, check_files=workflow.is_main_process)
except UserError as error:
    log(f"error: {error}")
    sys.exit(1)

PANEL = canonical(panel_document(RUN))

# Jobs find this Python, the scripts, the panel and the protocol through the environment: so no path of this machine is
# in a command, and a new budget or limit is no reason to judge again.
ENVIRONMENT = {"SCRIPTS": str(SCRIPTS), "ASSAY_PANEL": PANEL, "ASSAY_PROTOCOL": canonical(RUN.protocol)}
EXPORTS = " ".join(f"{name}={shlex.quote(value)}" for name, value in ENVIRONMENT.items())
PYTHON = f'PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH"'
if DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method:
    PYTHON = ""  # the environment of envs/assay.yaml comes first in PATH already, and its Python is the one to use
# A prefix replaces Snakemake's own, with which a failing part of a pipe fails its job.
PREFIX = f"set -euo pipefail; export {PYTHON} {EXPORTS}; "
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


def verdict_paths():
    """Return the path of every verdict of the run, in the order of the ledger."""
    pattern = "results/verdicts/{configuration}/{family}/{id}/{{judge}}.json"
    return [path.format(judge=judge) for path in capture_paths(pattern) for judge in JUDGES]


def per_job(function):
    """Return a function that answers for every job, with its signature attached: Snakemake asks for it each time."""
    function.__signature__ = inspect.signature(function)
    return function


def calls_to(judge):
    """Return how many calls to `judge` a job makes at once: the profile limits their number for each judge."""
    return per_job(lambda wildcards: int(wildcards.judge == judge))


# One resource for each judge: calls_big1, calls_big2, ...
CALLS = {f"calls_{judge.replace('-', '_')}": calls_to(judge) for judge in JUDGES}


def everything():
    """Say whether this start is asked for the whole run, and not for something of its own such as `plan`."""
    return not set(workflow.dag_settings.targets) - {"all"}


def all_verdicts(wildcards):
    """Return every verdict of the run. What could not be judged in a partial run is tried again at every start.

    Two ways, since Snakemake overlooks a missing file whose tables are there, and a forced one behind another job.
    """
    if workflow.is_main_process and everything():
        for path in filter(is_no_verdict, verdict_paths()):
            workflow.dag.forcefiles.add(path)
            if not workflow.dryrun:
                os.unlink(path)
    return verdict_paths()


def packet_paths():
    """Return the paths of all packets: one for each capture, or one for each judge of it that sees its own part."""
    return [f"results/packets/{packet_place(c, f, i, view)}" for c, f, i in CAPTURES for view in RUN.views]


@per_job
def packet_of(wildcards):
    """Return the packet that a judge is shown of a capture."""
    c, f, i = wildcards.configuration, wildcards.family, wildcards.id
    return f"results/packets/{packet_place(c, f, i, judge_of(wildcards).view)}"


@cache
def stored_states(capture, view, round):
    """Say for each judge that is shown the same of a capture what judging it would do. Builds the packet in memory."""
    packet, store, most = RUN.kind.packet(RUN, capture, view), Store(STORE), RUN.config["max_asks"]
    return {
        judge.id: verdict_state(judge.identity(), packet_question(packet, judge.id, round), store, most)
        for judge in RUN.judges
        if judge.view == view
    }


def stored_state(capture, judge, round=1):
    """Say what judging a capture would do: replay what is stored, or buy. True until this start buys something."""
    return stored_states(capture, judge.view, round)[judge.id]


def bundle_files(wildcards):
    """Return every file that intake checks: the sheets, the role map, and what the scored captures name."""
    sheets = ["bundle.yaml", "catalogue.tsv", "captures.tsv", RUN.bundle.role_map]
    named = {path for capture in RUN.set.scored for path in RUN.files(capture).values()}
    return [str(RUN.bundle.folder / sheet) for sheet in sheets] + sorted(named)


@per_job
def card(wildcards):
    """Return what the sheets say of a capture: the packet is built again when this text changes."""
    return RUN.card(capture_of(wildcards))


def capture_file(what):
    """Return the input function for one kind of file of a capture; no file where the capture has none."""
    return per_job(lambda wildcards: RUN.files(capture_of(wildcards)).get(what, []))


@per_job
def digest_of(wildcards):
    """Return the digest of a judge: its verdicts are asked for again when it changes."""
    return judge_of(wildcards).digest()


@per_job
def to_do(wildcards, input, round=1):
    """Say in a dry run whether a verdict is stored already. Not a reason to judge again: it depends on `input`."""
    return stored_state(capture_of(wildcards), judge_of(wildcards), round) if workflow.dryrun else "judging"


def judging_jobs(*rules):
    """Return the jobs of some rules that this start runs."""
    return [job for job in workflow.dag.needrun_jobs() if job.rule.name in rules]


def round_of(job):
    """Return the round in which a judging job asks: 2 for a fresh verdict."""
    return 2 if job.rule.name == "judge_again" else 1


def must_buy(judge):
    """Say whether this start must buy an answer of a judge: one that is not in the store."""
    store, most = Store(STORE), RUN.config["max_asks"]
    if any(job.wildcards.judge == judge.id for job in judging_jobs("judge_check")):
        if verdict_state(judge.identity(), check_question(judge.id), store, most).startswith("buy"):
            return True
    jobs = (job for job in judging_jobs("judge", "judge_again") if job.wildcards.judge == judge.id)
    return any(stored_state(capture_of(job.wildcards), judge, round_of(job)).startswith("buy") for job in jobs)


def begin():
    """Start judging: nothing is bought unless every judge that must be paid has its key; then show what goes on.

    Snakemake's own `envvars` would ask for keys in dry runs and replays too, would not see a malformed one, and hands
    their values to some jobs on the command line, where every user of the machine can read them.
    """
    clear_stop(Path(STORE))
    panel = panel_document(RUN)
    obstacles = [(entry, obstacle(panel, entry, os.environ)) for entry in panel["judges"]]
    found = [text for entry, text in obstacles if text and must_buy(JUDGES[entry["identity"]["judge"]])]
    if found:
        log("\n".join(["error: nothing was bought:", *(f"  {text}" for text in found)]))
        sys.exit(1)
    serve_jobs()
    pending = [str(job.output[0]) for job in judging_jobs("judge", "judge_again")]
    if pending:
        LIVE["began"] = time.time()
        LIVE["paths"] = list(dict.fromkeys(verdict_paths() + pending))
        LIVE["progress"] = progress(pending)
        LIVE["progress"].start()
        LIVE["ctrl_c"] = signal.signal(signal.SIGINT, interrupted)


FEW_JOBS = 10  # are done sooner than the fork server is ready


def serve_jobs():
    """Start the fork server where it saves time."""
    if PYTHON and len(judging_jobs("packet", "view", "judge", "judge_again")) > FEW_JOBS:
        try:
            SERVING.append(ForkServer())
        except OSError as error:
            log(f"Jobs start slower than they could, since no fork server can be made: {error}")


# What goes on in this start, from its first job to its last; empty where nothing is judged.
LIVE = {}
SERVING = []


def progress(pending):
    """Return the thread that shows the run's progress, and ends the run where every further call would fail."""
    metered = {judge.id for judge in RUN.judges if judge.route != EMBEDDED}
    watch = Watch(Path(STORE), len(LIVE["paths"]), pending, metered)
    scheduler = workflow.scheduler
    shown = Progress(
        watch,
        lambda: failed_verdicts(scheduler.failed),
        lambda: must_stop(reason(Path(STORE))),
        scheduler.exit_gracefully,
    )
    listener = workflow.logger_manager.queue_listener
    shown.make_room(listener.handlers if listener else [])
    return shown


def interrupted(*_):
    """End the run after Ctrl-C as for any other reason to stop; pressed again, Snakemake ends in its own way."""
    signal.signal(signal.SIGINT, LIVE["ctrl_c"])
    end_run(Path(STORE), "Ctrl-C was pressed. The answers that were on their way are kept; start again to go on.")


def failed_verdicts(failed):
    """Return how many verdicts the failed jobs stand for: on a cluster a job is a whole batch."""
    jobs = [job for item in list(failed) for job in (item.jobs if item.is_group() else [item])]
    return sum(job.rule.name in ("judge", "judge_again") for job in jobs)


def must_stop(stop):
    """Say whether a reason to stop ends the run at once. A partial run goes on without what it cannot pay."""
    return stop is not None and not (stop.over_budget and RUN.config["allow_partial"])


def end():
    """End the fork server, stop showing the progress, and say which verdicts are missing and why."""
    while SERVING:
        SERVING.pop().end()
    if not LIVE:
        return
    LIVE["progress"].finish()
    signal.signal(signal.SIGINT, LIVE["ctrl_c"])
    listed, since = Path("logs/missing.tsv"), int(LIVE["began"])
    found = missing(LIVE["paths"], since)
    if not found:
        listed.unlink(missing_ok=True)
        return
    write_text(listed, "".join(f"{item.name}\t{item.reason}\n" for item in found))
    stop = reason(Path(STORE))
    checks = [text for judge in JUDGES if (text := failure(f"logs/checks/{judge}.log", since))]
    text = summary(found, len(LIVE["paths"]), stop.message if stop else "", checks, str(listed))
    log(f"\n{text}\n")


def other_run(wildcards):
    """Return the run that `snakemake diff` compares with."""
    if not OTHER:
        raise WorkflowError("Name the run to compare with: snakemake diff --config other=PATH")
    return OTHER
