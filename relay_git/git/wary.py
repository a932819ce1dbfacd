"""Read what a stranger may have written, before any ref of ours names it.

Nothing too large is loaded, and a tree is one of plain files under plain names, in the very form
that git writes. What is put here stays in memory: so things can be made again, to compare them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relay_git import names
from relay_git.errors import Corrupt, MissingObject
from relay_git.git import codec
from relay_git.git.batch import explained
from relay_git.git.bulk import BulkStore
from relay_git.git.open import GitStore
from relay_git.git.process import Child, Ended
from relay_git.git.store import BLOB, EXECUTABLE, GITLINK, SYMLINK, TreeEntry
from relay_git.names import Oid

_AT_ONCE = 60
"""Questions that fit into any pipe."""

_KINDS = {SYMLINK: "a symbolic link", GITLINK: "a submodule", EXECUTABLE: "executable"}


class WaryStore(BulkStore):
    """Raises `Corrupt` for objects of more than `most` bytes, and for trees that are not plain."""

    def __init__(self, store: GitStore, most: int) -> None:
        super().__init__(store)
        self._most = most
        self._sizes: dict[Oid, int] = {}
        self._kinds: dict[Oid, str] = {}
        self._sound: set[Oid] = set()
        self._written: dict[Oid, tuple[str, bytes]] = {}
        self._scales: Child | None = None

    def fetch(self, oids: Iterable[Oid]) -> list[Oid]:
        wanted = list(oids)
        self._weigh(wanted)
        return super().fetch(
            oid for oid in wanted if oid in self._sizes and self._sizes[oid] <= self._most
        )

    def tree(self, oid: Oid) -> tuple[TreeEntry, ...]:
        """An entry that is not plain is named by what it is called and what it is."""
        entries = super().tree(oid)
        if oid not in self._sound:
            _check(oid, entries, self._get("tree", oid))
            self._sound.add(oid)
        return entries

    def kind(self, oid: Oid) -> str:
        """Whether it is a blob, a tree, a commit or a tag."""
        self._weigh([oid])
        if oid not in self._kinds:
            raise MissingObject(oid)
        return self._kinds[oid]

    def check_size(self, path: str, oid: Oid) -> None:
        """Raises `Corrupt` for what is too large to be read, without reading it."""
        if oid not in self._sizes:
            self._weigh([oid])
        size = self._sizes.get(oid, 0)
        if size > self._most:
            raise Corrupt(f"{path}: {size} bytes, and relay.maxArtifact is {self._most}")

    def close(self) -> None:
        super().close()
        if self._scales:
            self._scales.close()
        self._scales = None

    def _put(self, kind: str, data: bytes) -> Oid:
        oid = codec.object_id(kind, data, self.repo.object_format)
        self._written[oid] = kind, data
        return oid

    def _get(self, kind: str, oid: Oid) -> bytes:
        if oid in self._written and self._written[oid][0] == kind:
            return self._written[oid][1]
        self.check_size(f"{kind} {oid[:12]}", oid)
        if oid not in self._sizes:
            raise MissingObject(oid)
        return super()._get(kind, oid)

    def _weigh(self, oids: Sequence[Oid]) -> None:
        """Learn the sizes that are not known. What is not there gets none."""
        unknown = [oid for oid in dict.fromkeys(oids) if oid not in self._sizes]
        for start in range(0, len(unknown), _AT_ONCE):
            self._ask(unknown[start : start + _AT_ONCE])

    def _ask(self, oids: Sequence[Oid]) -> None:
        if self._scales is None:
            asked = ("--no-replace-objects", "cat-file", "--batch-check")
            self._scales = self.repo.spawn(*asked)
        try:
            self._scales.send("".join(f"{oid}\n" for oid in oids).encode())
            for oid in oids:
                _, kind, *size = self._scales.line().decode().split(" ")
                if size:
                    self._sizes[oid], self._kinds[oid] = int(size[0]), kind
        except Ended as error:
            self._scales = None
            raise explained(oids[0], error) from None


def _check(oid: Oid, entries: Sequence[TreeEntry], data: bytes) -> None:
    for entry in entries:
        shown = names.spelled(entry.name)
        if not names.is_plain(entry.name):
            raise Corrupt(f"{shown!r} cannot be the name of a file", where=oid)
        if not entry.is_tree and entry.mode != BLOB:
            kind = _KINDS.get(entry.mode, f"of mode {entry.mode}")
            raise Corrupt(f"{shown!r} is {kind}, not a plain file", where=oid)
    if codec.encode_tree(entries) != data:
        raise Corrupt("a tree in another form than git writes", where=oid)
