"""Where this clone keeps its own things: room to write, and files that are what they should be."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from relay_git.errors import RelayError, problems_of
from relay_git.git.repo import read_current
from relay_git.signing.pins import Pins
from relay_git.workspace import Workspace

_LEAST = 2**20
"""Bytes that a step and its settling may take."""

_FOLDERS = ("relay", "pending", "keys", "cache", "saved")


def disk(ws: Workspace) -> Iterator[RelayError]:
    for path in dict.fromkeys((ws.repo.objects, ws.repo.common_dir, ws.repo.git_dir)):
        room = os.statvfs(path)
        if not os.access(path, os.W_OK):
            yield RelayError("cannot be written: nothing is recorded", where=path)
        elif room.f_bavail * room.f_frsize < _LEAST or (room.f_files and not room.f_favail):
            yield RelayError("the disk is full", where=path, hint="make room")


def own_files(ws: Workspace) -> Iterator[RelayError]:
    """What stands where our files should, and files that a crash cut short."""
    for folder in dict.fromkeys((ws.common_path(), ws.git_path())):
        for path in (folder, *_inside(folder)):
            if os.path.islink(path):
                yield RelayError("a symbolic link", where=path, hint="replace it by what it names")
            elif os.path.basename(path) in _FOLDERS and os.path.isfile(path):
                yield RelayError("not a folder", where=path, hint=f"run `rm {shlex.quote(path)}`")
    current = ws.git_path("current")
    if os.path.isfile(current) and read_current(ws.repo.git_dir) is None:
        hint = "run `git relay switch RUN` with one of `git relay runs`"
        yield RelayError("names no run", where=current, hint=hint)
    yield from problems_of(Pins(ws.repo.common_dir).all)


def _inside(folder: str) -> list[str]:
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [os.path.join(folder, name) for name in names]
