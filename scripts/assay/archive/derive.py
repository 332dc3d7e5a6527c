"""Deriving a whole run again, into a fresh folder: packets from the bundle, requests from the packets, verdicts from
the exchanges, tables from the verdicts, reports from the tables. Nothing is bought, and the run is only read."""

import io
import runpy
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from assay.archive.replay import Exchanges, NotStored, Unsound, replay
from assay.archive.stages import STAGES, Step, intake
from assay.bundle.model import Capture
from assay.canonical import canonical, loads, sha256
from assay.embedded import reply_text
from assay.files import read_json, write_json
from assay.judging import NoVerdict, check_question, no_verdict_document, packet_question, verdict_document
from assay.problems import UserError
from assay.protocols import packet_place
from assay.run import Run, open_run, panel_document

SCRIPTS = Path(__file__).parents[2]
MADE_BY_SCRIPTS = ("tables", "report", "objective", "detected", "likeness")
RECORDED = "results/software.json"  # taken from the run: which software made it is no property of the bundle
# What buying can end in without an answer: nothing stored tells which, so that the recorded reason is taken over.
UNANSWERED = ("blocked", "held", "unanswered", "over-budget")


@dataclass
class Derivation:
    """A run derived again. `files` maps stage -> the files that it made, relative to `fresh`, in order.

    `given` are the keys of the configuration that it states itself, without the defaults. `faults` says as (stage,
    file, what) what could not be derived; `requests` counts the requests built from packets and looked up;
    `unanswered` names the requests without an exchange whose verdicts the run says are missing.
    """

    run: Run
    given: tuple[str, ...]
    fresh: Path
    exchanges: Exchanges
    files: dict[str, list[str]] = field(default_factory=dict)
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    requests: int = 0
    unanswered: list[str] = field(default_factory=list)

    def put(self, stage: str, name: str, value: object) -> None:
        """Write one derived JSON file."""
        write_json(self.fresh / name, value)
        self.files.setdefault(stage, []).append(name)

    def fault(self, stage: str, name: str, text: str) -> None:
        """Note what cannot be derived."""
        self.faults.append((stage, name, text))


def derive(folder: Path, config: Mapping, fresh: Path) -> Derivation:
    """Derive the run in the work directory `folder` again, into the empty folder `fresh`; both are absolute.

    Raises UserError where the bundle, the configuration or the panel is not fit to be judged.
    """
    with chdir(folder):
        run = open_run(config, check_files=False)
        if run.protocol["protocol"] not in STAGES:
            raise UserError(f"runs of the protocol {run.protocol['protocol']} cannot be archived or verified yet")
        made = Derivation(run, tuple(config), fresh, Exchanges(folder / "store"))
        _run(intake(run, fresh), folder)
        made.files["intake"] = ["results/intake.json"]
        panel = panel_document(run)
        made.put("intake", "results/panel.json", panel)
        _checks(made, panel)
        for capture in run.set.scored:
            _capture(made, panel, capture)
    if not made.faults:
        _tables(made, folder)
    return made


def _checks(made: Derivation, panel: Mapping) -> None:
    for entry in panel["judges"]:
        judge = entry["identity"]["judge"]
        name, question = f"results/checks/{judge}.json", check_question(judge)
        answer = canonical({"nonce": question.nonce, "ready": "yes"})
        made.requests += 1
        try:
            answered = replay(entry, question, made.exchanges, panel["max_asks"], lambda answer=answer: answer)
        except (NotStored, NoVerdict) as error:
            made.fault("judge checks", name, str(error))
        except Unsound as error:
            made.fault("judge checks", error.path, str(error))
        else:
            document = {"format": "assay-check-1", "judge": judge, "exchange": answered.exchange.sha}
            made.put("judge checks", name, document)


