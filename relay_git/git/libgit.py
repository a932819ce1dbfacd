"""The libgit engine: pygit2's object database in process. Objects only; refs go through git."""

from __future__ import annotations

import os
from typing import Any

from relay_git.git.objects import NativeObjects
from relay_git.git.repo import Repository
from relay_git.names import Oid


class LibgitObjects:
    """What libgit2 does not find, cannot read or cannot write is left to the native engine: git
    can fetch it, and what is wrong with it gets explained.
    """

    def __init__(self, native: NativeObjects, pygit2: Any, odb: Any) -> None:
        self._kinds = {
            "commit": pygit2.GIT_OBJECT_COMMIT,
            "tree": pygit2.GIT_OBJECT_TREE,
            "blob": pygit2.GIT_OBJECT_BLOB,
            "tag": pygit2.GIT_OBJECT_TAG,
        }
        self._names = {int(number): name for name, number in self._kinds.items()}
        self._error = pygit2.GitError
        self._odb = odb
        self._native = native

    def write(self, kind: str, data: bytes) -> Oid:
        try:
            return Oid(str(self._odb.write(self._kinds[kind], data)))
        except (self._error, OSError):
            return self._native.write(kind, data)

    def read(self, oid: Oid) -> tuple[str, bytes]:
        try:
            number, data = self._odb.read(str(oid))
        except (KeyError, self._error, OSError):
            return self._native.read(oid)
        return self._names[int(number)], data

    def close(self) -> None:
        self._native.close()


def open_libgit(repo: Repository, native: NativeObjects) -> LibgitObjects | None:
    """None where libgit2 cannot serve: SHA-256, reftable, unknown extensions, quarantine."""
    import pygit2

    if repo.object_format != "sha1" or not _keeps_its_own_objects(repo):
        return None
    try:
        odb = pygit2.Repository(repo.git_dir).odb
    except pygit2.GitError:
        return None
    return LibgitObjects(native, pygit2, odb)


def _keeps_its_own_objects(repo: Repository) -> bool:
    """Not so in pre-receive, where new objects are in a quarantine that libgit2 ignores."""
    return os.path.realpath(repo.objects) == os.path.realpath(f"{repo.common_dir}/objects")
