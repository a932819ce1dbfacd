"""Make commits again without banned blobs: a pure function of a commit and of what is banned.

Everything else stays: author, committer, message, signed record. A commit that reaches nothing
banned keeps its id. A merge has its parents in the order of their ids, before and after, so that
merging what was rewritten gives the rewritten merge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from relay_git.chain.purged import marker
from relay_git.errors import Corrupt, RelayError
from relay_git.git.bulk import BulkStore
from relay_git.git.merging import MERGER
from relay_git.git.open import GitStore
from relay_git.git.repo import Repository
from relay_git.git.store import BLOB, Commit, TreeEntry
from relay_git.names import Oid

_AT_ONCE = 500
"""Commits that are held in memory together."""


class Rewriter:
    """Rewrites for one set of banned blobs, and remembers what became of each commit."""

    def __init__(self, store: GitStore, banned: Collection[Oid]) -> None:
        self._store, self._banned = store, banned
        self._trees: dict[Oid, Oid] = {}
        self.commits: dict[Oid, Oid] = {}
        """The new id of each commit that was looked at, often its old one."""

    def rewrite(self, tip: Oid) -> Oid:
        """The tip with all before it. Where a shallow clone was cut off, so is the rewrite."""
        order = [oid for oid in _parents_first(self._store.repo, tip) if oid not in self.commits]
        for start in range(0, len(order), _AT_ONCE):
            some = order[start : start + _AT_ONCE]
            store = BulkStore(self._store)
            store.fetch(some)
            store.fetch(store.commit(oid).tree for oid in some)
            for oid in some:
                self.commits[oid] = self._commit(store, oid)
            store.close()
        return self.commits[tip]

    def _commit(self, store: BulkStore, oid: Oid) -> Oid:
        commit = store.commit(oid)
        try:
            tree = self._tree(store, commit.tree)
        except RecursionError:
            raise Corrupt("its folders lie deeper than those of any step", where=oid) from None
        parents = tuple(self.commits.get(parent, parent) for parent in commit.parents)
        if (tree, parents) == (commit.tree, commit.parents):
            return oid
        if commit.committer.email == MERGER[1]:
            parents = tuple(sorted(parents))
        return store.put_commit(
            Commit(tree, parents, commit.author, commit.committer, commit.message)
        )

    def _tree(self, store: BulkStore, oid: Oid) -> Oid:
        if oid not in self._trees:
            before = store.tree(oid)
            after = [self._entry(store, entry) for entry in before]
            same = all(new is old for new, old in zip(after, before, strict=True))
            self._trees[oid] = oid if same else store.put_tree(after)
        return self._trees[oid]

    def _entry(self, store: BulkStore, entry: TreeEntry) -> TreeEntry:
        """The entry itself where nothing of it is banned."""
        if entry.is_tree:
            new = self._tree(store, entry.oid)
            return entry if new == entry.oid else TreeEntry(entry.mode, entry.name, new)
        if entry.oid in self._banned:
            return TreeEntry(BLOB, entry.name, store.put_blob(marker(entry.oid)))
        return entry


def reaching(
    repo: Repository, tips: Iterable[Oid], banned: Collection[Oid], clean: Iterable[Oid] = ()
) -> list[Oid]:
    """Those of the tips that reach a banned blob by way of commits that no `clean` one reaches."""
    without = [f"^{oid}" for oid in clean]
    return [tip for tip in dict.fromkeys(tips) if _reaches(repo, tip, banned, without)]


def _reaches(repo: Repository, tip: Oid, banned: Collection[Oid], without: list[str]) -> bool:
    """What git cannot go through may, and is named when it is made again."""
    options = ("--objects", "--no-object-names", "--missing=allow-promisor", "--stdin")
    asked = "".join(f"{word}\n" for word in (tip, *without)).encode()
    try:
        listed = repo.git("--no-replace-objects", "rev-list", *options, input=asked).stdout
    except RelayError:
        return True
    return any(oid in banned for oid in listed.decode("ascii").split())


def _parents_first(repo: Repository, tip: Oid) -> list[Oid]:
    options = ("--topo-order", "--reverse")
    listed = repo.git("--no-replace-objects", "rev-list", *options, tip).stdout
    return [Oid(line) for line in listed.decode("ascii").split()]
