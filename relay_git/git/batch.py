"""Objects read through one `git cat-file --batch`: packs, alternates, promised objects."""

from __future__ import annotations

import re
import threading

from relay_git.errors import Corrupt, GitError, MissingObject, OutOfReach, RelayError
from relay_git.git.process import Child, Ended
from relay_git.git.repo import Repository
from relay_git.names import Oid

# What git says of damaged objects: compiled only then.

_DAMAGED = (
    rb"corrupt|unable to unpack|inflate: |hash mismatch|object file .* is empty"
    rb"|bad packed object|bad object header|unpack_entry"
)
_PROMISED = b"from promisor remote"
_SAID = rb"(?:fatal|error): (.*)"


class CatFile:
    """Started when first needed, started again when it died; git itself finds moved objects."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._child: Child | None = None
        self._lock = threading.Lock()

    def read(self, oid: Oid) -> tuple[str, bytes]:
        """Kind and content. A network that is down is a `GitError`, not a corrupt object."""
        with self._lock:
            try:
                return self._ask_twice(oid)
            except Ended as error:
                raise explained(oid, error) from None

    def close(self) -> None:
        if self._child:
            self._child.close()
        self._child = None

    def _ask_twice(self, oid: Oid) -> tuple[str, bytes]:
        try:
            return self._ask(oid)
        except Ended:
            return self._ask(oid)

    def _ask(self, oid: Oid) -> tuple[str, bytes]:
        child = self._serving()
        try:
            child.send(f"{oid}\n".encode())
            _, kind, *size = child.line().decode().split(" ")
            data = child.take(int(size[0]) + 1)[:-1] if size else b""
        except BaseException:
            self.close()
            raise
        if kind == "missing":
            raise _absent(oid, child.complaints())
        return kind, data

    def _serving(self) -> Child:
        if self._child and not self._child.alive:
            self.close()
        if self._child is None:
            self._child = self._repo.spawn("--no-replace-objects", "cat-file", "--batch")
        return self._child


def explained(oid: Oid, error: Ended) -> RelayError:
    """Why git ended when it was asked for an object."""
    if re.search(_DAMAGED, error.stderr):
        return Corrupt(_last(error.stderr), where=oid)
    if _PROMISED in error.stderr:
        return OutOfReach(oid, _first(error.stderr))
    return GitError(error.what)


def _absent(oid: Oid, complaints: bytes) -> RelayError:
    """git calls an object missing too that is there and cannot be read."""
    if re.search(_DAMAGED, complaints):
        return Corrupt(_last(complaints), where=oid)
    return MissingObject(oid)


def _first(stderr: bytes) -> str:
    """What went wrong first, without the word that says how bad it is."""
    return _all_said(stderr)[0]


def _last(stderr: bytes) -> str:
    return _all_said(stderr)[-1]


def _all_said(stderr: bytes) -> list[str]:
    said: list[bytes] = re.findall(_SAID, stderr)
    return [line.decode("utf-8", "replace") for line in said] or ["git cannot read the object"]
