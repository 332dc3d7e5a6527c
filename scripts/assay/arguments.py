"""The command line of the scripts that run once per packet or verdict, where argparse would cost too much time."""

import sys
from collections.abc import Sequence

from assay.problems import UserError


def arguments(usage: str, names: Sequence[str], many: Sequence[str] = ()) -> dict[str, str | list[str]]:
    """Read `--name value` pairs: each of `names` once with one value, each of `many` with any number of values.

    `--help` prints `usage` and ends the script. Raises UserError for a missing, unknown or incomplete argument.
    """
    words = sys.argv[1:]
    if "--help" in words or "-h" in words:
        print(f"{usage}\n\nArguments: {' '.join(f'--{name} VALUE' for name in [*names, *many])}")
        sys.exit()
    given: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("--") and word[2:] in (*names, *many):
            given[word[2:]] = current = []
        elif given:
            current.append(word)
        else:
            raise UserError(f"unknown argument {word!r}; see --help")
    wrong = [name for name in names if len(given.get(name, [])) != 1]
    if wrong:
        raise UserError(f"give one value for --{' and --'.join(wrong)}; see --help")
    return {name: given.get(name, []) if name in many else given[name][0] for name in (*names, *many)}
