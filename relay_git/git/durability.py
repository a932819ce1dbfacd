"""Objects and refs on the disk before the word is given that they are there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from relay_git.errors import RelayError
from relay_git.names import Oid

REF_SETTINGS = ("core.fsync=reference", "core.fsyncMethod=fsync")


def sync_objects(directory: str, oids: Iterable[Oid]) -> None:
    """Each file under its name, then the directory of them all, as a barrier.

    A file system with a journal commits the renames before a sync along with it, so the
    directories between need no sync of their own: each costs as much as a file. git's own
    `core.fsync` syncs no directory at all. A packed object is there already.
    """
    for oid in oids:
        _sync(os.path.join(directory, oid[:2], oid[2:]))
    _sync(directory)


def sync_refs(common_dir: str, names: Iterable[str]) -> None:
    """git syncs a ref's content; this syncs the directory that names it (files backend)."""
    for parent in {os.path.dirname(os.path.join(common_dir, name)) for name in names}:
        _sync(parent)


def _sync(path: str) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        _flush(descriptor)
    except OSError as error:
        raise RelayError(f"cannot sync to disk: {error.strerror}", where=path) from None
    finally:
        os.close(descriptor)


def _flush(descriptor: int) -> None:
    """On macOS `fsync` leaves the data in the drive's cache; another call does not."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)
