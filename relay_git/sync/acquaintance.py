"""Whether a remote is still the one whose refs we keep: it may have got another address.

What is kept of it says then what another has, and a push that believes it sends too little.
"""

from __future__ import annotations

import hashlib
import os

from relay_git import files
from relay_git.errors import RelayError
from relay_git.workspace import Workspace


def is_stranger(ws: Workspace, remote: str) -> bool:
    """Whether it had another address when we last talked. One that is not remembered is none: a
    cache may be deleted."""
    known = files.read_optional(_path(ws, remote))
    return known is not None and known != _address(ws, remote)


def remember(ws: Workspace, remote: str) -> None:
    address, path = _address(ws, remote), _path(ws, remote)
    try:
        if files.read_optional(path) != address:
            files.make_directory(ws.cache_dir)
            files.write_atomic(path, address)
    except (OSError, RelayError):
        return


def _address(ws: Workspace, remote: str) -> bytes:
    """Of its addresses, which may hold a password, a digest."""
    urls = (ws.config.get_all(f"remote.{remote}.{key}") for key in ("url", "pushurl"))
    return _digest("\n".join("\n".join([*some, ""]) for some in urls)).encode()


def _path(ws: Workspace, remote: str) -> str:
    return os.path.join(ws.cache_dir, f"remote-{_digest(remote)[:16]}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
