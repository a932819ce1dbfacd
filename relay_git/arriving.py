"""Take in what a plain `git fetch` or `git pull` brought, if it brought anything.

Whatever git writes of what a remote has, it writes into directories of its own, which are of that
moment then, or into a file of packed refs. A stamp is made before each look at them and kept after
it. What is as old as the stamp counts as newer, since a file system may tell whole seconds alone:
so nothing is missed, and at worst one look is made too many. The hooks compare likewise, in sh.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from relay_git import clock, files, names
from relay_git.errors import RelayError
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.sync.report import Report

STAMP = "taken-in"
_LATER = "taken-in-later"
"""Is of the moment at which a look that ran out of time may be tried again."""

SECONDS = 10.0

_OURS = names.LOCAL.removeprefix("refs/").encode()
"""In a file of packed refs, of any format, wherever a remote's are."""

_REST, _LONGEST = 10, 100
"""So many times what it took, until then, and so many seconds at most: of somebody's time it shall
not take more than a part."""

_AHEAD = 2
"""Seconds in which a stamp may be ahead of a clock that counts in whole ones."""


def waiting(ws: Workspace) -> bool:
    """Whether refs of a remote may have moved since they were looked at; no process is asked."""
    if 0 < _time_of(ws.common_path(_LATER)) // 10**9 - clock.now() <= _LONGEST:
        return False
    seen = _time_of(ws.common_path(STAMP))
    if seen // 10**9 > clock.now() + _AHEAD:
        seen = 0
    return any(_is_news(path, seen) for path in _places(ws.repo.common_dir))


def take_in(ws: Workspace, seconds: float = SECONDS) -> list[Report]:
    """What the last fetch of each remote brought becomes ours. What cannot be judged within so
    many seconds is left for the next time."""
    from relay_git.joining import rules
    from relay_git.sync import incoming, remotes

    begun = clock.monotonic()
    end = begun + seconds
    stamp = _begin(ws)
    try:
        reports = [
            incoming.take_in(ws, remote, rules(seconds=max(0.0, end - clock.monotonic())))
            for remote in remotes.tracked(ws.config)
        ]
        if stamp and clock.monotonic() < end:
            os.replace(stamp, ws.common_path(STAMP))
        elif stamp and (took := int(clock.monotonic() - begun)):
            _put_off(stamp, ws.common_path(_LATER), min(_REST * took, _LONGEST))
        return reports
    finally:
        if stamp and os.path.exists(stamp):
            os.unlink(stamp)


def _begin(ws: Workspace) -> str | None:
    """A file of this moment, by the clock of the file system; None where nothing can be written."""
    path = ws.common_path(f"{STAMP}.{clock.unique()}")
    try:
        files.make_directory(ws.common_path())
        files.write_atomic(path, b"")
    except RelayError:
        return None
    return path


def _put_off(stamp: str, path: str, seconds: int) -> None:
    then = int(os.stat(stamp).st_mtime) + seconds
    os.utime(stamp, (then, then))
    os.replace(stamp, path)


def _places(common_dir: str) -> Iterator[str]:
    """Where git may have written them."""
    for folder, _, _ in os.walk(os.path.join(common_dir, names.LOCAL, "remotes")):
        yield folder
    yield os.path.join(common_dir, "packed-refs")
    tables = os.path.join(common_dir, "reftable")
    for name in files.list_in(common_dir, "reftable"):
        yield os.path.join(tables, name)


def _is_news(path: str, seen: int) -> bool:
    if not os.path.exists(path) or _time_of(path) < seen:
        return False
    return os.path.isdir(path) or _OURS in (files.read_optional(path) or b"")


def _time_of(path: str) -> int:
    """In nanoseconds; 0 where nothing is."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
