"""What goes wrong, said to the user: where it is, what it is, what to do."""

import errno
import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

_INTERRUPTED = 130  # the shells' exit code for it
_REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR)


class UserError(Exception):
    """Something the user can mend. Its text is the whole message; no traceback is ever shown for it."""


class Problem(NamedTuple):
    """One fault of the user's input. `row` is the line number in the file (1 = first line), 0 = the whole file."""

    file: str
    row: int
    text: str
    todo: str

    def __str__(self) -> str:
        place = f"{self.file}, row {self.row}" if self.row else self.file
        return f"{place}: {self.text}. {self.todo}"


class FileFault(UserError):
    """A file that cannot be used as a whole: `row` is the line at fault, 0 = the whole file."""

    def __init__(self, file: object, row: int, text: str):
        super().__init__(f"{file}, row {row}: {text}" if row else f"{file}: {text}")
        self.file, self.row, self.text = str(file), row, text

    def problem(self, todo: str) -> Problem:
        """Return the fault as one problem among others."""
        return Problem(self.file, self.row, self.text, todo)


def listing(problems: Iterable[Problem]) -> str:
    """Return all problems as one message, in file and row order, one a line, with their number first."""
    from assay.words import counted  # late: jobs do without it

    found = sorted(set(problems))
    return "\n".join([f"{counted(len(found), 'problem')} found; nothing was judged:", *(f"  {one}" for one in found)])


def log(text: str) -> None:
    """Say `text` to the user on standard error: the one way in which Assay speaks while it works."""
    print(text, file=sys.stderr, flush=True)


def run(main: Callable[[], None]) -> None:
    """Run a script's `main`; a UserError is shown as its message alone and ends the script with exit code 1.

    So is what the operating system refuses: a full or read-only disk, a file that may not be read or written. After
    Ctrl-C the exit code is 130.
    """
    try:
        main()
    except UserError as error:
        log(f"error: {error}")
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
        log(f"error: {error.filename or 'a file'}: {error.strerror}. Mend that, then start again.")
    except KeyboardInterrupt:
        log("interrupted")
        sys.exit(_INTERRUPTED)
    else:
        return
    sys.exit(1)
