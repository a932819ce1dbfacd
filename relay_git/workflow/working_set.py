"""The working set, `.relay/artifacts/`: where agents write and what a step records of it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping

from relay_git import clock, files
from relay_git.errors import Refused, RelayError
from relay_git.names import ARTIFACTS, ArtifactName


def path_of(name: str) -> str:
    """`.relay/artifacts/plan.md`, as it is shown to people and agents."""
    return f"{ARTIFACTS}/{name}"


def read(worktree: str, names: Iterable[ArtifactName], most: int) -> dict[ArtifactName, bytes]:
    """The artifacts that are there, checked: UTF-8 text of at most `most` bytes, not empty."""
    found = {name: files.read_in(worktree, path_of(name), most) for name in names}
    present = {name: data for name, data in found.items() if data is not None}
    check(present, most)
    return present


def check(contents: Mapping[ArtifactName, bytes], most: int) -> None:
    """Raises `Refused` for what cannot be an artifact."""
    for name, data in contents.items():
        _check(path_of(name), data, most)


def strays(worktree: str, names: Iterable[ArtifactName]) -> list[str]:
    """Files in the working set that no role reads or writes, so that no step records them."""
    return sorted(set(files.list_in(worktree, ARTIFACTS)).difference(names))


def save(worktree: str, git_dir: str, owner: str) -> str | None:
    """Move the raw working set away, links and all; the directory it lies in, None if empty.

    Each time to a directory of its own below `relay/saved/<owner>/`, so nothing is overwritten.
    """
    source = os.path.join(worktree, *ARTIFACTS.split("/"))
    if os.path.islink(source) or os.path.islink(os.path.dirname(source)):
        raise RelayError(
            "a symbolic link, which is never followed", where=source, hint="replace it"
        )
    if not os.path.isdir(source) and os.path.exists(source):
        raise RelayError("not a directory", where=source, hint="move it away")
    if not os.path.isdir(source) or not os.listdir(source):
        return None
    parent = os.path.join(git_dir, "relay", "saved", owner)
    files.make_directory(parent)
    target = os.path.join(parent, f"{clock.minute(clock.now())}-{clock.random_hex(6)}")
    _move_directory(source, target)
    return target


def put_back(worktree: str, saved: str | None) -> None:
    """Undo `save`."""
    if saved is not None:
        _move_directory(saved, os.path.join(worktree, *ARTIFACTS.split("/")))


def write(worktree: str, contents: Mapping[ArtifactName, bytes]) -> None:
    """Write these artifacts. The set is empty before: `save` came first."""
    files.make_directory(os.path.join(worktree, *ARTIFACTS.split("/")))
    for name, data in contents.items():
        files.write_in(worktree, path_of(name), data)


def _check(where: str, data: bytes, most: int) -> None:
    if len(data) > most:
        raise Refused(
            f"larger than {most / 2**20:.0f} MB",
            where=where,
            hint="shorten it, or allow more with `git config relay.maxArtifact 50m`",
        )
    if b"\0" in data:
        raise Refused("binary", where=where, hint="an artifact is text; write it again")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused("not UTF-8", where=f"{where}:{line}", hint="save it as UTF-8") from None
    if not text.strip("\ufeff \t\r\n"):
        raise Refused("empty", where=where, hint="write it, then advance")


def _move_directory(source: str, target: str) -> None:
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            what = f"cannot move it: {error.strerror}"
            raise RelayError(what, where=source, hint=f"it was to be {target}") from None
        # The git directory lies on another file system.
        import shutil

        shutil.copytree(source, target, symlinks=True)
        shutil.rmtree(source)
