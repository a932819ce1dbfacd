"""Carries the stops of the tour out: real commands in a real repository, sealed from the caller's.

Only the git configuration of the scratch repository counts, and no variable that names another.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence

from relay_git import files
from relay_git.git import process
from relay_git.names import ARTIFACTS
from relay_git.record import Record
from relay_git.resources import directory
from relay_git.tour.stops import TEMPLATE, Run, Write

_WHO = {"NAME": "Tour", "EMAIL": "tour@example.com"}
_NOTES = {
    "context.md": "context.md",
    "acceptance_checklist.md": "acceptance_checklist.md",
    "second/context.md": "downloads/context.md",
}
"""What the example says of the two tasks, and where it lies in the scratch repository."""


class Told(Record):
    """What was done, in a line, and `lines` of what was said or written; so many more there are
    `before` and `after` them."""

    did: str
    lines: Sequence[str]
    before: int
    after: int


def scratch() -> str:
    """The path of a new folder."""
    return os.path.realpath(tempfile.mkdtemp(prefix="git-relay-tour-"))


def lay_out(folder: str) -> None:
    """Put the notes there that say what is wanted."""
    for source, target in _NOTES.items():
        _copy(os.path.join(_example(), source), os.path.join(folder, target))


def carry_out(act: Run | Write, folder: str) -> Told:
    """Raises `RelayError` when a command fails."""
    return _run(act, folder) if isinstance(act, Run) else _write(act, folder)


def _run(act: Run, folder: str) -> Told:
    result = process.run(*_words(act.line), cwd=folder, env=_environment())
    said = (result.stdout + result.stderr).decode("utf-8", "replace")
    return _told(f"$ {act.line}", said, act)


def _write(act: Write, folder: str) -> Told:
    step = os.path.join(_example(), "steps", act.step)
    (name,) = os.listdir(step)
    path = f"{ARTIFACTS}/{name}"
    text = _copy(os.path.join(step, name), os.path.join(folder, path)).decode()
    return _told(f"# the {act.role} writes {path}", text, act)


def _words(line: str) -> list[str]:
    """`git relay` is this very program, wherever git would find one."""
    words = shlex.split(line)
    if words[:2] == ["git", "relay"]:
        words[:2] = [sys.executable, "-P", "-m", "relay_git"]
    return words


def _environment() -> Mapping[str, str]:
    people = {f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in _WHO.items()}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_RELAY": "1"}
    return process.environment(foreign=True) | people | alone


def _told(did: str, text: str, act: Run | Write) -> Told:
    lines = text.strip("\n").split("\n") if text.strip("\n") else []
    first = next((at for at, line in enumerate(lines) if line.startswith(act.since)), 0)
    last = first + act.most
    return Told(did, lines[first:last], first, max(0, len(lines) - last))


def _copy(source: str, target: str) -> bytes:
    with open(source, "rb") as file:
        data = file.read()
    files.make_directory(os.path.dirname(target))
    files.write_atomic(target, data)
    return data


def _example() -> str:
    return os.path.join(directory("templates"), TEMPLATE, "example")
