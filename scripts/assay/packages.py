"""Installed packages, for a Python that was started without them (`-S`) so that jobs that need none start fast."""

import sys
from functools import cache


@cache
def find_packages() -> None:
    """Make the installed packages importable, once in a process and those that it forks."""
    if sys.flags.no_site:
        import site

        site.main()
