"""Run one of the scripts that run once per packet or verdict: packet, view or judge, with its own arguments.

It runs in the fork server of this start of Snakemake (assay.fork_server), which has everything imported already, or
else here. Either way it is the same script, in a process and a working directory of its own.
"""

import _signal  # `signal` would take longer than all the rest of this script
import os
import sys

SCRIPTS = ("judge", "packet", "view")


def run_in_server(address: str, words: list[str]) -> int | None:
    """Have the fork server at `address` run a script, and return its exit code; None where there is no server.

    The script gets this process's environment, working directory, output and errors.
    """
    import _socket  # `socket` would take longer than all the rest of this script

    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.connect(address)
    except OSError:
        return None
    environment = [name + b"=" + value for name, value in os.environb.items()]
    parts = [os.fsencode(os.getcwd()), str(len(words)).encode(), *map(os.fsencode, words), *environment]
    message = b"\0".join(parts)
    handles = b"".join(handle.to_bytes(4, sys.byteorder) for handle in (1, 2))
    try:
        line.sendmsg([len(message).to_bytes(4, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, handles)])
        line.sendall(message)
        code = line.recv(1)
    except OSError:
        code = b""
    if not code:
        sys.stderr.write(f"error: the process of {words[0]} was killed; start again, nothing stored is lost\n")
    return code[0] if code else 1


def main() -> None:
    words = sys.argv[1:]
    if words[:1] in ([], ["--help"]) or words[0] not in SCRIPTS:
        print(f"{__doc__}\nUsage: run_job.py {'|'.join(SCRIPTS)} ARGUMENTS")
        sys.exit(words[:1] != ["--help"])
    # After Ctrl-C the workflow starts no job any more, and waits for those under way: what they ask for is paid for.
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    address = os.environ.get("ASSAY_FORK_SERVER")
    code = run_in_server(address, words) if address else None
    if code is not None:
        sys.exit(code)
    from assay.problems import run

    sys.argv = words
    run(__import__(words[0]).main)


if __name__ == "__main__":
    main()
