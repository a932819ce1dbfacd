"""What each hook does, and the words of its one line of summary.

A hook that only records leaves a worktree alone that is in the middle of something: what waits is
settled by the next hook or command. Nothing here writes the index, and LESSONS.md is written on
the default branch alone, so that parallel pull requests do not fight over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from relay_git import arriving, names
from relay_git.errors import InvalidName, RelayError
from relay_git.git.repo import discover
from relay_git.git.underway import underway
from relay_git.names import Oid
from relay_git.output import count
from relay_git.workflow import commits, pending
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.workflow.settle import Settled

PROBE = "GIT_RELAY_PROBE"
"""Names a file to be written in place of a hook's work: so it is proven that hooks fire."""


def commit_msg(ws: Workspace, args: Sequence[str], _: bytes) -> Iterator[str]:
    commits.add_trailer(ws, args[0])
    yield from ()


def post_commit(ws: Workspace, _args: Sequence[str], _: bytes) -> Iterator[str]:
    """What a fetch brought comes first, so that the commit follows it in the run."""
    if underway(ws.repo.git_dir):
        return
    if arrived := list(_take_in(ws)):
        yield from arrived
        ws = Workspace(discover(ws.repo.cwd))
    recorded = commits.record(ws)
    if recorded:
        pending.mark_noted(ws)
        yield from (f"not recorded: {name}" for name in recorded.left_out)
        if recorded.moved:
            yield recorded.moved.after.tip.commit.message.partition("\n")[0]
    yield from _settle(ws)


def post_checkout(ws: Workspace, _args: Sequence[str], _: bytes) -> Iterator[str]:
    if not underway(ws.repo.git_dir):
        yield from _catch_up(ws)


def post_merge(ws: Workspace, _args: Sequence[str], _: bytes) -> Iterator[str]:
    """git calls this when the merge is made, while MERGE_HEAD may still be there. A squash moves
    no HEAD, and so brings nothing yet."""
    if underway(ws.repo.git_dir) - {"merge"}:
        return
    yield from _catch_up(ws)
    if _is_default(ws) and _brought_lessons(ws) and _rebuild(ws):
        yield f"rebuilt {names.LESSONS_INDEX}"


def post_rewrite(ws: Workspace, args: Sequence[str], pairs: bytes) -> Iterator[str]:
    """A rebase calls this at its end, with its own marks still there; an amend may be a part of
    one, which tells of its commits later."""
    ends_a_rebase = args[:1] == ["rebase"]
    if underway(ws.repo.git_dir) - ({"rebase"} if ends_a_rebase else set()):
        return
    commits.move_notes(ws, _pairs(pairs))
    yield from _take_in(ws)
    if not underway(ws.repo.git_dir):
        yield from _settle(ws)


def pre_push(ws: Workspace, args: Sequence[str], _: bytes) -> Iterator[str]:
    from relay_git.githooks.sending import send

    yield from send(ws, args[0])


RECORDING: dict[str, Callable[[Workspace, Sequence[str], bytes], Iterator[str]]] = {
    "commit-msg": commit_msg,
    "post-commit": post_commit,
    "post-checkout": post_checkout,
    "post-merge": post_merge,
    "post-rewrite": post_rewrite,
    "pre-push": pre_push,
}
"""By hook; each is given the hook's arguments and its standard input."""


def _catch_up(ws: Workspace) -> Iterator[str]:
    """Take in what was fetched, then settle what has ended, here or there."""
    yield from _take_in(ws)
    yield from _settle(ws)


def _take_in(ws: Workspace) -> Iterator[str]:
    if not arriving.waiting(ws):
        return
    from relay_git.sync.telling import arrived

    try:
        for report in arriving.take_in(ws):
            yield from arrived(report)
    except RelayError as error:
        yield f"what was fetched is not taken in yet: {error}"


def _settle(ws: Workspace) -> Iterator[str]:
    if ws.repo.worktree is None or not pending.all_pending(ws):
        return
    from relay_git.workflow.settle import settle_pending

    yield from map(_told, settle_pending(ws, render=False))


def _told(settled: Settled) -> str:
    written = settled.delivery.written if settled.delivery else ()
    taught = f"{count(len(written), 'new lesson')} in {names.LESSONS}" if written else "filed"
    return f"{settled.run} is {settled.status}: {taught}"


def _is_default(ws: Workspace) -> bool:
    found = ws.default_branch()
    if ws.repo.worktree is None or ws.repo.branch is None or found is None:
        return False
    short = found[0].removeprefix("refs/remotes/origin/").removeprefix("refs/heads/")
    return ws.repo.branch == f"refs/heads/{short}"


def _brought_lessons(ws: Workspace) -> bool:
    """Whether the merge that was just made changed lesson files."""
    query = ("diff", "--quiet", "--no-ext-diff", "ORIG_HEAD", "HEAD", "--", names.LESSONS)
    return ws.repo.git(*query, check=False).code == 1


def _rebuild(ws: Workspace) -> bool:
    from relay_git.workflow.delivery import render_index

    return render_index(ws)


def _pairs(data: bytes) -> Iterator[tuple[Oid, Oid]]:
    """Old and new commit of each line; what else a line may hold is git's to define."""
    for line in data.decode("utf-8", "replace").splitlines():
        try:
            old, new = line.split(" ")[:2]
            yield Oid(old), Oid(new)
        except (ValueError, InvalidName):
            continue
