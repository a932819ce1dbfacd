"""Objects and refs on the disk before the word is given that they are there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from relay_git.errors import RelayError
from relay_git.names import Oid

REF_SETTINGS = ("core.fsync=reference", "core.fsyncMethod=fsync")


def sync_objects(directory: str, oids: Iterable[Oid]) -> None:
    """The files first, then the directories that name them. A packed object is there already."""
    paths = [os.path.join(directory, oid[:2], oid[2:]) for oid in oids]
    here = [path for path in paths if _sync(path)]
    for parent in {os.path.dirname(path) for path in here} | {directory}:
        _sync(parent)


def sync_refs(common_dir: str, names: Iterable[str]) -> None:
    """git syncs a ref's content; this syncs the directory that names it (files backend)."""
    for parent in {os.path.dirname(os.path.join(common_dir, name)) for name in names}:
        _sync(parent)


def _sync(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        _flush(descriptor)
    except OSError as error:
        raise RelayError(f"cannot sync to disk: {error.strerror}", where=path) from None
    finally:
        os.close(descriptor)
    return True


def _flush(descriptor: int) -> None:
    """On macOS `fsync` leaves the data in the drive's cache; another call does not."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)