def _capture(made: Derivation, panel: Mapping, capture: Capture) -> None:
    run, packets = made.run, {}
    where = (capture.configuration, *capture.entry.split(":"))
    for view in run.views:
        packets[view] = run.kind.packet(run, capture, view)
        made.put("packets", f"results/packets/{packet_place(*where, view)}", packets[view])
    for judge, entry in zip(run.judges, panel["judges"], strict=True):
        for round_, kind in enumerate(("verdicts", "adjudication"), start=1):
            name = f"results/{kind}/{'/'.join(where)}/{judge.id}.json"
            if round_ == 1 or _is_of(name, packets[judge.view]):
                _verdict(made, panel, entry, packets[judge.view], round_, capture.configuration, name)


def _is_of(name: str, packet: Mapping) -> bool:
    """Say whether a fresh verdict was asked for and is still one of this packet: others no longer count."""
    return Path(name).exists() and read_json(name)["packet_sha256"] == sha256(packet)


def _verdict(
    made: Derivation, panel: Mapping, entry: Mapping, packet: Mapping, round_: int, configuration: str, name: str
) -> None:
    judge, model = entry["identity"]["judge"], entry["identity"]["model"]
    question = packet_question(packet, judge, round_)
    made.requests += 1
    try:
        answered = replay(
            entry,
            question,
            made.exchanges,
            panel["max_asks"],
            lambda: reply_text(model, packet, question.nonce),
        )
    except Unsound as error:
        made.fault("verdicts", error.path, str(error))
    except NoVerdict as error:
        if panel["allow_partial"]:
            made.put("verdicts", name, no_verdict_document(packet, judge, error, configuration))
        else:
            made.fault("verdicts", name, str(error))
    except NotStored as error:
        _unanswered(made, panel, packet, judge, configuration, name, error)
    else:
        made.put("verdicts", name, verdict_document(packet, panel, judge, answered, configuration))


def _unanswered(
    made: Derivation, panel: Mapping, packet: Mapping, judge: str, configuration: str, name: str, missing: NotStored
) -> None:
    """Take over why there is no verdict, if that is what the run says and a partial run was allowed."""
    try:
        recorded = loads(Path(name).read_bytes())
        state, reason = recorded["state"], recorded["reason"]
    except (OSError, ValueError, TypeError, KeyError):
        made.fault("verdicts", name, str(missing))
        return
    if not panel["allow_partial"] or state not in UNANSWERED:
        made.fault("verdicts", name, str(missing))
        return
    made.put("verdicts", name, no_verdict_document(packet, judge, NoVerdict(state, reason), configuration))
    made.unanswered.append(missing.sha)


def _tables(made: Derivation, folder: Path) -> None:
    """Run the workflow's own scripts from the averages to the reports, in the fresh folder."""
    software = read_json(folder / RECORDED)
    made.put("software", RECORDED, software)
    with chdir(folder):
        steps = STAGES[made.run.protocol["protocol"]](made.run, folder)
    for step in steps:
        before = _present(made.fresh)
        _run(step, made.fresh)
        made.files.setdefault(step.stage, []).extend(sorted(_present(made.fresh) - before))


def _present(fresh: Path) -> set[str]:
    found = (path for root in MADE_BY_SCRIPTS for path in (fresh / "results" / root).rglob("*"))
    return {path.relative_to(fresh).as_posix() for path in found if path.is_file()}


def _run(step: Step, folder: Path) -> None:
    """Run one script's `main` in this process and in `folder`, as its rule would; what it says is shown if it fails."""
    main = _main(step.script)
    said, arguments = io.StringIO(), sys.argv
    sys.argv = [step.script, *step.arguments]
    try:
        with chdir(folder), redirect_stderr(said), redirect_stdout(said):
            main()
    except SystemExit:
        raise UserError(f"{step.script}: {said.getvalue().strip()}") from None
    finally:
        sys.argv = arguments


def _main(script: str):
    return runpy.run_path(str(SCRIPTS / script))["main"]


def expected_files(made: Derivation) -> Sequence[str]:
    """Return every file under results/ that belongs to the run, in order."""
    return sorted(name for names in made.files.values() for name in names)
