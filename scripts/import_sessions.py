"""Turn a recorded session (SWE-agent .traj; inspect_ai .eval or .json) into a run folder. See --help."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from assay.importing.inspect_log import read_log
from assay.importing.sessions import Given, write_run_folder
from assay.importing.swe_agent import read_traj
from assay.problems import log, run

FILES = {
    "changes": "changes.diff",
    "static": "tests/static.xml",
    "hidden": "tests/hidden.xml",
    "rerun": "tests/rerun.xml",
    "severity": "tests/severity.tsv",
    "runtime": "runtime.json",
    "security": "security.sarif",
    "sandbox": "sandbox.jsonl",
    "plan": "plan.md",
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        description="Turn a recorded session of a coding agent into a run folder that Assay can judge.",
        epilog="A session holds no test results and no build: give them, or the run stays unscorable. SWE-agent keeps "
        "no clock: metrics that need one are then null, and say so. Nothing is written unless everything is well.",
    )
    add = made.add_argument
    add("session", type=Path, help="SWE-agent: a .traj file; inspect_ai: an .eval or .json log")
    add("target", type=Path, help="run folder to make; it must not exist")
    add("--build", choices=["ok", "failed"], required=True, help="whether the agent's solution builds")
    add("--challenge", type=Path, help="challenge.yaml of the task (default: made from the session's own task)")
    add("--sample", default="", help="inspect_ai: which sample, where the log holds several")
    add("--epoch", type=int, default=1, help="inspect_ai: which epoch (default: 1)")
    for name, file in FILES.items():
        add(f"--{name}", type=Path, help=f"file to take as {file}")
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Import as the command line says, and say what was made."""
    given = parser().parse_args(arguments)
    swe_agent = given.session.name.endswith(".traj")
    session = read_traj(given.session) if swe_agent else read_log(given.session, given.sample, given.epoch)
    files = {file: getattr(given, name) for name, file in FILES.items() if getattr(given, name) is not None}
    notices = write_run_folder(given.target, session, Given(given.build == "ok", given.challenge, files))
    for notice in notices:
        log(f"notice: {notice}")
    log(f"{given.target}: {len(session.rows)} events")


if __name__ == "__main__":
    run(main)
