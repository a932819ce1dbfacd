"""Reading thousands of objects: asked for many at a time, and held in memory.

A question to `git cat-file` that waits for its answer costs ten times what the answer does, since
two processes take turns. Whoever knows what will be read fetches it first. What reads a store then
reads this one from memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from relay_git.git.objects import Objects
from relay_git.git.open import GitStore
from relay_git.git.process import Child, Ended
from relay_git.git.repo import Repository
from relay_git.git.store import Commit, Move, TreeEntry
from relay_git.names import Oid, RefName

_AT_ONCE = 60
"""Questions that fit into any pipe, so that neither side waits for the other to read."""


class BulkStore(GitStore):
    """Another store, seen by somebody who says beforehand what will be read.

    What was fetched is held until this is thrown away, and decoded once. What is written is
    written by the other, which stays open when this is closed.
    """

    def __init__(self, store: GitStore) -> None:
        self._held = _Held(store.repo, store._objects)
        super().__init__(store.repo, self._held, "os")
        self._store = store
        self._trees: dict[Oid, tuple[TreeEntry, ...]] = {}
        self._commits: dict[Oid, Commit] = {}

    def ref(self, name: RefName) -> Oid | None:
        return self._store.ref(name)

    def fetch(self, oids: Iterable[Oid]) -> list[Oid]:
        """Hold these; which of them are there. What is not is missed when it is read."""
        wanted = list(dict.fromkeys(oids))
        self._held.fetch(wanted)
        return [oid for oid in wanted if oid in self._held]

    def fetch_ancestry(self, tips: Iterable[Oid]) -> list[Oid]:
        """Hold these commits and all before them; which they are."""
        found: dict[Oid, None] = {}
        ahead = self.fetch(tips)
        while ahead:
            found |= dict.fromkeys(ahead)
            parents = {parent for oid in ahead for parent in self.commit(oid).parents}
            ahead = self.fetch(parents - found.keys())
        return list(found)

    def raw(self, oid: Oid) -> tuple[str, bytes]:
        """Kind and content, whatever it is."""
        return self._held.read(oid)

    def tree(self, oid: Oid) -> tuple[TreeEntry, ...]:
        if oid not in self._trees:
            self._trees[oid] = super().tree(oid)
        return self._trees[oid]

    def commit(self, oid: Oid) -> Commit:
        if oid not in self._commits:
            self._commits[oid] = super().commit(oid)
        return self._commits[oid]

    def move(self, *moves: Move) -> None:
        self._store.move(*moves)

    def _put(self, kind: str, data: bytes) -> Oid:
        return self._store._put(kind, data)


def fetch_notes(store: BulkStore, tree: Oid, oids: Iterable[Oid]) -> None:
    """Hold the notes on these objects, and the trees on the way to them, whatever the fan-out."""
    ahead: dict[Oid, list[str]] = {tree: list(oids)}
    notes: list[Oid] = []
    while ahead:
        below: dict[Oid, list[str]] = {}
        for directory in store.fetch(ahead):
            entries = {entry.name: entry for entry in store.tree(directory)}
            for rest in ahead[directory]:
                if note := entries.get(rest):
                    notes.append(note.oid)
                if (fan := entries.get(rest[:2])) and fan.is_tree:
                    below.setdefault(fan.oid, []).append(rest[2:])
        ahead = below
    store.fetch(notes)


def changed_files(
    store: BulkStore, old: Oid | None, new: Oid | None
) -> dict[str, TreeEntry | None]:
    """By path, the files in which `new` differs from `old`, None for one that is gone."""
    found: dict[str, TreeEntry | None] = {}
    ahead = [("", old, new)]
    while ahead:
        store.fetch(tree for _, *pair in ahead for tree in pair if tree)
        below = []
        for prefix, *pair in ahead:
            for name, before, after in _differing(store, *pair):
                files = [entry for entry in (before, after) if entry and not entry.is_tree]
                if files:
                    found[prefix + name] = after if after in files else None
                if _tree(before) or _tree(after):
                    below.append((f"{prefix}{name}/", _tree(before), _tree(after)))
        ahead = below
    return found


def _tree(entry: TreeEntry | None) -> Oid | None:
    return entry.oid if entry and entry.is_tree else None


def _differing(
    store: BulkStore, old: Oid | None, new: Oid | None
) -> Iterator[tuple[str, TreeEntry | None, TreeEntry | None]]:
    """Name, old and new entry of what is not the same in two trees."""
    before, after = ({e.name: e for e in store.tree(oid)} if oid else {} for oid in (old, new))
    for name in before.keys() | after.keys():
        if before.get(name) != after.get(name):
            yield name, before.get(name), after.get(name)


class _Held:
    """An engine that has what it fetched in memory, and asks another for the rest."""

    def __init__(self, repo: Repository, other: Objects) -> None:
        self._repo = repo
        self._other = other
        self._child: Child | None = None
        self._objects: dict[Oid, tuple[str, bytes]] = {}

    def __contains__(self, oid: Oid) -> bool:
        return oid in self._objects

    def fetch(self, oids: Sequence[Oid]) -> None:
        """A process that dies is no error yet: the other engine will say what is wrong."""
        wanted = [oid for oid in oids if oid not in self._objects]
        try:
            for start in range(0, len(wanted), _AT_ONCE):
                self._ask(wanted[start : start + _AT_ONCE])
        except Ended:
            self.close()

    def read(self, oid: Oid) -> tuple[str, bytes]:
        return self._objects.get(oid) or self._other.read(oid)

    def write(self, kind: str, data: bytes) -> Oid:
        return self._other.write(kind, data)

    def close(self) -> None:
        if self._child:
            self._child.close()
        self._child = None

    def _ask(self, oids: Sequence[Oid]) -> None:
        if self._child is None:
            self._child = self._repo.spawn("--no-replace-objects", "cat-file", "--batch")
        self._child.send("".join(f"{oid}\n" for oid in oids).encode())
        for oid in oids:
            _, kind, *size = self._child.line().decode().split(" ")
            if size:
                self._objects[oid] = kind, self._child.take(int(size[0]) + 1)[:-1]
