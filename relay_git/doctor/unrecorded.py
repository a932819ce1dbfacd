"""Commits that were made while a run was open and that no record tells of, of this run or another.

Another tool may have rewritten the hooks in between, or a program may have committed without
them. Only this user's own commits count: what a pull brought was made elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from relay_git import names
from relay_git.chain import chain
from relay_git.errors import RelayError
from relay_git.git.notes import note_in
from relay_git.names import Oid
from relay_git.workflow import runs
from relay_git.workflow.commits import read_notes
from relay_git.workflow.runs import Run
from relay_git.workspace import Workspace

_MOST = 500
_CODE = re.compile(rf"^{names.TRAILER_CODE}: (.+)$", re.M)


def unrecorded(ws: Workspace) -> Iterator[RelayError]:
    run = runs.current_or_none(ws)
    if run is None or ws.repo.head is None:
        return
    tips = ws.store.refs(names.NOTES).values()
    noted = [ws.store.commit(tip).tree for tip in reversed(tips)]
    for commit, subject in _made(ws, run):
        if not any(read_notes(note_in(ws.store, tree, commit) or b"") for tree in noted):
            hint = "`git relay hooks status` says whether hooks run"
            if commit == ws.repo.head:
                hint = "run `git relay hook post-commit`"
            yield RelayError(
                f"made during {run.id} without a record: {subject}", where=commit[:12], hint=hint
            )


def _made(ws: Workspace, run: Run) -> Iterator[tuple[Oid, str]]:
    """The user's commits on this branch since the run began, by their authors' dates: a rebase
    makes older ones again."""
    *_, first = chain.walk(ws.store, run.tip.oid)
    start = _CODE.search(first.commit.message)
    wanted = f"{start[1]}..HEAD" if start else "HEAD"
    options = ("--no-merges", "--first-parent", "--no-show-signature", f"--max-count={_MOST}")
    command = ("log", "-z", "--encoding=UTF-8", "--format=%H %at %ce%x09%s")
    listed = ws.repo.git(*command, *options, wanted, "--", check=False).stdout
    for line in listed.decode("utf-8", "replace").split("\0"):
        head, _, subject = line.partition("\t")
        commit, _, rest = head.partition(" ")
        when, _, email = rest.partition(" ")
        if email == ws.email and int(when) >= first.commit.committer.time:
            yield Oid(commit), subject
