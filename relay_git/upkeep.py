"""What git does for itself after its own commands, and nobody does after ours.

And one thing more. Every `git fetch` and `git push` of the user's looks up the commit of each ref,
ours too. In the index of a pack with millions of objects that takes a hundred times as long as in
a small one, since each look touches other pages of it. So our tips are kept in a small pack as
well. Like a cache it can be deleted at any time, as `git gc` does, and is made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from relay_git import files
from relay_git.errors import RelayError
from relay_git.names import HISTORY, LOCAL, NOTES, RELAY
from relay_git.workspace import Workspace

_MANY_REFS = 50
"""Files of refs that slow down every command which looks at all refs."""
_FEW_TIPS = 20
"""Are found soon enough wherever they lie."""


def upkeep(ws: Workspace) -> None:
    """Pack refs and gather tips where they are many, and let git pack objects when it thinks so.

    git does so behind our back, and none of it where the user has switched automatic maintenance
    off. `git gc` is asked because `git maintenance`, since 2.47, would be waited for.
    """
    if not ws.config.bool("maintenance.auto", default=True):
        return
    if sum(1 for _ in _ref_files(ws.repo.common_dir)) > _MANY_REFS:
        ws.repo.git("pack-refs", "--all", check=False)
    if not _is_partial(ws):
        _gather_tips(ws)
    ws.repo.git("gc", "--auto", "--quiet", check=False)


def _is_partial(ws: Workspace) -> bool:
    """Whether packs may lack what they refer to; those are marked, and ours would not be."""
    remotes = ws.config.subsections("remote")
    return any(ws.config.bool(f"remote.{remote}.promisor") for remote in remotes)


def _ref_files(common_dir: str) -> Iterator[str]:
    """There are none where another backend keeps the refs."""
    for prefix in (RELAY, NOTES, LOCAL):
        for _, _, found in os.walk(os.path.join(common_dir, prefix)):
            yield from found


def _gather_tips(ws: Workspace) -> None:
    """Into a pack of their own, unless nearly all of them lie in one that is there."""
    tips = sorted(set(ws.store.refs(HISTORY, NOTES).values()))
    record = os.path.join(ws.cache_dir, "tips")
    if len(tips) <= _FEW_TIPS or len(set(tips) - _gathered(ws, record)) <= _FEW_TIPS:
        return
    base = os.path.join(ws.repo.objects, "pack", "pack")
    made = ws.repo.git(
        "pack-objects", "--quiet", base, input="".join(f"{tip}\n" for tip in tips).encode()
    )
    found = {"pack": made.stdout.decode("ascii").strip(), "tips": tips}
    files.make_directory(ws.cache_dir)
    files.write_atomic(record, json.dumps(found).encode())


def _gathered(ws: Workspace, record: str) -> set[str]:
    """The tips in the small pack that was made last; none where it is gone."""
    try:
        found = json.loads(files.read_optional(record) or b"{}")
        pack = os.path.join(ws.repo.objects, "pack", f"pack-{found['pack']}.idx")
        return set(found["tips"]) if os.path.exists(pack) else set()
    except (RelayError, LookupError, TypeError, ValueError):
        return set()
