"""The store: one engine for objects, git for refs, and the order in which they reach the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from relay_git.errors import RelayError
from relay_git.git.durability import REF_SETTINGS, sync_objects, sync_refs
from relay_git.git.loose import Sharing
from relay_git.git.objects import NativeObjects, Objects
from relay_git.git.refs import Refs
from relay_git.git.repo import Repository
from relay_git.git.store import Move
from relay_git.git.typed import TypedObjects
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


class GitStore(TypedObjects):
    """The port `store.Store` on one repository."""

    def __init__(self, repo: Repository, objects: Objects, durability: Durability) -> None:
        self.repo, self.object_format = repo, repo.object_format
        self._objects = objects
        self._durable = durability == "fsync"
        self._refs = Refs(repo, *(REF_SETTINGS if self._durable else ()))
        self._unsynced: list[Oid] = []

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

    def _raw(self, oid: Oid) -> tuple[str, bytes]:
        return self._objects.read(oid)


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
