"""What a step adds to a repository, and nothing else: its objects and the move of its ref.

Nothing is read, validated, counted, digested or signed, and all is there before a clock starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import pygit2

from relay_git.git import codec
from relay_git.git.store import Commit, Move, Store, TreeEntry
from relay_git.names import Oid, run_ref
from relay_git.pipeline import Snapshot
from relay_git.workspace import Workspace


class Added(NamedTuple):
    """The blobs and trees that are new with a step, in an order in which they can be written."""

    blobs: list[bytes]
    trees: list[tuple[TreeEntry, ...]]
    commit: Commit
    move: Move

    @property
    def raw(self) -> Iterator[tuple[int, bytes]]:
        """As libgit2 takes them: the kind, then the content."""
        yield from ((pygit2.GIT_OBJECT_BLOB, data) for data in self.blobs)
        yield from ((pygit2.GIT_OBJECT_TREE, codec.encode_tree(tree)) for tree in self.trees)
        yield pygit2.GIT_OBJECT_COMMIT, codec.encode_commit(self.commit)


Write = Callable[[], object]
Writer = Callable[[Workspace, list[Added]], list[Write]]
"""A call for each step, to be made in their order."""


def by_libgit(ws: Workspace, steps: list[Added]) -> list[Write]:
    """In C and in this process, by the library that programs write to git with."""
    repository = pygit2.Repository(ws.repo.git_dir)

    def write(raw: list[tuple[int, bytes]], move: Move) -> None:
        for kind, data in raw:
            repository.odb.write(kind, data)
        if move.old:
            repository.references[move.ref].set_target(str(move.new))
        else:
            repository.references.create(move.ref, str(move.new))

    return [lambda raw=list(step.raw), move=step.move: write(raw, move) for step in steps]  # type: ignore[misc]


def by_our_engine(ws: Workspace, steps: list[Added]) -> list[Write]:
    """By the part of us that steps are written with."""
    store = ws.store

    def write(step: Added) -> None:
        for data in step.blobs:
            store.put_blob(data)
        for entries in step.trees:
            store.put_tree(entries)
        store.put_commit(step.commit)
        store.move(step.move)

    return [lambda step=step: write(step) for step in steps]  # type: ignore[misc]


def added(store: Store, made: Iterable[Snapshot]) -> list[Added]:
    """By each of these steps of one run, in their order."""
    known: set[Oid] = set()
    before: Oid | None = None
    found = []
    for step in made:
        new = Added([], [], step.record.commit, Move(run_ref(step.run), before, step.id))
        _collect(store, step.record.commit.tree, new, known)
        found.append(new)
        before = step.id
    return found


def _collect(store: Store, tree: Oid, new: Added, known: set[Oid]) -> None:
    entries = store.tree(tree)
    for entry in entries:
        if entry.oid not in known:
            known.add(entry.oid)
            if entry.is_tree:
                _collect(store, entry.oid, new, known)
            else:
                new.blobs.append(store.blob(entry.oid))
    new.trees.append(entries)
