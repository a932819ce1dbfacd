"""The store: one engine for objects, git for refs, and the order in which they reach the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from relay_git.errors import Corrupt, RelayError
from relay_git.git import codec
from relay_git.git.durability import REF_SETTINGS, sync_objects, sync_refs
from relay_git.git.loose import Sharing
from relay_git.git.objects import NativeObjects, Objects
from relay_git.git.refs import Refs
from relay_git.git.repo import Repository
from relay_git.git.store import Commit, Move, TreeEntry
from relay_git.names import Oid, RefName

if TYPE_CHECKING:
    from relay_git.git.config import Config

Durability = Literal["fsync", "os"]
ENGINES = ("native", "libgit")


def open_store(
    repo: Repository,
    config: Callable[[], Config] | None = None,
    engine: str = "auto",
    durability: Durability = "os",
) -> GitStore:
    """`engine` is native, libgit or auto; the environment's `GIT_RELAY_ENGINE` overrides it.
    `config` gives the configuration if and when it is needed.

    Where libgit2 cannot open the repository, or would ignore that a group shares its files,
    native serves. With `durability="fsync"` a `move` returns only when the objects and then the
    refs are on the disk.
    """
    objects = _engine(os.environ.get("GIT_RELAY_ENGINE") or engine, repo, config)
    return GitStore(repo, objects, durability)


class GitStore:
    """The port `store.Store` on one repository."""

    def __init__(self, repo: Repository, objects: Objects, durability: Durability) -> None:
        self.repo = repo
        self._objects = objects
        self._durable = durability == "fsync"
        self._refs = Refs(repo, *(REF_SETTINGS if self._durable else ()))
        self._unsynced: list[Oid] = []

    def put_blob(self, data: bytes) -> Oid:
        return self._put("blob", data)

    def put_tree(self, entries: Iterable[TreeEntry]) -> Oid:
        return self._put("tree", codec.encode_tree(entries))

    def put_commit(self, commit: Commit) -> Oid:
        return self._put("commit", codec.encode_commit(commit))

    def blob(self, oid: Oid) -> bytes:
        return self._get("blob", oid)

    def tree(self, oid: Oid) -> tuple[TreeEntry, ...]:
        data = self._get("tree", oid)
        try:
            return codec.decode_tree(data, self.repo.object_format)
        except (ValueError, RelayError) as error:
            raise Corrupt(f"not a tree: {error}", where=oid) from None

    def commit(self, oid: Oid) -> Commit:
        data = self._get("commit", oid)
        try:
            return codec.decode_commit(data)
        except (ValueError, RelayError) as error:
            raise Corrupt(f"not a commit: {error}", where=oid) from None

    def ref(self, name: RefName) -> Oid | None:
        return self._refs.ref(name)

    def refs(self, *prefixes: str) -> dict[RefName, Oid]:
        return self._refs.refs(*prefixes)

    def broken_refs(self, prefix: str) -> tuple[str, ...]:
        """Names below `prefix` that exist and cannot be read; `refs` leaves them out."""
        return self._refs.broken(prefix)

    def move(self, *moves: Move) -> None:
        if not self._durable:
            return self._refs.move(*moves)
        self._refs.begin()
        sync_objects(self.repo.objects, self._unsynced)
        self._unsynced.clear()
        self._refs.move(*moves)
        sync_refs(self.repo.common_dir, (move.ref for move in moves))
        return None

    def close(self) -> None:
        self._objects.close()
        self._refs.close()

    def _put(self, kind: str, data: bytes) -> Oid:
        oid = self._objects.write(kind, data)
        if self._durable:
            self._unsynced.append(oid)
        return oid

    def _get(self, kind: str, oid: Oid) -> bytes:
        found, data = self._objects.read(oid)
        if found != kind:
            raise Corrupt(f"a {found} where a {kind} was expected", where=oid)
        return data


def _engine(name: str, repo: Repository, config: Callable[[], Config] | None) -> Objects:
    if name not in ("auto", *ENGINES):
        raise RelayError(f"unknown engine {name!r}", hint="it is native or libgit")
    native = NativeObjects(repo, lambda: _sharing(repo, config))
    if name == "libgit" and not native.sharing.bits:
        from relay_git.git.libgit import open_libgit

        return open_libgit(repo, native) or native
    return native


def _sharing(repo: Repository, config: Callable[[], Config] | None) -> Sharing:
    from relay_git.git.config import read_config

    found = config() if config else read_config(repo)
    return Sharing.parse(found.get("core.sharedRepository"))
