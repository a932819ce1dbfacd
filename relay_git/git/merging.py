"""Commits that join two histories: the same pair gives the same commit, in every clone."""

from __future__ import annotations

from relay_git.git.store import Commit, Ident, Store
from relay_git.names import Oid

MERGER = ("git-relay", "merge@git-relay.invalid")
"""Who merges: nobody in particular, so that a merge is the same commit in every clone."""


def merge_commit(store: Store, tree: Oid, ours: Oid, theirs: Oid, message: str) -> Oid:
    """Parents in the order of their ids, nobody's identity, the date of the later parent."""
    parents = tuple(sorted((ours, theirs)))
    later = max(store.commit(parent).committer.time for parent in parents)
    who = Ident(*MERGER, later)
    return store.put_commit(Commit(tree, parents, who, who, message))
