"""Verifying: an archive proves itself anywhere, and every kind of tampering is caught and named."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tampering import LEDGER, TAMPERINGS, VERDICT, copy, in_json, in_table, in_text, rehash, remove

from assay.archive import derive as deriving
from assay.archive.contents import SUMS
from assay.archive.offline import NetworkForbidden, no_network
from assay.archive.show import table
from assay.archive.verify import verify
from assay.canonical import canonical, loads
from assay.files import write_json


def named(found, file: str, text: str) -> bool:
    return any(name.startswith(file) and text in fault for name, fault in found.faults)


def test_an_archive_and_its_work_directory_verify(made):
    for folder in (made.unpacked, made.folder):
        found = verify(folder)
        assert found.passed, table(found)
        assert [row["result"] for row in found.checks] == ["pass"] * 6


def test_the_table_says_what_was_checked_with_counts(made):
    found = verify(made.unpacked)
    counts = {line.what: line.checked for line in found.lines}
    listed = len((made.unpacked / SUMS).read_text().splitlines())
    assert counts["files, by SHA256SUMS"] == listed > 250
    assert counts["packets, from the bundle"] == 10
    assert counts["requests, from the packets"] == counts["exchanges in the store"] == 10 * 2 + 2
    assert counts["verdicts, from the exchanges"] == 20
    assert "VERIFIED" in table(found)
    assert found.sums_sha256 in table(found)


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_is_caught_and_named_though_the_hashes_were_written_anew(kind, unpacked):
    tamper, file, text = TAMPERINGS[kind]
    tamper(unpacked)
    rehash(unpacked)
    found = verify(unpacked)
    assert not found.passed
    assert named(found, file, text), table(found)
    assert not any(name == SUMS for name, _ in found.faults)


def test_there_are_at_least_forty_kinds_of_tampering():
    assert len(TAMPERINGS) >= 40


@pytest.mark.parametrize(
    ("tamper", "file", "text"),
    [
        (in_table(LEDGER, "mode:causal-dag", "overall", "9.9"), LEDGER, "not the SHA-256"),
        (remove(VERDICT), VERDICT, "listed in SHA256SUMS, but missing"),
        (copy(VERDICT, "results/more.json"), "results/more.json", "not listed in SHA256SUMS"),
        (in_text(SUMS, "  README.md", "  READ.md"), "README.md", "not listed in SHA256SUMS"),
        (in_text(SUMS, "0", "x"), SUMS, "line 1 is not a SHA-256"),
    ],
)
def test_hashes_that_do_not_hold_are_named(tamper, file, text, unpacked):
    tamper(unpacked)
    assert named(verify(unpacked), file, text)


def test_a_file_listed_twice_is_named(unpacked):
    lines = (unpacked / SUMS).read_text().splitlines()
    (unpacked / SUMS).write_text("\n".join([lines[0], *lines]) + "\n")
    assert named(verify(unpacked), SUMS, "line 2")


def test_a_link_in_the_place_of_a_file_is_not_followed(unpacked, tmp_path):
    shutil.move(unpacked / VERDICT, tmp_path / "elsewhere.json")
    (unpacked / VERDICT).symlink_to(tmp_path / "elsewhere.json")
    assert named(verify(unpacked), VERDICT, "missing")


def test_a_changed_score_is_named_in_the_work_directory_too(work):
    in_json(VERDICT, "scores", "fidelity", to=10)(work)
    found = verify(work)
    assert found.faults == [(VERDICT, found.faults[0][1])]
    assert found.faults[0][1].startswith("scores.fidelity: 10, expected ")


def test_a_run_that_is_not_finished_is_named_and_nothing_is_judged(work):
    shutil.rmtree(work / "store")
    found = verify(work)
    assert named(found, VERDICT, "no stored exchange")
    assert not (work / "store").exists()


def test_what_is_left_from_before_is_noticed_but_no_fault_in_a_work_directory(work):
    copy(VERDICT, VERDICT.replace("big1", "big9"))(work)
    found = verify(work)
    assert found.passed
    assert any("belonging to no result: 1 file," in notice for notice in found.notices)


def test_other_software_is_named_and_is_no_tampering(work):
    software = work / "results/software.json"
    recorded = loads(software.read_bytes())
    write_json(software, {**recorded, "pandas": "0.25"})
    note = work / "results/report/methodology.md"
    note.write_text(note.read_text().replace(f"pandas {recorded['pandas']}", "pandas 0.25"))
    found = verify(work)
    assert found.passed, table(found)
    assert any("pandas: 0.25 made the run" in notice for notice in found.notices)


def test_nothing_in_an_archive_is_changed_by_verifying_it(unpacked):
    def state():
        return {path: path.stat().st_mtime_ns for path in unpacked.rglob("*")}

    before = state()
    verify(unpacked)
    assert state() == before


@pytest.mark.parametrize(
    "settings",
    [
        {"LC_ALL": "C", "TZ": "Pacific/Kiritimati", "USER": "someone", "LOGNAME": "someone"},
        {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "America/St_Johns", "PYTHONHASHSEED": "7"},
    ],
)
def test_one_command_in_the_unpacked_archive_verifies_it_for_anyone_anywhere(unpacked, tmp_path, settings):
    moved = tmp_path / "another place"
    unpacked.rename(moved)
    env = {"PATH": os.defpath, "HOME": str(tmp_path / "nobody"), **settings}
    done = subprocess.run(
        [sys.executable, "workflow/scripts/verify.py", "."], cwd=moved, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "VERIFIED" in done.stdout
    assert "verified by the archived program itself" in done.stdout
    assert not list(moved.rglob("__pycache__"))


def test_a_tampered_archive_fails_the_command_with_the_first_file_and_field(unpacked):
    in_json(VERDICT, "scores", "fidelity", to=10)(unpacked)
    rehash(unpacked)
    script = unpacked / "workflow/scripts/verify.py"
    done = subprocess.run([sys.executable, script, unpacked], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"{VERDICT}: scores.fidelity: 10, expected" in done.stdout
    assert "NOT VERIFIED" in done.stdout


def test_no_socket_and_no_other_program_while_the_network_is_forbidden():
    with no_network():
        for reach_out in (
            socket.socket,
            lambda: socket.create_connection(("127.0.0.1", 9)),
            lambda: socket.getaddrinfo("localhost", 80),
            lambda: subprocess.run(["true"], check=True),
            lambda: os.system("true"),
        ):
            with pytest.raises(NetworkForbidden):
                reach_out()
    socket.socket().close()


def test_verifying_cannot_use_the_network(made, monkeypatch):
    monkeypatch.setattr(deriving, "_run", lambda step, fresh: socket.socket())
    with pytest.raises(NetworkForbidden):
        verify(made.unpacked)


def test_verifying_never_reaches_the_code_that_buys(made, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("assay.buying.")]:
        monkeypatch.delitem(sys.modules, name)
    assert verify(made.unpacked).passed
    assert not {"assay.buying.buy", "assay.buying.purchase", "assay.buying.send"} & sys.modules.keys()


def test_a_folder_without_a_run_is_refused(tmp_path):
    done = subprocess.run(
        [sys.executable, Path(deriving.SCRIPTS) / "verify.py", tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "no work directory and no unpacked archive" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_partial_run_verifies_and_a_verdict_that_was_bought_cannot_be_called_missing(work):
    in_text("config/config.yaml", "# allow_partial: false", "allow_partial: true")(work)
    sha = loads((work / VERDICT).read_bytes())["exchange"]
    (work / f"store/{sha[:2]}/{sha}.json").unlink()
    packet = loads((work / VERDICT).read_bytes())["packet_sha256"]
    absent = {
        **{"format": "assay-no-verdict-1", "entry": "mode:causal-dag", "configuration": "optimum", "judge": "big1"},
        **{"state": "unanswered", "reason": "no answer", "packet_sha256": packet},
    }
    write_json(work / VERDICT, absent)
    found = verify(work)
    assert not named(found, VERDICT, "")
    assert any("lacks 1 verdict," in notice for notice in found.notices)
    bought = {"event": "stored", "sha": sha, "attempt": 1, "cost": None, "time": "2026-01-01T00:00:00Z"}
    (work / "store/journal.jsonl").write_text(canonical(bought) + "\n")
    assert named(verify(work), "store/", "missing, although the journal says that it was stored")
