"""A Slurm cluster of one node on loopback, started for a test and ended with it. Needs Debian's slurm-wlm and munge."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "srun", "squeue", "sinfo", "scancel", "scontrol")
_PATH = os.environ.get("PATH", os.defpath) + ":/usr/local/sbin:/usr/sbin:/sbin"
_CONFIGURATION = """\
ClusterName=assay
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={daemon_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def absent() -> list[str]:
    """Return the programs of Slurm that this machine lacks."""
    return [name for name in PROGRAMS if not shutil.which(name, path=_PATH)]


@dataclass(frozen=True)
class Cluster:
    """A running cluster; `environ` is what its commands need in the environment."""

    folder: Path
    environ: dict[str, str]

    def call(self, *command: str) -> str:
        """Run one of Slurm's commands and return what it prints."""
        return subprocess.run(
            command, env={**os.environ, **self.environ}, check=True, capture_output=True, text=True, timeout=60
        ).stdout

    def logs(self) -> str:
        """Return the end of what the daemons said."""
        files = sorted(self.folder.glob("*.log"))
        return "\n".join(f"--- {file.name}\n{file.read_text(errors='replace')[-2000:]}" for file in files)


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """Start a cluster whose files are all in `folder`; end its jobs and daemons in any case."""
    cluster = _configure(folder)
    configuration = cluster.environ["SLURM_CONF"]
    munge = [f"--{name}={folder}/munge.{name.split('-')[0]}" for name in ("key-file", "socket", "pid-file", "log-file")]
    daemons: list[subprocess.Popen] = []
    try:
        daemons.append(_start(folder, "munged", "--foreground", "--force", *munge, f"--seed-file={folder}/munge.seed"))
        _wait_for(cluster, lambda: (folder / "munge.socket").exists(), "munged did not start")
        daemons.append(_start(folder, "slurmctld", "-D", "-f", configuration))
        daemons.append(_start(folder, "slurmd", "-D", "-f", configuration))
        _wait_for(cluster, lambda: _prints(cluster, "idle", "sinfo", "-h", "-o", "%T"), "the node did not come up")
        yield cluster
    finally:
        _end(cluster, daemons)


def _configure(folder: Path) -> Cluster:
    for name in ("state", "spool", "bin"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "munge.key").touch(mode=0o600)
    (folder / "munge.key").write_bytes(os.urandom(128))
    controller_port, daemon_port = _free_ports(2)
    configuration = folder / "slurm.conf"
    configuration.write_text(
        _CONFIGURATION.format(
            host=socket.gethostname().split(".")[0],
            user=getpass.getuser(),
            folder=folder,
            controller_port=controller_port,
            daemon_port=daemon_port,
        )
    )
    # Snakemake's plugin takes Slurm's variables away before it calls srun, so here srun brings its own.
    srun = folder / "bin/srun"
    srun.write_text(f'#!/bin/sh\nSLURM_CONF={configuration} exec {shutil.which("srun", path=_PATH)} "$@"\n')
    srun.chmod(0o755)
    return Cluster(folder, {"SLURM_CONF": str(configuration), "PATH": f"{folder}/bin:{_PATH}"})


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [held.getsockname()[1] for held in sockets]
    for held in sockets:
        held.close()
    return ports


def _start(folder: Path, program: str, *arguments: str) -> subprocess.Popen:
    # setpriv: the daemon ends with this process, also where that is killed.
    order = ["setpriv", "--pdeathsig", "TERM", shutil.which(program, path=_PATH), *arguments]
    with open(folder / f"{program}.out.log", "wb") as output:
        return subprocess.Popen(order, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)


def _prints(cluster: Cluster, wanted: str, *command: str) -> bool:
    try:
        return cluster.call(*command).strip() == wanted
    except subprocess.CalledProcessError:
        return False


def _wait_for(cluster: Cluster, ready, message: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(f"{message} within {seconds} s\n{cluster.logs()}")
        time.sleep(0.1)


def _end(cluster: Cluster, daemons: list[subprocess.Popen]) -> None:
    """End all jobs, then the daemons, the last one started first."""
    try:
        if len(daemons) == 3:
            cluster.call("scancel", "--user", getpass.getuser())
            _wait_for(cluster, lambda: _prints(cluster, "", "squeue", "-h"), "jobs did not end")
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
