"""Marks of runs whose last step may be written and that are not settled yet.

A mark is made before that step and removed after settling, so a crash at any point in between
leaves something for the next command to complete.
"""

from __future__ import annotations

import os

from relay_git import canonical, clock, files, names
from relay_git.errors import InvalidName, RelayError
from relay_git.names import RunId
from relay_git.record import Record
from relay_git.workspace import Workspace

FORMAT = 1
_NOTED = "noted"


class Pending(Record):
    """Who ended the run: the git directory of the worktree, and the branch it had checked out."""

    run: RunId
    worktree: str | None
    branch: str | None


def mark(ws: Workspace, run: RunId) -> None:
    files.make_directory(ws.common_path("pending"))
    worktree, branch = here(ws)
    record = {"format": FORMAT, "worktree": worktree, "branch": branch}
    files.write_atomic(ws.common_path("pending", run), canonical.dumps(record) + b"\n", sync=True)


def here(ws: Workspace) -> tuple[str, str | None]:
    """The worktree's git directory and branch, as a mark has them."""
    branch = ws.repo.branch
    return names.spelled(ws.repo.git_dir), branch and names.spelled(branch)


def clear(ws: Workspace, run: RunId) -> None:
    files.remove_in(ws.common_path("pending"), run)


def read(ws: Workspace, run: RunId) -> Pending | None:
    """The mark of a run. One that cannot be read says nothing of who ended the run."""
    path = ws.common_path("pending", run)
    data = files.read_optional(path)
    if data is None:
        return None
    try:
        record = canonical.loads(data, path)
    except RelayError:
        return Pending(run, None, None)
    return Pending(run, record.get("worktree"), record.get("branch"))


def age(ws: Workspace, run: RunId) -> float:
    """Seconds since the mark was made."""
    try:
        return clock.now() - os.stat(ws.common_path("pending", run)).st_mtime
    except FileNotFoundError:
        return 0.0


def mark_noted(ws: Workspace) -> None:
    """Code commits have notes here, which must follow them when they are rewritten."""
    if not os.path.exists(ws.common_path(_NOTED)):
        files.make_directory(ws.common_path())
        files.write_atomic(ws.common_path(_NOTED), b"")


def all_pending(ws: Workspace) -> list[RunId]:
    runs = []
    for name in files.list_in(ws.repo.common_dir, "relay/pending"):
        try:
            runs.append(RunId(name))
        except InvalidName:
            continue
    return runs
