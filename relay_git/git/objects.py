"""The native engine: loose objects in Python, everything else through one git process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from relay_git.errors import Corrupt, RelayError
from relay_git.git.batch import CatFile
from relay_git.git.loose import LooseObjects, Sharing
from relay_git.git.repo import Repository
from relay_git.names import Oid


class Objects(Protocol):
    """What an engine does: raw objects in, raw objects out."""

    def write(self, kind: str, data: bytes) -> Oid: ...

    def read(self, oid: Oid) -> tuple[str, bytes]:
        """Kind and content; `MissingObject` when it is nowhere."""
        ...

    def close(self) -> None: ...


class NativeObjects:
    """Starts no process as long as what is read is loose."""

    def __init__(self, repo: Repository, sharing: Callable[[], Sharing]) -> None:
        self._loose = LooseObjects(repo.objects, repo.object_format, sharing)
        self._packed = CatFile(repo)

    @property
    def sharing(self) -> Sharing:
        return self._loose.sharing

    def write(self, kind: str, data: bytes) -> Oid:
        return self._loose.write(kind, data)

    def read(self, oid: Oid) -> tuple[str, bytes]:
        try:
            found = self._loose.read(oid)
        except Corrupt as damage:
            return self._other_copy(oid, damage)
        return found or self._packed.read(oid)

    def _other_copy(self, oid: Oid, damage: Corrupt) -> tuple[str, bytes]:
        """git looks into packs first, so that fetching an object again mends it."""
        try:
            return self._packed.read(oid)
        except RelayError:
            raise damage from None

    def close(self) -> None:
        self._packed.close()
