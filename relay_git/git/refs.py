"""Refs, read and moved by git itself, and the way to lose a race and try again."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from typing import TypeVar

from relay_git import clock, files
from relay_git.errors import Conflict, Corrupt, GitError, InvalidName, Locked
from relay_git.git.process import Child, Ended
from relay_git.git.reffiles import RefFiles, file_state
from relay_git.git.repo import Repository
from relay_git.git.store import Move
from relay_git.names import Oid, RefName

T = TypeVar("T")

_ABANDONED = 5
"""Seconds after which a lock is not waited for: git holds one for an instant."""

# What git says when something is wrong: compiled only then.

_BROKEN = rb"warning: ignoring (?:broken ref|dangling symref|ref with broken name) (\S+)"
_LOCK = rb"Unable to create '(.+\.lock)': (?:File exists|No such file or directory)"
_LOST = (
    rb"but expected|reference already exists|unable to resolve reference"
    rb"|reference is missing|data is locked|data concurrently modified|cannot lock references"
)
_SAID = rb"fatal: (?:(?:prepare|commit): )?([^\n]+)\n?"
"""One thing alone, so that it needs no more explanation."""

_BEGIN = b"start\0"
_QUIET = "core.warnAmbiguousRefs=false"
"""Otherwise git looks whether a ref is called as each object id that it is told, in six places."""


def retrying(attempt: Callable[[], T], tries: int = 60, within: float = 30.0) -> T:
    """Do it again, after a pause, while it loses races: at most `tries` times or `within` s.

    `attempt` reads again whatever it decides on. The last `Conflict` is raised; at once, if it is
    over a lock that nobody seems to hold any more.
    """
    deadline = clock.monotonic() + within
    for number in range(1, tries):
        try:
            return attempt()
        except Conflict as lost:
            abandoned = isinstance(lost, Locked) and lost.age > _ABANDONED
            if abandoned or clock.monotonic() > deadline:
                raise
            clock.pause(number)
    return attempt()


class Refs:
    """One `git update-ref --stdin` serves every move until it is refused one."""

    def __init__(self, repo: Repository, *settings: str) -> None:
        """`settings` are configuration for the moves, `core.fsync=reference`."""
        self._repo = repo
        self._settings = [part for setting in (_QUIET, *settings) for part in ("-c", setting)]
        self._null = "0" * (64 if repo.object_format == "sha256" else 40)
        self._files = RefFiles(repo.common_dir, len(self._null))
        self._child: Child | None = None
        self._begun = False
        self._packed: tuple[int, ...] = ()
        self._lock = threading.Lock()

    def ref(self, name: RefName) -> Oid | None:
        """`Corrupt` when it is there and cannot be read: broken is not absent."""
        if oid := self._files.ref(name):
            return oid
        good, broken = self._list(name)
        if name in broken:
            raise Corrupt("the ref is broken", where=name, hint="see `git fsck`")
        return good.get(name)

    def refs(self, *prefixes: str) -> dict[RefName, Oid]:
        """The readable refs below the prefixes, in one process. Those that are not: `broken`."""
        if len(prefixes) == 1 and (found := self._files.below(prefixes[0])) is not None:
            return found
        good, _ = self._list(*(prefix.rstrip("/") for prefix in prefixes))
        return {name: oid for name, oid in good.items() if name.startswith(prefixes)}

    def broken(self, prefix: str) -> tuple[str, ...]:
        """The names below `prefix` that git found and could not read."""
        _, broken = self._list(prefix.rstrip("/"))
        return tuple(sorted(name for name in broken if name.startswith(prefix)))

    def begin(self) -> None:
        """Start git for a move that comes soon, while something else is waited for."""
        with self._lock:
            self._serving()

    def move(self, *moves: Move) -> None:
        """All, or none and `Conflict`. A lock that somebody holds is a `Conflict` too."""
        if not moves:
            return
        with self._lock:
            try:
                self._transaction(moves)
            except Ended as error:
                self._explain(moves, error)
        self._files.learn(moves)

    def close(self) -> None:
        if self._child:
            self._child.close()
        self._child = None

    def _transaction(self, moves: tuple[Move, ...]) -> None:
        """The next one is begun at the same time, so that only one answer is waited for."""
        child = self._serving()
        begin = b"" if self._begun else _BEGIN
        try:
            child.send(begin + b"".join(map(self._command, moves)) + b"commit\0" + _BEGIN)
            self._begun = True
            for expected in (b"start: ok", b"commit: ok"):
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
        """A git that still runs, and has read the packed refs as they are: it looks at them again
        only where their second, size and inode changed, and takes the old ones for true else.
        """
        packed = file_state(os.path.join(self._repo.common_dir, "packed-refs"))
        if self._child and (not self._child.alive or packed != self._packed):
            self.close()
        if self._child is None:
            self._packed = packed
            command = ("update-ref", "--no-deref", "-m", "relay", "--stdin", "-z")
            self._child = self._repo.spawn(*self._settings, *command)
            self._begun = False
        return self._child

    def _explain(self, moves: tuple[Move, ...], error: Ended) -> None:
        """Read the refs again: what they hold now says better than git's words who won. Nothing is
        wrong where git was killed before it could say that they moved."""
        if b"fatal: " not in error.stderr and self._has_made(moves):
            return
        for move in moves:
            found = self.ref(move.ref)
            if found != move.old:
                raise Conflict(move.ref, move.old, found) from None
        first = moves[0]
        if lock := re.search(_LOCK, error.stderr):
            path = os.fsdecode(lock[1])
            raise Locked(first.ref, first.old, path, _age(path)) from None
        if re.search(_LOST, error.stderr):
            raise Conflict(first.ref, first.old, first.old) from None
        if said := re.fullmatch(_SAID, error.stderr):
            hint = files.remedy(error.stderr) or files.no_room(f"{self._repo.common_dir}/refs")
            raise GitError(_text(said[1]), hint=hint) from None
        raise GitError(error.what) from None

    def _has_made(self, moves: tuple[Move, ...]) -> bool:
        return all(self.ref(move.ref) == move.new for move in moves)

    def _list(self, *patterns: str) -> tuple[dict[RefName, Oid], set[str]]:
        result = self._repo.git("for-each-ref", "--format=%(objectname) %(refname)", *patterns)
        good: dict[RefName, Oid] = {}
        for line in _text(result.stdout).split("\n")[:-1]:
            oid, _, name = line.partition(" ")
            if ref := _ref_name(name):
                good[ref] = Oid(oid)
        broken = re.findall(_BROKEN, result.stderr) if result.stderr else ()
        return good, {_text(name) for name in broken}


def _age(lock: str) -> int:
    """For how many seconds the lock file has been there; 0 when it is gone already."""
    try:
        return max(0, int(clock.now() - os.stat(lock).st_mtime))
    except OSError:
        return 0


def _ref_name(text: str) -> RefName | None:
    """None for the few refs outside the port's names, such as refs/stash."""
    try:
        return RefName(text)
    except InvalidName:
        return None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
