"""Edits to a tree by path. Only the subtrees on the way to an edit are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from relay_git.errors import InvalidName
from relay_git.git.store import TREE, Store, TreeEntry
from relay_git.names import Oid

Leaf = tuple[str, Oid]
"""Mode and object id of what a path shall hold."""


_REMEMBERED = 32
_LARGEST = 256
"""Entries of a tree that is worth to remember."""


class Trees(Protocol):
    """The part of a store that is about trees."""

    def tree(self, oid: Oid) -> tuple[TreeEntry, ...]: ...

    def put_tree(self, entries: Iterable[TreeEntry]) -> Oid: ...


class RecentTrees:
    """Those that were put here last are remembered: to edit them further, not to judge what is
    stored. Their entries are in the order in which they were put."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._recent: dict[Oid, tuple[TreeEntry, ...]] = {}

    def tree(self, oid: Oid) -> tuple[TreeEntry, ...]:
        return self._recent.get(oid) or self._trees.tree(oid)

    def put_tree(self, entries: Iterable[TreeEntry]) -> Oid:
        listed = tuple(entries)
        oid = self._trees.put_tree(listed)
        if len(listed) <= _LARGEST:
            self._recent[oid] = listed
        for old in list(self._recent)[:-_REMEMBERED]:
            self._recent.pop(old, None)
        return oid


def edit_tree(trees: Trees, tree: Oid | None, edits: Mapping[str, Leaf | None]) -> Oid | None:
    """Put each path's leaf, or delete the path (None); None when nothing is left.

    An edit wins over what is in its way: a file over a directory and a directory over a file.
    Deleting what is not there changes nothing, and an unchanged tree is not written.
    """
    here, below = _split(edits)
    before = {entry.name: entry for entry in trees.tree(tree)} if tree else {}
    after = dict(before)
    for name, leaf in here.items():
        _replace(after, name, leaf)
    for name, inner in below.items():
        old = before.get(name)
        directory = old.oid if old and old.is_tree else None
        new = edit_tree(trees, directory, inner)
        if new or directory:
            _replace(after, name, (TREE, new) if new else None)
    if after == before:
        return tree if after else None
    return trees.put_tree(after.values()) if after else None


def read_path(store: Store, tree: Oid | None, path: str) -> TreeEntry | None:
    """The entry at `path`, a file or a tree; None when there is none."""
    directory, _, name = path.rpartition("/")
    if directory:
        parent = read_path(store, tree, directory)
        tree = parent.oid if parent and parent.is_tree else None
    entries = store.tree(tree) if tree else ()
    return next((entry for entry in entries if entry.name == name), None)


def walk(store: Store, tree: Oid | None, prefix: str = "") -> Iterator[tuple[str, TreeEntry]]:
    """Every file below `tree` with its path, in git's order."""
    for entry in store.tree(tree) if tree else ():
        path = prefix + entry.name
        if entry.is_tree:
            yield from walk(store, entry.oid, path + "/")
        else:
            yield path, entry


def _split(
    edits: Mapping[str, Leaf | None],
) -> tuple[dict[str, Leaf | None], dict[str, dict[str, Leaf | None]]]:
    """The edits of this directory, and those of each directory below it."""
    here: dict[str, Leaf | None] = {}
    below: dict[str, dict[str, Leaf | None]] = {}
    for path, leaf in edits.items():
        name, slash, rest = path.partition("/")
        if slash:
            below.setdefault(name, {})[rest] = leaf
        else:
            here[name] = leaf
    for name in here.keys() | below.keys():
        if not name or (name in here and name in below):
            raise InvalidName(f"the edits of {name!r} contradict each other or have no name")
    return here, below


def _replace(entries: dict[str, TreeEntry], name: str, leaf: Leaf | None) -> None:
    if leaf:
        entries[name] = TreeEntry(leaf[0], name, leaf[1])
    else:
        entries.pop(name, None)
