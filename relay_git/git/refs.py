"""Refs, read and moved by git itself, and the way to lose a race and try again."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import TypeVar

from relay_git import clock
from relay_git.errors import Conflict, Corrupt, GitError, InvalidName, Locked
from relay_git.git.process import Child, Ended
from relay_git.git.repo import Repository
from relay_git.git.store import Move
from relay_git.names import Oid, RefName

T = TypeVar("T")

# What git says when something is wrong: compiled only then.

_BROKEN = rb"warning: ignoring (?:broken ref|dangling symref|ref with broken name) (\S+)"
_LOCK = rb"Unable to create '(.+\.lock)': (?:File exists|No such file or directory)"
_LOST = (
    rb"but expected|reference already exists|unable to resolve reference"
    rb"|reference is missing|data is locked|data concurrently modified|cannot lock references"
)


def retrying(attempt: Callable[[], T], tries: int = 60, within: float = 30.0) -> T:
    """Do it again, after a pause, while it loses races: at most `tries` times or `within` s.

    `attempt` reads again whatever it decides on. The last `Conflict` is raised.
    """
    deadline = clock.monotonic() + within
    for number in range(1, tries):
        try:
            return attempt()
        except Conflict:
            if clock.monotonic() > deadline:
                raise
            clock.pause(number)
    return attempt()


class Refs:
    """One `git update-ref --stdin` serves every move until it is refused one."""

    def __init__(self, repo: Repository, *settings: str) -> None:
        """`settings` are configuration for the moves, `core.fsync=reference`."""
        self._repo = repo
        self._settings = [part for setting in settings for part in ("-c", setting)]
        self._null = "0" * (64 if repo.object_format == "sha256" else 40)
        self._child: Child | None = None
        self._lock = threading.Lock()

    def ref(self, name: RefName) -> Oid | None:
        """`Corrupt` when it is there and cannot be read: broken is not absent."""
        good, broken = self._list(name)
        if name in broken:
            raise Corrupt("the ref is broken", where=name, hint="see `git fsck`")
        return good.get(name)

    def refs(self, prefix: str) -> dict[RefName, Oid]:
        """The readable refs below `prefix`. Those that are not: `broken`."""
        good, _ = self._list(prefix.rstrip("/"))
        return {name: oid for name, oid in good.items() if name.startswith(prefix)}

    def broken(self, prefix: str) -> tuple[str, ...]:
        """The names below `prefix` that git found and could not read."""
        _, broken = self._list(prefix.rstrip("/"))
        return tuple(sorted(name for name in broken if name.startswith(prefix)))

    def move(self, *moves: Move) -> None:
        """All, or none and `Conflict`. A lock that somebody holds is a `Conflict` too."""
        if not moves:
            return
        with self._lock:
            try:
                self._transaction(moves)
            except Ended as error:
                self._explain(moves, error)

    def close(self) -> None:
        if self._child:
            self._child.close()
        self._child = None

    def _transaction(self, moves: tuple[Move, ...]) -> None:
        child = self._serving()
        try:
            child.send(b"start\0" + b"".join(map(self._command, moves)) + b"prepare\0commit\0")
            for expected in (b"start: ok", b"prepare: ok", b"commit: ok"):
                if (line := child.line()) != expected:
                    raise GitError(f"`git update-ref` answered {line!r}")
        except BaseException:
            self.close()
            raise

    def _command(self, move: Move) -> bytes:
        """With -z; an old value is always given, so nothing is ever overwritten unseen."""
        old, new = move.old or self._null, move.new or self._null
        if move.new:
            return f"update {move.ref}\0{new}\0{old}\0".encode("utf-8", "surrogateescape")
        verb = "delete" if move.old else "verify"
        return f"{verb} {move.ref}\0{old}\0".encode("utf-8", "surrogateescape")

    def _serving(self) -> Child:
        if self._child and not self._child.alive:
            self.close()
        if self._child is None:
            command = ("update-ref", "--no-deref", "-m", "relay", "--stdin", "-z")
            self._child = self._repo.spawn(*self._settings, *command)
        return self._child

    def _explain(self, moves: tuple[Move, ...], error: Ended) -> None:
        """Read the refs again: what they hold now says better than git's words who won."""
        for move in moves:
            found = self.ref(move.ref)
            if found != move.old:
                raise Conflict(move.ref, move.old, found) from None
        first = moves[0]
        if lock := re.search(_LOCK, error.stderr):
            raise Locked(first.ref, first.old, _held(os.fsdecode(lock[1]))) from None
        if re.search(_LOST, error.stderr):
            raise Conflict(first.ref, first.old, first.old) from None
        raise GitError(error.what) from None

    def _list(self, pattern: str) -> tuple[dict[RefName, Oid], set[str]]:
        result = self._repo.git("for-each-ref", "--format=%(objectname) %(refname)", pattern)
        good: dict[RefName, Oid] = {}
        for line in _text(result.stdout).split("\n")[:-1]:
            oid, _, name = line.partition(" ")
            if ref := _ref_name(name):
                good[ref] = Oid(oid)
        broken = re.findall(_BROKEN, result.stderr) if result.stderr else ()
        return good, {_text(name) for name in broken}


def _held(lock: str) -> str:
    """The lock file, and for how long it has been there."""
    try:
        age = int(clock.now() - os.stat(lock).st_mtime)
    except OSError:
        return lock
    return f"{lock} (for {max(age, 0)} s)"


def _ref_name(text: str) -> RefName | None:
    """None for the few refs outside the port's names, such as refs/stash."""
    try:
        return RefName(text)
    except InvalidName:
        return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
