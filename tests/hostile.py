"""The repository that everybody syncs with, in the hands of somebody who writes any object."""

from __future__ import annotations

from pathlib import Path

from chains import opened
from support import git

from relay_git.git.store import BLOB, TREE, Commit
from relay_git.names import Oid

Entry = tuple[str, str, str]
"""Mode, name and object id, as they are to stand in the tree."""


class Workshop:
    def __init__(self, path: Path) -> None:
        self.path, self.store = path, opened(path)

    def raw(self, kind: str, data: bytes) -> Oid:
        """An object that git itself would not make."""
        return self.store._objects.write(kind, data)

    def blob(self, data: bytes = b"evil\n") -> Oid:
        return self.store.put_blob(data)

    def tree(self, *entries: Entry) -> Oid:
        """In this very order."""
        lines = [f"{mode} {name}\0".encode("utf-8", "surrogateescape") for mode, name, _ in entries]
        oids = [bytes.fromhex(oid) for _, _, oid in entries]
        return self.raw("tree", b"".join(a + b for a, b in zip(lines, oids, strict=True)))

    def entries(self, tree: str) -> list[Entry]:
        return [(entry.mode, entry.name, entry.oid) for entry in self.store.tree(Oid(tree))]

    def tip(self, ref: str) -> Oid:
        return Oid(git(self.path, "rev-parse", ref))

    def commit(self, oid: str) -> Commit:
        return self.store.commit(Oid(oid))

    def changed(self, oid: str, **changes: object) -> Oid:
        """The commit with something else in it."""
        return self.store.put_commit(self.commit(oid).replace(**changes))

    def with_file(self, oid: str, name: str, mode: str = BLOB, content: str | None = None) -> Oid:
        """The step with one more entry beside its artifacts."""
        root = self.entries(self.commit(oid).tree)
        (inner,) = [tree for _, entry, tree in root if entry == "artifacts"]
        entry = (mode, name, content or self.blob())
        added = self.tree(*sorted([*self.entries(inner), entry], key=_in_order))
        entries = [(m, n, added if n == "artifacts" else o) for m, n, o in root]
        return self.changed(oid, tree=self.tree(*entries))

    def with_record(self, oid: str, data: bytes) -> Oid:
        """The step with another `step.json`."""
        root = self.entries(self.commit(oid).tree)
        record = self.blob(data)
        entries = [(m, n, record if n == "step.json" else o) for m, n, o in root]
        return self.changed(oid, tree=self.tree(*entries))

    def record(self, oid: str) -> bytes:
        (record,) = [o for _, n, o in self.entries(self.commit(oid).tree) if n == "step.json"]
        return self.store.blob(Oid(record))

    def nested(self, name: str) -> Oid:
        """A tree with a file in a directory of that name."""
        return self.tree((TREE, name, self.tree((BLOB, "x", self.blob()))))

    def point(self, ref: str, oid: str) -> None:
        """git itself writes no such ref in some places, so its file is written."""
        path = self.path / ref
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{oid}\n")


def _in_order(entry: Entry) -> bytes:
    """As git sorts them."""
    mode, name, _ = entry
    return name.encode("utf-8", "surrogateescape") + (b"/" if mode == TREE else b"")
