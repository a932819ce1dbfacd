"""A store on anything that gives back what was put under a key, and moves refs atomically."""

from __future__ import annotations

import hashlib
import threading
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from relay_git.errors import Conflict, Corrupt, MissingObject, Refused, RelayError
from relay_git.git import codec
from relay_git.git.store import Move
from relay_git.git.typed import TypedObjects
from relay_git.names import Oid, RefName

MAX_OBJECT = 100_000_000
"""The largest object in bytes, its header included."""
_REMEMBERED = 16 * 2**20


class KeyedStore(TypedObjects):
    """The port `store.Store`. A subclass reads raw objects and refs, and writes both at once.

    Raw is what git hashes: kind, size, a NUL, the content. Objects wait here until a `move` of a
    ref leads to them, which writes them before it moves the ref. Whatever was checked against its
    id is remembered, up to some bytes, and not asked for again: nothing else can have that id. What
    a ref names is asked for every time.
    """

    object_format = "sha256"
    remembers = _REMEMBERED

    def __init__(self) -> None:
        self._unwritten: dict[Oid, bytes] = {}
        self._known = Remembered(self.remembers)
        self._lock = threading.Lock()

    @property
    @abstractmethod
    def where(self) -> str:
        """What is kept where, for people; no password is in it."""

    @abstractmethod
    def ref(self, name: RefName) -> Oid | None: ...

    @abstractmethod
    def _read(self, oid: Oid, most: int) -> bytes | None:
        """What lies under that id, at most so many bytes of it."""

    @abstractmethod
    def _refs(self, prefixes: Sequence[str]) -> Mapping[RefName, Oid]:
        """Every ref below one of the prefixes, in any order."""

    @abstractmethod
    def _write(self, objects: Mapping[Oid, bytes], moves: Sequence[Move]) -> None:
        """Write the objects, then move the refs. `Conflict`: none of them moved."""

    @abstractmethod
    def close(self) -> None: ...

    def refs(self, *prefixes: str) -> dict[RefName, Oid]:
        found = self._refs(prefixes)
        return {name: found[name] for name in sorted(found)}

    def move(self, *moves: Move) -> None:
        if not moves:
            return
        objects = self._wanted(move.new for move in moves if move.new)
        try:
            self._write(objects, sorted(moves, key=lambda move: move.ref))
        except Conflict:
            raise
        except RelayError:
            if not self._has_made(moves):
                raise
        with self._lock:
            for oid, raw in objects.items():
                self._unwritten.pop(oid, None)
                self._known.add(oid, raw)

    def _has_made(self, moves: Iterable[Move]) -> bool:
        """Whether all is as wanted, so that no more than the answer to a write was lost."""
        with suppress(RelayError):
            return all(self.ref(move.ref) == move.new for move in moves)
        return False

    def _wanted(self, tips: Iterable[Oid]) -> dict[Oid, bytes]:
        """Those that wait and that one of the tips leads to: what was put for a move that failed
        burdens no other."""
        with self._lock:
            waiting = dict(self._unwritten)
        found: dict[Oid, bytes] = {}
        left = list(tips)
        while left:
            oid = left.pop()
            if raw := waiting.pop(oid, None):
                found[oid] = raw
                left += self._named_by(oid, raw)
        return found

    def _named_by(self, oid: Oid, raw: bytes) -> Iterable[Oid]:
        if raw.startswith(b"commit "):
            commit = self.commit(oid)
            return (commit.tree, *commit.parents)
        return (entry.oid for entry in self.tree(oid)) if raw.startswith(b"tree ") else ()

    def _put(self, kind: str, data: bytes) -> Oid:
        raw = codec.framed(kind, data)
        if len(raw) > MAX_OBJECT:
            raise Refused(f"{len(raw)} bytes are more than the {MAX_OBJECT} that it takes as one")
        oid = Oid(_digest(raw))
        with self._lock:
            self._unwritten[oid] = raw
        return oid

    def _raw(self, oid: Oid) -> tuple[str, bytes]:
        with self._lock:
            raw = self._unwritten.get(oid) or self._known.get(oid)
        if raw is None:
            raw = self._checked(oid)
            with self._lock:
                self._known.add(oid, raw)
        head, _, data = raw.partition(b"\0")
        kind = head.partition(b" ")[0].decode("ascii", "replace")
        if raw != codec.framed(kind, data):
            raise Corrupt(f"object {oid} does not begin as one", where=self.where)
        return kind, data

    def _checked(self, oid: Oid) -> bytes:
        raw = self._read(oid, MAX_OBJECT + 1)
        if raw is None:
            raise MissingObject(oid, self.where)
        if len(raw) > MAX_OBJECT:
            raise Corrupt(f"object {oid} has over {MAX_OBJECT} bytes", where=self.where)
        if _digest(raw) != oid:
            raise Corrupt(f"object {oid} is not the one that its id names", where=self.where)
        return raw


class Remembered:
    """Raw objects by id, of so many bytes together; those used longest ago are forgotten."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._raw: dict[Oid, bytes] = {}

    def get(self, oid: Oid) -> bytes | None:
        raw = self._raw.pop(oid, None)
        if raw is not None:
            self._raw[oid] = raw
        return raw

    def add(self, oid: Oid, raw: bytes) -> None:
        if oid in self._raw:
            return
        self._raw[oid] = raw
        self._size += len(raw)
        while self._size > self._most:
            oldest = next(iter(self._raw))
            self._size -= len(self._raw.pop(oldest))


def moved(refs: Mapping[RefName, Oid], moves: Sequence[Move]) -> dict[RefName, Oid]:
    """The refs as they are after the moves. Raises `Conflict`."""
    after = dict(refs)
    for move in moves:
        if refs.get(move.ref) != move.old:
            raise Conflict(move.ref, move.old, refs.get(move.ref))
        if move.new:
            after[move.ref] = move.new
        else:
            after.pop(move.ref, None)
    return after


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
