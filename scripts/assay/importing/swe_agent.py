"""SWE-agent's recordings (`.traj`): thought, action and observation of each step. They keep no clock."""

import re
from collections.abc import Mapping
from pathlib import Path
from posixpath import join, normpath
from typing import Any

from assay.canonical import loads
from assay.importing.sessions import Session, error_in, purpose_of, seconds, shown
from assay.problems import UserError

_REFUSED = ("DO NOT re-run the same failed edit command", "Usage: ", "Error: ", "No edit was made", "usage: ")
_CHANGING = ("edit", "create", "insert", "append", "str_replace", "str_replace_editor")
_NAMING = ("open", "create", "cat", "str_replace_editor", "str_replace")
_OPEN = ("edit", "insert", "append", "goto", "scroll_up", "scroll_down", "search_file")
_VIEWING = re.compile(r"str_replace_editor\s+view\b")


def read_traj(path: Path) -> Session:
    """Read a `.traj` file. Times are null. Raises UserError when it is no recording of a session's steps."""
    try:
        data = loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path}: not valid JSON: {error}") from None
    steps = data.get("trajectory") if isinstance(data, dict) else None
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise UserError(
            f"{path}: it has no list `trajectory` of steps; a demonstration of messages alone is no recording"
        )
    session = Session(task=_task(data))
    for step in steps:
        _step(session, {name: value for name, value in step.items() if value is not None})
    submitted = _text((data.get("info") or {}).get("submission"))
    if re.search(r"^(diff --git |--- )", submitted, re.MULTILINE):
        session.diff = submitted.replace("\r\n", "\n").strip("\n") + "\n"
    last = next((step for step in reversed(steps) if _text(step.get("thought")).strip()), {})
    session.last_words = _text(last.get("thought"))
    return session


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _task(data: Mapping[str, Any]) -> str:
    """Return the first words of the user, which hold the issue."""
    for message in data.get("history") or ():
        if isinstance(message, dict) and message.get("role") == "user" and not message.get("is_demo"):
            content = message.get("content")
            if isinstance(content, list):
                content = shown([_text(part.get("text")) for part in content if isinstance(part, dict)])
            return _text(content)
    return ""


def _step(session: Session, step: Mapping[str, Any]) -> None:
    action, output = _text(step.get("action")).strip(), _text(step.get("observation"))
    text = shown([_text(step.get("thought")), f"$ {action}"])
    took = seconds(step.get("execution_time"))
    verb, _, rest = action.partition(" ")
    target = _target(verb, rest, step.get("state"))
    if not action:
        session.add("context", None, text=text[:4000])
    elif verb in _CHANGING and target and not _VIEWING.match(action):
        if any(words in output for words in _REFUSED):
            session.step(None, verb, rest, text, output, seconds=took, targets=[target])
            if not error_in(output):
                session.error(None, f"the {verb} of {target} was refused")
        else:
            session.add("patch", None, targets=[target], text=text[:4000])
    else:
        targets = [target] if target and purpose_of(action) == "read" else None
        session.step(None, verb, rest, text, output, seconds=took, targets=targets)


def _target(verb: str, rest: str, state: Any) -> str:
    """Return the file that a step is about, relative to the working directory where it lies in it."""
    if isinstance(state, str):
        try:
            state = loads(state)
        except ValueError:
            state = {}
    state = state if isinstance(state, dict) else {}
    words = re.findall(r'"([^"]+)"|(\S+)', rest.partition("\n")[0])
    named = ["".join(pair) for pair in words]
    if verb == "str_replace_editor":
        named = named[1:]
    folder, path = _text(state.get("working_dir")), ""
    if named and verb in _NAMING:
        path = named[0]
    elif verb in _OPEN:
        path = _text(state.get("open_file"))
    if not path or path == "n/a":
        return ""
    full = normpath(join(folder or "/", path))
    return full.removeprefix(f"{normpath(folder)}/") if folder else full
