"""Notes: one, and sixteen at once, against bare git, which keeps few of the sixteen."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from multiprocessing import Process
from pathlib import Path

from histories import Size
from measure import Row, against, interleaved
from scratch import Stage, git

from relay_git.git.notes import update_note
from relay_git.git.open import GitStore, open_store
from relay_git.git.repo import discover
from relay_git.git.store import Ident
from relay_git.names import Oid, RefName

ROUNDS = 20
AT_ONCE = 16
_WHO = Ident("Ada", "ada@example.com", 1_777_368_600)
_OURS, _BARE = RefName("refs/notes/relay/ours"), RefName("refs/notes/bare")
_FLOOR = "git notes add"


def rows(stage: Stage) -> list[Row]:
    path = stage.repository("notes", Size(stage.small))
    commits = [Oid(oid) for oid in git(path, "rev-list", "--glob=refs/relay/history").split()]
    targets = iter(commits)
    store = open_store(discover(str(path)))
    one = {
        _FLOOR: lambda: _add(path, next(targets)).wait(),
        "a note, in process": lambda: _write(store, next(targets)),
    }
    return [
        *against(_FLOOR, interleaved(one, stage.rounds(ROUNDS)), {}),
        _together("notes at once", path, _OURS, commits, lambda oid: _note(path, oid).join),
        _together("git notes add at once", path, _BARE, commits, lambda oid: _add(path, oid).wait),
    ]


def _note(path: Path, oid: Oid) -> Process:
    """The process is a fork, so that it costs what the note costs and not what Python does."""
    writer = Process(target=_write_there, args=(path, oid))
    writer.start()
    return writer


def _write_there(path: Path, oid: Oid) -> None:
    _write(open_store(discover(str(path))), oid)


def _write(store: GitStore, oid: Oid) -> None:
    update_note(store, _OURS, oid, lambda before: (before or b"") + b"a line\n", _WHO, "note\n")


def _add(path: Path, oid: Oid) -> subprocess.Popen[bytes]:
    command = ["git", "notes", f"--ref={_BARE}", "add", "--force", "--message=a line", oid]
    return subprocess.Popen(command, cwd=path, stderr=subprocess.DEVNULL)


def _together(
    what: str,
    path: Path,
    ref: RefName,
    commits: Sequence[Oid],
    begin: Callable[[Oid], Callable[[], object]],
) -> Row:
    """All begin before the first is waited for. How many notes are there in the end?"""
    before = len(git(path, "notes", f"--ref={ref}", "list").splitlines())
    started = time.perf_counter()
    for wait in [begin(oid) for oid in commits[-AT_ONCE:]]:
        wait()
    took = (time.perf_counter() - started) * 1000
    kept = len(git(path, "notes", f"--ref={ref}", "list").splitlines()) - before
    return Row(f"{AT_ONCE} {what}, {kept} kept", took, None, None)
