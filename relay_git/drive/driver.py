"""Turn after turn, until the run ends, halts, or somebody refuses. One loop a worktree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from relay_git import files
from relay_git.drive.crew import Crew
from relay_git.drive.turn import Reopen, Turn, take
from relay_git.errors import Refused
from relay_git.workspace import Workspace


def drive(reopen: Reopen, crew: Crew, *, loop: bool, most: int | None = None) -> Iterator[Turn]:
    """Each turn when it is over. Without `loop` until the present stage is left.

    At most `most` turns. Raises what ends the run's way: `Refused`, `BackendError`.
    """
    with _alone(reopen()):
        made = 0
        while most is None or made < most:
            turn = take(reopen, crew)
            made += 1
            yield turn
            if turn.run.state.status != "open" or not (loop or turn.again):
                return


def _alone(ws: Workspace) -> ExitStack:
    """Two loops in one worktree would write into each other's artifacts."""
    directory = ws.git_path("driving")
    files.make_directory(directory)
    stack = ExitStack()
    try:
        stack.enter_context(files.exclusive(directory, wait=False))
    except BlockingIOError:
        raise Refused(
            "another `git relay run` drives this worktree",
            hint="let it end, or use another worktree (`git worktree add`)",
        ) from None
    return stack
