"""What git does for itself after its own commands, and nobody does after ours.

And one thing more. Every `git fetch` and `git push` of the user's looks up the commit of each ref,
ours too. In the index of a pack with millions of objects, or in a commit-graph of as many commits,
that takes a hundred times as long as in a small one, since each look touches other pages of it. So
our tips are kept in a small pack as well, and the commit-graph has the user's own commits alone.
`git gc` undoes both, as it may do with a cache, and both are made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress

from relay_git import files
from relay_git.errors import RelayError
from relay_git.names import HISTORY, LOCAL, NOTES, RELAY, Oid
from relay_git.record import Record, as_dict
from relay_git.workspace import Workspace

_MANY_REFS = 50
"""Files of refs that slow down every command which looks at all refs."""
_FEW_TIPS = 20
"""Are found soon enough wherever they lie."""
_SECONDS = 10.0
"""For the commit-graph, which takes so long only where the user's own commits are millions."""


class _Made(Record):
    """The small pack, the tips in it, and the file of the commit-graph as it was left then."""

    pack: str
    tips: tuple[str, ...]
    graph: tuple[int, ...] = ()


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
        _speed_up(ws)
    ws.repo.git("gc", "--auto", "--quiet", check=False)


def is_due(ws: Workspace) -> bool:
    """Whether git has undone since what was done for many tips; no process is asked."""
    made = _made(ws)
    return made is not None and not (_is_there(ws, made) and _graph(ws) in ((), made.graph))


def _is_partial(ws: Workspace) -> bool:
    """Whether packs may lack what they refer to; those are marked, and ours would not be."""
    remotes = ws.config.subsections("remote")
    return any(ws.config.bool(f"remote.{remote}.promisor") for remote in remotes)


def _ref_files(common_dir: str) -> Iterator[str]:
    """There are none where another backend keeps the refs."""
    for prefix in (RELAY, NOTES, LOCAL):
        for _, _, found in os.walk(os.path.join(common_dir, prefix)):
            yield from found


def _speed_up(ws: Workspace) -> None:
    """Where there are many tips, unless nearly all were gathered and git has undone nothing."""
    tips = sorted(set(ws.store.refs(HISTORY, NOTES).values()))
    if len(tips) <= _FEW_TIPS:
        return
    made = _made(ws)
    if made is None or not _is_there(ws, made) or len(set(tips) - set(made.tips)) > _FEW_TIPS:
        made = _gather(ws, tips)
    if made and _graph(ws) not in ((), made.graph):
        _narrow_graph(ws)
    if made:
        record = json.dumps(as_dict(made.replace(graph=_graph(ws))))
        files.make_directory(ws.cache_dir)
        files.write_atomic(_record(ws), record.encode())


def _gather(ws: Workspace, tips: list[Oid]) -> _Made | None:
    """The tips in a pack of their own; None where it cannot be written."""
    base = os.path.join(ws.repo.objects, "pack", "pack")
    asked = "".join(f"{tip}\n" for tip in tips).encode()
    made = ws.repo.git("pack-objects", "--quiet", base, input=asked, check=False)
    return None if made.code else _Made(made.stdout.decode("ascii").strip(), tuple(tips))


def _narrow_graph(ws: Workspace) -> None:
    """To what other refs than ours reach."""
    refs = ws.repo.git("for-each-ref", "--format=%(objectname) %(refname)").stdout.splitlines()
    ours = tuple(prefix.encode() for prefix in (RELAY, NOTES, LOCAL))
    tips = [
        oid for oid, _, ref in (line.partition(b" ") for line in refs) if not ref.startswith(ours)
    ]
    command = ("commit-graph", "write", "--stdin-commits", "--no-progress")
    with suppress(RelayError):
        ws.repo.git(*command, input=b"\n".join([*tips, b""]), timeout=_SECONDS, check=False)


def _graph(ws: Workspace) -> tuple[int, ...]:
    """What tells one commit-graph from another. Nothing where there is none in one file, as
    `git gc` writes it: what is kept in layers is somebody's who wants it so."""
    try:
        found = os.stat(os.path.join(ws.repo.objects, "info", "commit-graph"))
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def _is_there(ws: Workspace, made: _Made) -> bool:
    return os.path.exists(os.path.join(ws.repo.objects, "pack", f"pack-{made.pack}.idx"))


def _made(ws: Workspace) -> _Made | None:
    """What was made last; None where nothing was, or nobody can tell."""
    try:
        found = json.loads(files.read_optional(_record(ws)) or b"{}")
        return _Made(str(found["pack"]), tuple(found["tips"]), tuple(found["graph"]))
    except (RelayError, LookupError, TypeError, ValueError):
        return None


def _record(ws: Workspace) -> str:
    return os.path.join(ws.cache_dir, "tips")
