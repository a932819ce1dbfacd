"""Files of ours in the work tree and the git directory: whole or not at all, and never elsewhere.

A path below `.relay/` arrives with somebody's branch, so any component of it may be a symbolic
link that points out. The functions ending in `_in` refuse to follow one.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from relay_git import clock
from relay_git.errors import RelayError

_REMEDIES = {
    errno.ENOSPC: "the disk is full: make room, then do it again",
    errno.EDQUOT: "the quota is used up: make room, then do it again",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "this user may not write there",
}
_FEW = 4
"""Blocks, or files: a command that failed has just given some back."""
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def write_atomic(path: str, data: bytes, mode: int = 0o644, *, sync: bool = False) -> None:
    """Write beside and rename over: a reader sees the old file or the new one."""
    beside = f"{path}.{clock.unique()}.tmp"
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
        try:
            _write_all(descriptor, data)
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(beside, path)
        if sync:
            sync_directory(os.path.dirname(path) or ".")
    except OSError as error:
        _unlink_quietly(beside)
        raise _cannot("write", path, error) from None


def remedy(problem: OSError | bytes) -> str | None:
    """What to do about a disk that takes nothing more, by an error or by what git said of it."""
    if isinstance(problem, OSError):
        return _REMEDIES.get(problem.errno or 0)
    said = (hint for number, hint in _REMEDIES.items() if os.strerror(number).encode() in problem)
    return next(said, None)


def no_room(path: str) -> str | None:
    """As `remedy`, where git keeps to itself what the system said."""
    room = os.statvfs(path)
    if room.f_flag & os.ST_RDONLY:
        return _REMEDIES[errno.EROFS]
    is_full = room.f_bavail < _FEW or (room.f_files and room.f_favail < _FEW)
    return _REMEDIES[errno.ENOSPC] if is_full else None


def make_directory(path: str) -> None:
    """With those above it; one that is there already is fine."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _cannot("create", path, error) from None


def sync_directory(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def exclusive(directory: str, *, wait: bool = True) -> Iterator[None]:
    """One process at a time, for a file there that is read, added to and replaced.

    Advisory, and ended by the kernel with its process, so that a kill leaves no stale lock. On a
    platform without `flock` nothing is locked. Raises `BlockingIOError` rather than `wait`.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)


def refuse_link(path: str) -> None:
    """Raises `RelayError` for a symbolic link."""
    if os.path.islink(path):
        raise _symlink(path)


def read_optional(path: str) -> bytes | None:
    """The content, or None when there is no such file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _cannot("read", path, error) from None


def read_in(root: str, relative: str, most: int | None = None) -> bytes | None:
    """A regular file below `root`, or None; at most `most` + 1 bytes of it are read."""
    path = _inside(root, relative)
    try:
        descriptor = os.open(path, os.O_RDONLY | _NOFOLLOW | _BINARY | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _symlink(path) from None
        raise _cannot("read", path, error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RelayError("not a regular file", where=path, hint="replace it by a plain file")
    with os.fdopen(descriptor, "rb") as file:
        return file.read() if most is None else file.read(most + 1)


def write_in(root: str, relative: str, data: bytes, mode: int = 0o644) -> None:
    path = _inside(root, relative)
    make_directory(os.path.dirname(path))
    _inside(root, relative)
    write_atomic(path, data, mode)


def remove_in(root: str, relative: str) -> bool:
    """True when there was such a file and it is gone."""
    path = _inside(root, relative)
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _cannot("remove", path, error) from None
    return True


def list_in(root: str, relative: str) -> list[str]:
    """Names of the regular files in one directory below `root`, sorted; [] when it is absent."""
    path = _inside(root, relative)
    try:
        with os.scandir(path) as entries:
            return sorted(e.name for e in entries if e.is_file(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise _cannot("list", path, error) from None


def _inside(root: str, relative: str) -> str:
    """The path of `relative` below `root`, none of whose components is a link or `..`."""
    path = root
    for part in relative.split("/"):
        if part in ("", ".", "..") or "\0" in part:
            raise RelayError(f"{relative!r} is not a plain relative path", where=root)
        path = os.path.join(path, part)
        if os.path.islink(path):
            raise _symlink(path)
    return path


def _symlink(path: str) -> RelayError:
    return RelayError(
        "a symbolic link, which is never followed",
        where=path,
        hint="replace it by a plain file or folder",
    )


def _cannot(verb: str, path: str, error: OSError) -> RelayError:
    what = f"cannot {verb} it: {error.strerror or error}"
    return RelayError(what, where=path, hint=remedy(error))


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _unlink_quietly(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
