"""Merge two histories of a month: the union of their entries, a pure function of the two trees.

Where both have an entry and it is not the same, a total order decides, so merging is commutative,
associative and idempotent. A tombstone stands where a hidden run's tree lay: a union with a history
that still has the run does not bring it back.
"""

from __future__ import annotations

from collections.abc import Callable

from relay_git import canonical
from relay_git.chain.envelope import sha256
from relay_git.errors import RelayError
from relay_git.git.merging import merge_commit
from relay_git.git.store import BLOB, TREE, Store, TreeEntry
from relay_git.git.trees import Leaf
from relay_git.names import STEP_RECORD, Oid, RunId

MERGED = "merge two histories\n"
"""The message of a merge: it names no run, as a filing does."""

_FORMAT = 1

Choose = Callable[[Store, TreeEntry, TreeEntry], TreeEntry]


def merge_histories(store: Store, ours: Oid, theirs: Oid) -> Oid:
    """The commit that joins two histories of one month, whichever of them is ours."""
    if ours == theirs:
        return ours
    tree = _unite(store, store.commit(ours).tree, store.commit(theirs).tree, _day)
    return merge_commit(store, tree, ours, theirs, MERGED)


def winner(store: Store, ours: TreeEntry, theirs: TreeEntry) -> TreeEntry:
    """Which of two entries of a run a history keeps.

    1. a tombstone before a run   2. of two tombstones the one with the smaller object id
    3. of two runs the one whose last step is later
    """
    tombstones = [entry for entry in (ours, theirs) if not entry.is_tree]
    if tombstones:
        return min(tombstones, key=lambda entry: (entry.mode, entry.oid))
    return max(ours, theirs, key=lambda entry: lateness(store, entry.oid))


def lateness(store: Store, tree: Oid) -> tuple[int, str, Oid]:
    """The order of the trees of steps: nonce and digest of the record. One without comes first."""
    record = next((e for e in store.tree(tree) if (e.name, e.mode) == (STEP_RECORD, BLOB)), None)
    if record is None:
        return -1, "", tree
    data = store.blob(record.oid)
    return _nonce(data), sha256(data), tree


def tombstone(store: Store, run: RunId) -> Leaf:
    """What hides a run. It says neither who hid it nor when, so it is the same in every clone."""
    record = {"v": _FORMAT, "kind": "pruned", "run": run}
    return BLOB, store.put_blob(canonical.dumps(record) + b"\n")


def _nonce(record: bytes) -> int:
    """Also of a newer format: clones of any version must choose alike."""
    try:
        return canonical.integer(canonical.loads(record, STEP_RECORD)["nonce"])
    except (RelayError, KeyError, TypeError):
        return -1


def _day(store: Store, ours: TreeEntry, theirs: TreeEntry) -> TreeEntry:
    if ours.is_tree and theirs.is_tree:
        return TreeEntry(TREE, ours.name, _unite(store, ours.oid, theirs.oid, winner))
    return max(ours, theirs, key=lambda entry: (entry.is_tree, entry.mode, entry.oid))


def _unite(store: Store, ours: Oid, theirs: Oid, choose: Choose) -> Oid:
    """The tree with the entries of both. A tree that is there already is not written."""
    if ours == theirs:
        return ours
    mine, yours = ({entry.name: entry for entry in store.tree(oid)} for oid in (ours, theirs))
    united = yours | mine
    for name in mine.keys() & yours.keys():
        if mine[name] != yours[name]:
            united[name] = choose(store, mine[name], yours[name])
    same = [oid for oid, known in ((ours, mine), (theirs, yours)) if known == united]
    return same[0] if same else store.put_tree(united.values())
