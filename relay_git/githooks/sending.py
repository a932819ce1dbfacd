"""Send runs along with the user's own push, where `relay.push` is `auto`.

The remote is the one of that push, and has ten seconds, with nobody there to be asked. What could
not be sent goes with the next push. A push that only shows what it would do sends nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from relay_git import arriving, clock
from relay_git.errors import RelayError
from relay_git.git import process
from relay_git.joining import rules
from relay_git.sync import exchange, remotes
from relay_git.sync.report import Report
from relay_git.sync.telling import done, lacking
from relay_git.workspace import Workspace

_ABOVE = 8
"""Processes between git and us: the hook's shell, and what else may run hooks."""


def send(ws: Workspace, remote: str) -> Iterator[str]:
    """What was sent, or is still unsent."""
    if ws.config.get("relay.push") != "auto" or remote not in remotes.remotes(ws.config):
        return
    if _only_shows(ws):
        return
    report = _exchange(ws, remote)
    if report.ok and arriving.waiting(ws):
        arriving.take_in(ws)
    yield from done(report)
    if report.unsent:
        why = report.unreached or lacking(report.unsent)
        yield f"runs are still unsent ({why}); `git relay sync` tries again"


def _exchange(ws: Workspace, remote: str) -> Report:
    """One connection where nobody was quicker; else as many as there is time for."""
    end = clock.monotonic() + exchange.IN_HOOK
    report = exchange.push(ws, remote, rules(), exchange.IN_HOOK)
    left = end - clock.monotonic()
    if not report.unsent or report.unreached or left <= 0:
        return report
    return report.then(exchange.sync(ws, remote, rules(seconds=left), left))


# Whether the user's push is one


def _only_shows(ws: Workspace) -> bool:
    """git does not tell its hooks of `--dry-run`: it is seen in how it was called, where the
    system lets us see that."""
    pid = os.getppid()
    for _ in range(_ABOVE):
        pid, words = _caller(ws, pid)
        if words and os.path.basename(words[0]) in ("git", "git.exe") and "push" in words:
            return any(map(_is_dry_run, words[words.index("push") + 1 :]))
        if pid <= 1:
            break
    return False


def _is_dry_run(word: str) -> bool:
    """Also in short, alone or among other letters that stand for themselves."""
    if word.startswith("--"):
        return len(word) > 4 and "--dry-run".startswith(word)
    return word.startswith("-") and "n" in word and not word.startswith("-o")


def _caller(ws: Workspace, pid: int) -> tuple[int, Sequence[str]]:
    """The parent of a process and its words; 0 and none where they cannot be known."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            parent = int(file.read().rpartition(b")")[2].split()[1])
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return parent, os.fsdecode(file.read()).split("\0")
    except (OSError, ValueError, IndexError):
        return _asked_of_ps(ws, pid)


def _asked_of_ps(ws: Workspace, pid: int) -> tuple[int, Sequence[str]]:
    try:
        asked = ("ps", "-o", "ppid=,args=", "-p", str(pid))
        told = process.run(*asked, cwd=ws.repo.cwd, check=False).stdout
        parent, *words = os.fsdecode(told).split()
        return int(parent), words
    except (OSError, ValueError, RelayError):
        return 0, ()
