"""The half of a store that is about objects, on whatever keeps them raw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from relay_git.errors import Corrupt, RelayError
from relay_git.git import codec
from relay_git.git.store import Commit, TreeEntry
from relay_git.names import Oid


class TypedObjects(ABC):
    """The verbs of the port `store.Store` that put and read blobs, trees and commits."""

    object_format: str
    """git's name of the hash: `sha1` or `sha256`."""
    on_server = False

    @abstractmethod
    def _put(self, kind: str, data: bytes) -> Oid: ...

    @abstractmethod
    def _raw(self, oid: Oid) -> tuple[str, bytes]:
        """Kind and content; `MissingObject` when it is nowhere."""

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
            return codec.decode_tree(data, self.object_format)
        except (ValueError, RelayError) as error:
            raise Corrupt(f"not a tree: {error}", where=oid) from None

    def commit(self, oid: Oid) -> Commit:
        data = self._get("commit", oid)
        try:
            return codec.decode_commit(data)
        except (ValueError, RelayError) as error:
            raise Corrupt(f"not a commit: {error}", where=oid) from None

    def _get(self, kind: str, oid: Oid) -> bytes:
        found, data = self._raw(oid)
        if found != kind:
            raise Corrupt(f"a {found} where a {kind} was expected", where=oid)
        return data
