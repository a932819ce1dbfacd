"""What this worktree was shown last: at which visit its run stood, and with which lessons.

Another worktree may move the run. What lies in this one's working set then was written for a
visit that is over, so `advance` does not take it for the present one: it tells first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relay_git import canonical, files
from relay_git.chain import chain
from relay_git.errors import RelayError
from relay_git.names import RunId
from relay_git.workflow import runs
from relay_git.workflow.machine import Resolve
from relay_git.workflow.runs import Run
from relay_git.workspace import Workspace


def write(
    ws: Workspace,
    run: Run,
    lessons: Sequence[str] = (),
    bound_for: tuple[str, int] | None = None,
) -> None:
    """`bound_for` is the visit that this worktree is about to move its run to: a command that is
    stopped on the way leaves both known."""
    record = {
        "run": run.id,
        "stage": run.state.stage,
        "visit": run.state.visit,
        "tip": run.tip.digest,
        "lessons": list(lessons),
    }
    if bound_for:
        record["bound_for"] = list(bound_for)
    files.make_directory(ws.git_path())
    files.write_atomic(ws.git_path("shown"), canonical.dumps(record) + b"\n")


def knows(ws: Workspace, run: Run) -> bool:
    """Whether this worktree was told where the run stands, or has been told nothing of it.

    A visit is another one when the run has diverged and been resolved since.
    """
    record = _record(ws)
    if record.get("run") != run.id:
        return True
    visits = [record.get("stage"), record.get("visit")], record.get("bound_for")
    told = [run.state.stage, run.state.visit] in visits
    return told and not _resolved_since(ws, run, record.get("tip"))


def lessons(ws: Workspace, run: RunId, stage: str, visit: int) -> tuple[str, ...]:
    """The ids shown for that visit; none when `next` was not asked."""
    record = _record(ws)
    if (record.get("run"), record.get("stage"), record.get("visit")) != (run, stage, visit):
        return ()
    return tuple(str(lesson) for lesson in record.get("lessons") or ())


def _resolved_since(ws: Workspace, run: Run, tip: str | None) -> bool:
    """Since the step with that digest. An older git-relay did not keep it."""
    for step in chain.walk(ws.store, run.tip.oid) if tip else ():
        if step.digest == tip:
            break
        if isinstance(runs.state_of(step).event, Resolve):
            return True
    return False


def _record(ws: Workspace) -> dict[str, Any]:
    """Empty when there is none, or none that can be read."""
    data = files.read_optional(ws.git_path("shown"))
    try:
        return canonical.loads(data or b"{}", "shown")
    except RelayError:
        return {}
