"""Objects below our refs that are missing or damaged, as an interrupted fetch, a wrong `prune` or a
power cut leaves them.

All that open runs hold is read. Of the rest, which may be a hundred thousand runs, git says what is
missing; `git fsck` reads it too.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator

from relay_git import names
from relay_git.errors import Corrupt, MissingObject, OutOfReach, RelayError
from relay_git.git.missing import missing
from relay_git.git.store import Store, TreeEntry
from relay_git.names import Oid
from relay_git.sync import remotes
from relay_git.workspace import Workspace


def objects(ws: Workspace) -> Iterator[RelayError]:
    fetch, seen = _fetch(ws), set[Oid]()
    runs = ws.store.refs(names.RUNS)
    for ref, tip in runs.items():
        for label, problem in _unreadable(ws, tip, seen):
            what = f"{problem.what} ({problem.where})" if problem.where else problem.what
            yield RelayError(f"{label}: {what}", where=ref, hint=_hint(problem, fetch))
    others = ws.store.refs(names.RELAY, names.NOTES)
    for problem in missing(ws.repo, [tip for ref, tip in others.items() if ref not in runs]):
        what = f"below history, notes or another ref: {problem.what}"
        yield RelayError(what, hint=_hint(problem, fetch))


def _unreadable(ws: Workspace, tip: Oid, seen: set[Oid]) -> Iterator[tuple[str, RelayError]]:
    """What cannot be read of a run, as git names it: `<commit>:artifacts/plan.md`."""
    grafts = ws.repo.grafts()
    ahead = [("commit", tip[:12], tip)]
    while ahead:
        kind, label, oid = ahead.pop()
        if oid in seen:
            continue
        seen.add(oid)
        try:
            ahead += _read(ws.store, kind, label, oid, grafts)
        except (MissingObject, Corrupt) as problem:
            yield label, problem
        except OutOfReach:
            continue


def _read(
    store: Store, kind: str, label: str, oid: Oid, grafts: Collection[str]
) -> list[tuple[str, str, Oid]]:
    """Read one object; those that it names. A commit that is no step is not gone into."""
    if kind == "blob":
        store.blob(oid)
        return []
    if kind == "tree":
        return [_entry(label, entry) for entry in store.tree(oid)]
    commit = store.commit(oid)
    if not any(entry.name == names.STEP_RECORD for entry in store.tree(commit.tree)):
        return []
    parents = () if oid in grafts else commit.parents
    above = [("commit", parent[:12], parent) for parent in parents]
    return [("tree", f"{label}:", commit.tree), *above]


def _entry(label: str, entry: TreeEntry) -> tuple[str, str, Oid]:
    kind, slash = ("tree", "/") if entry.is_tree else ("blob", "")
    return kind, f"{label}{entry.name}{slash}", entry.oid


def _fetch(ws: Workspace) -> str | None:
    """The command that brings what a remote has of what is missing here."""
    known = remotes.remotes(ws.config)
    remote = "REMOTE" if len(known) > 1 else "".join(known)
    return f"git fetch --refetch {shlex.quote(remote)}" if remote else None


def _hint(problem: RelayError, fetch: str | None) -> str:
    """A damaged file is taken for the object, and so has to go first."""
    if fetch is None:
        return "another clone or a backup may have it"
    damaged = problem.where if problem.where and os.path.isabs(problem.where) else None
    return f"run `{f'rm -f {shlex.quote(damaged)} && ' if damaged else ''}{fetch}`"
