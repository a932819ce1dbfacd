"""Refs as git's files hold them, read without a process: most often nothing has changed.

Only once git was seen to write such a file here, which no other way of keeping refs would do. What
is not plainly there is a question for git itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from relay_git.errors import InvalidName
from relay_git.git.store import Move
from relay_git.names import LOCAL, RELAY, Oid, RefName

_SHARED = (RELAY, LOCAL)
"""Refs that all worktrees share."""
_PLAIN = re.compile(rb"(?!0+\n)([0-9a-f]{40,64})\n")


class RefFiles:
    """The refs of one repository that have files of their own."""

    def __init__(self, common_dir: str, digits: int) -> None:
        """An object id has so many hex digits."""
        self._directory, self._digits = common_dir, digits
        self._seen = False
        self._packed: tuple[str, tuple[int, ...], bool] | None = None

    def learn(self, moves: Iterable[Move]) -> None:
        """From moves that git has just made."""
        self._seen = self._seen or any(
            move.new and move.old != move.new == self._read(move.ref) for move in moves
        )

    def ref(self, name: RefName) -> Oid | None:
        """None if only git knows."""
        return self._read(name) if self._seen and name.startswith(_SHARED) else None

    def below(self, prefix: str) -> dict[RefName, Oid] | None:
        """All that lie directly below a prefix, sorted by name; None if only git knows. The packed
        refs are looked at last, for refs move to them from their files.
        """
        if not (self._seen and prefix.startswith(_SHARED)):
            return None
        found = self._files(prefix)
        return None if found is None or self._has_packed(prefix) else found

    def _files(self, prefix: str) -> dict[RefName, Oid] | None:
        try:
            names = sorted(os.listdir(os.path.join(self._directory, prefix)))
        except FileNotFoundError:
            return {} if os.path.isdir(os.path.join(self._directory, "refs")) else None
        except OSError:
            return None
        found: dict[RefName, Oid] = {}
        for name in names:
            try:
                ref = RefName(prefix + name)
            except InvalidName:  # such as a lock
                continue
            oid = self._read(ref)
            if oid is None:
                return None
            found[ref] = oid
        return found

    def _has_packed(self, prefix: str) -> bool:
        """Whether any ref of that kind may be. Found out once for each state of the file."""
        path = os.path.join(self._directory, "packed-refs")
        kind = "/".join(prefix.split("/")[:3])
        state = file_state(path)
        if not state:
            return False
        if self._packed is None or self._packed[:2] != (kind, state):
            try:
                with open(path, "rb") as file:
                    self._packed = kind, state, f" {kind}/".encode() in file.read()
            except OSError:
                return True
        return self._packed[2]

    def _read(self, name: RefName) -> Oid | None:
        """None too for what is no plain object id, such as a symbolic ref."""
        try:
            descriptor = os.open(f"{self._directory}/{name}", os.O_RDONLY)
        except OSError:
            return None
        try:
            found = _PLAIN.fullmatch(os.read(descriptor, 100))
        except OSError:
            return None
        finally:
            os.close(descriptor)
        plain = found and len(found[1]) == self._digits
        return Oid(found[1].decode()) if found and plain else None


def file_state(path: str) -> tuple[int, ...]:
    """What tells one state of a file from another; nothing where there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino
