"""Which lessons `next` showed for a visit: noted in the worktree, recorded by `advance`."""

from __future__ import annotations

from collections.abc import Sequence

from relay_git import canonical, files
from relay_git.errors import RelayError
from relay_git.names import RunId
from relay_git.workspace import Workspace


def write(ws: Workspace, run: RunId, stage: str, visit: int, lessons: Sequence[str]) -> None:
    record = {"run": run, "stage": stage, "visit": visit, "lessons": list(lessons)}
    files.make_directory(ws.git_path())
    files.write_atomic(ws.git_path("shown"), canonical.dumps(record) + b"\n")


def read(ws: Workspace, run: RunId, stage: str, visit: int) -> tuple[str, ...]:
    """The ids shown for that visit; none when `next` was not asked or the note is unreadable."""
    data = files.read_optional(ws.git_path("shown"))
    try:
        record = canonical.loads(data or b"{}", "shown")
    except RelayError:
        return ()
    if (record.get("run"), record.get("stage"), record.get("visit")) != (run, stage, visit):
        return ()
    return tuple(str(lesson) for lesson in record.get("lessons") or ())
