"""The port: nine verbs and four value types. Everything above speaks only this."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from relay_git.errors import Corrupt, InvalidName
from relay_git.names import Oid, RefName
from relay_git.record import Record

BLOB = "100644"
EXECUTABLE = "100755"
SYMLINK = "120000"
GITLINK = "160000"
TREE = "40000"

_UNFIT = frozenset("<>\n\0")
_IDENT = re.compile(
    r"(?P<name>[^<>\n]*?) ?<(?P<email>[^<>\n]*)> (?P<time>-?\d+) (?P<zone>[+-]\d{4})"
)


class Ident(Record):
    """Who and when, as git writes it: `Ada <ada@example.com> 1777368600 +0000`."""

    name: str
    email: str
    time: int
    zone: str = "+0000"

    def __post_init__(self) -> None:
        if not _UNFIT.isdisjoint(self.name + self.email):
            raise InvalidName(f"{self.name!r} <{self.email!r}> cannot be an identity")

    @classmethod
    def parse(cls, text: str) -> Ident:
        found = _IDENT.fullmatch(text)
        if not found:
            raise Corrupt(f"not an identity: {text!r}")
        return cls(found["name"], found["email"], int(found["time"]), found["zone"])

    def __str__(self) -> str:
        return f"{self.name} <{self.email}> {self.time} {self.zone}"


class TreeEntry(Record):
    """One entry of a tree. `name` holds undecodable bytes as surrogate escapes."""

    mode: str
    name: str
    oid: Oid

    def __post_init__(self) -> None:
        if not self.name or "/" in self.name or "\0" in self.name:
            raise InvalidName(f"{self.name!r} cannot be a tree entry")

    @property
    def is_tree(self) -> bool:
        return self.mode == TREE


class Commit(Record):
    """A commit of ours; `message` ends with a newline."""

    tree: Oid
    parents: tuple[Oid, ...]
    author: Ident
    committer: Ident
    message: str


class Move(Record):
    """One ref's part of a transaction: `old=None` must not exist, `new=None` deletes."""

    ref: RefName
    old: Oid | None
    new: Oid | None


class Store(Protocol):
    """Objects and refs of one repository.

    Objects are durable before any ref names them. Reading what is not there raises
    `MissingObject`; reading an object of another kind raises `Corrupt`.
    """

    @property
    def on_server(self) -> bool:
        """Whether any verb may have to wait for another machine."""
        ...

    def put_blob(self, data: bytes) -> Oid: ...

    def put_tree(self, entries: Iterable[TreeEntry]) -> Oid:
        """Entries in any order; they are written in git's."""
        ...

    def put_commit(self, commit: Commit) -> Oid: ...

    def blob(self, oid: Oid) -> bytes: ...

    def tree(self, oid: Oid) -> tuple[TreeEntry, ...]: ...

    def commit(self, oid: Oid) -> Commit: ...

    def ref(self, name: RefName) -> Oid | None: ...

    def refs(self, *prefixes: str) -> dict[RefName, Oid]:
        """Every ref below one of the prefixes (which end with `/`), sorted by name."""
        ...

    def move(self, *moves: Move) -> None:
        """One ref transaction: all apply, or `Conflict` is raised and none does."""
        ...

    def close(self) -> None:
        """End the processes that serve this store."""
        ...
