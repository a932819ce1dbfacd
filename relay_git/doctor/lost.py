"""What a broken ref held: a commit that nothing names any more, known by what it says."""

from __future__ import annotations

import os
import re
import shlex

from relay_git import names
from relay_git.errors import RelayError
from relay_git.names import Oid
from relay_git.workspace import Workspace

_DANGLING = re.compile(rb"^dangling commit ([0-9a-f]{40,64})$", re.M)
_TIMEOUT = 600.0


def how_to_mend(ws: Workspace, ref: str) -> str:
    """Commands that let the ref stand again where it stood, if that can be told."""
    file = shlex.quote(os.path.join(ws.repo.common_dir, ref))
    tip = last_of(ws, ref)
    if tip is None:
        return f"see with `git fsck --dangling` what it held, then run `rm -f {file}`"
    return f"run `rm -f {file} && git update-ref {shlex.quote(ref)} {tip}`"


def last_of(ws: Workspace, ref: str) -> Oid | None:
    """Of a run or a month of history, the tip with most behind it: others lost a race once."""
    mine = [oid for oid in {*_dangling(ws), *_fetched(ws, ref)} if _is_of(ws, oid, ref)]
    return max(mine, key=lambda oid: (_length(ws, oid), oid), default=None)


def _dangling(ws: Workspace) -> list[Oid]:
    query = ("fsck", "--dangling", "--no-reflogs", "--connectivity-only", "--no-progress")
    said = ws.repo.git(*query, timeout=_TIMEOUT, check=False).stdout
    return [Oid(oid.decode()) for oid in _DANGLING.findall(said)]


def _fetched(ws: Workspace, ref: str) -> list[Oid]:
    """Where remotes had the ref when they were asked last."""
    name = ref.removeprefix("refs/")
    return [tip for tracking, tip in ws.store.refs(names.LOCAL).items() if tracking.endswith(name)]


def _is_of(ws: Workspace, commit: Oid, ref: str) -> bool:
    """A step has these trailers, where a code commit has one of them; a month has its root."""
    kind, _, name = ref.rpartition("/")
    try:
        if f"{kind}/" == names.RUNS:
            message = ws.store.commit(commit).message
            return f"\n{names.TRAILER_RUN}: {name}\n{names.TRAILER_STEP}: " in message
        return f"{kind}/" == names.HISTORY and _root_message(ws, commit) == f"history of {name}\n"
    except RelayError:
        return False


def _root_message(ws: Workspace, commit: Oid) -> str:
    query = ("rev-list", "--first-parent", "--max-parents=0", commit)
    root = ws.repo.git(*query).stdout.decode("ascii").strip()
    return ws.store.commit(Oid(root)).message


def _length(ws: Workspace, commit: Oid) -> int:
    return int(ws.repo.git("rev-list", "--count", commit).stdout)
