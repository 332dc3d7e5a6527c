"""The fork server: one process that has imported what judging needs, and forks itself for each packet and verdict.

Starting Python and importing costs far more processor time than a verdict itself. The server does both once; each job
is still a process of its own, with the environment, working directory and output of the one that asked (run_job.py).
It ends with the Snakemake that started it, and jobs that are under way then come to their own end. Without it, jobs do
the same work by themselves.
"""

import gc
import importlib
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from assay.problems import run

SCRIPTS = Path(__file__).resolve().parents[1]
# What a first job would import late.
_WARM = (
    *("assay.embedded", "assay.buying.buy", "assay.buying.purchase", "assay.buying.panel", "assay.buying.interrupt"),
    *("assay.routes.openai_chat", "assay.routes.openai_responses", "assay.routes.anthropic_messages"),
    *("assay.routes.gemini", "assay.fivejudge.question", "requests", "http.client", "ssl", "stringprep", "idna"),
    "encodings.idna",
)


class ForkServer:
    """A running fork server, as the process that started it sees it; `address` is the path of its socket."""

    def __init__(self) -> None:
        """Start the server, and say its place to all jobs of this process through the environment.

        Raises OSError where a socket cannot be made, e.g. as its path would be too long.
        """
        self._folder = tempfile.mkdtemp(prefix="assay-")  # for this user alone
        self.address = f"{self._folder}/jobs"
        try:
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(self.address)
                listening.listen(socket.SOMAXCONN)
                read, self._alive = os.pipe()
                self._process = subprocess.Popen(
                    [sys.executable, "-S", "-E", SCRIPTS / "fork_server.py", str(listening.fileno()), str(read)],
                    stdin=subprocess.DEVNULL,
                    pass_fds=(listening.fileno(), read),
                )
                os.close(read)
        except OSError:
            shutil.rmtree(self._folder)
            raise
        os.environ["ASSAY_FORK_SERVER"] = self.address

    def end(self) -> None:
        """Let the server end; the jobs that it has forked go on."""
        del os.environ["ASSAY_FORK_SERVER"]
        os.close(self._alive)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def serve(listening: socket.socket, alive: int, scripts: dict[str, Callable[[], None]]) -> None:
    """Fork for each connection, until nobody holds the other end of the pipe `alive` any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # and so do the forked: see run_job.py
    folder = os.path.dirname(listening.getsockname())
    gc.collect()
    gc.freeze()  # else the first collection of a forked process would copy all that was imported
    with selectors.DefaultSelector() as ready:
        ready.register(listening, selectors.EVENT_READ)
        ready.register(alive, selectors.EVENT_READ)
        while not any(key.fileobj == alive for key, _ in ready.select()):
            line, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                os.close(alive)
                os._exit(_job(line, scripts))
            line.close()
            _reap()
    _reap()
    shutil.rmtree(folder, ignore_errors=True)  # where the starter was killed, nobody else removes it


def _reap() -> None:
    """Take leave of the forked that have ended, so that the system drops them and counts their time as this one's."""
    with suppress(ChildProcessError):  # none is left
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _job(line: socket.socket, scripts: dict[str, Callable[[], None]]) -> int:
    """Run the script that a client asks for, and tell it the exit code."""
    try:
        words = _take_over(line)
        sys.argv = words
        run(scripts[words[0]])
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # as for every program that fails: what it was, and exit code 1
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    line.sendall(bytes([code]))
    return code


def _take_over(line: socket.socket) -> list[str]:
    """Take over a client's output, working directory and environment. Returns the words of its command line."""
    head, handles, _, _ = socket.recv_fds(line, 4, 2)
    message = b""
    while len(message) < int.from_bytes(head, "big"):
        block = line.recv(1 << 20)
        if not block:
            raise EOFError("the job's command line did not arrive whole")
        message += block
    for own, handle in zip((1, 2), handles, strict=True):
        os.dup2(handle, own)
        os.close(handle)
    folder, count, *rest = message.split(b"\0")
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(pair.split(b"=", 1) for pair in rest[int(count) :])
    return [os.fsdecode(word) for word in rest[: int(count)]]


def warm_up(names: tuple[str, ...]) -> dict[str, Callable[[], None]]:
    """Import the scripts of these names and what they import late. Returns their `main` functions."""
    scripts = {name: importlib.import_module(name).main for name in names}
    for name in _WARM:
        importlib.import_module(name)
    return scripts
