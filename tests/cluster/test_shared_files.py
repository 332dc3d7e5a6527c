"""What one machine of a cluster may see of another's files: stale names, and processes of the same number."""

import fcntl
import os
from pathlib import Path

from assay import files
from assay.buying import locks
from assay.store import Store

REQUEST = {"format": "assay-request-1", "ask": 1}


def test_a_lock_file_that_another_machine_removed_is_no_lock_though_its_name_is_remembered(tmp_path, monkeypatch):
    path = tmp_path / "locks/one"
    remembered = []

    def flock(handle: int, operation: int) -> None:
        fcntl.flock(handle, operation)
        if not remembered:
            remembered.append(os.fstat(handle))
            os.unlink(path)

    class Module:
        LOCK_EX = fcntl.LOCK_EX

    Module.flock = staticmethod(flock)
    monkeypatch.setattr(locks, "fcntl", Module)
    look = Path.stat
    stale = iter(remembered)
    monkeypatch.setattr(Path, "stat", lambda self, **options: next(stale, None) or look(self, **options))
    with locks.exclusive(path):
        assert os.path.exists(path)


def test_two_machines_write_under_different_temporary_names(tmp_path, monkeypatch):
    used = []
    monkeypatch.setattr(files.os, "replace", lambda part, path: used.append(part))
    for machine in ("node-1", "node-2"):
        uname = os.uname()
        named = os.uname_result((uname.sysname, machine, uname.release, uname.version, uname.machine))
        with monkeypatch.context() as there:
            there.setattr(files.os, "uname", lambda named=named: named)
            files.write_bytes(tmp_path / "verdict.json", b"{}")
    assert len(set(used)) == 2


def test_a_fresh_look_finds_what_get_finds_and_nothing_in_an_empty_store(tmp_path):
    store = Store(tmp_path / "store")
    sha = "0" * 64
    assert store.get_fresh(sha) is None
    kept = store.put(REQUEST, 200, {}, b"{}", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
    assert store.get_fresh(sha) is None
    assert store.get_fresh(kept.sha) == store.get(kept.sha) == kept
