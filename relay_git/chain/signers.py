"""Who vouches for the signatures of a chain, and what has been found sound before."""

from __future__ import annotations

import os
from contextlib import suppress

from relay_git import clock, files, names
from relay_git.chain.chain import Step
from relay_git.errors import InvalidName, RelayError
from relay_git.git.trees import read_path
from relay_git.names import STEP_NAMESPACE, Oid
from relay_git.signing import sshsig
from relay_git.signing.pins import Pins
from relay_git.signing.signers import AllowedSigners
from relay_git.workspace import Workspace


class KnownSigners:
    """By `.relay/allowed_signers` on the default branch, else by the key first seen of each.

    The file is never read from the work tree or another branch: what is under review must not
    say who may sign it.
    """

    def __init__(self, ws: Workspace) -> None:
        self._pins = Pins(ws.repo.common_dir)
        self._allowed = _allowed_signers(ws)

    @property
    def strict(self) -> bool:
        """Whether there is a signers file, so that nobody else may sign."""
        return self._allowed is not None

    def verify(self, armored: str, message: bytes, namespace: str) -> str:
        return sshsig.verify(armored, message, namespace).fingerprint

    def who(self, fingerprint: str, step: Step) -> str | None:
        at = _seconds(step.envelope.timestamp)
        if self._allowed is not None:
            return self._allowed.principal_for(fingerprint, STEP_NAMESPACE, at)
        email = step.commit.committer.email
        standing = self._pins.check(fingerprint, email, step.envelope.run, at)
        return None if standing == "unknown" else email

    def is_allowed(self, fingerprint: str, namespace: str, at: int) -> bool:
        """Whether the signers file names that key for such a signature."""
        allowed = self._allowed and self._allowed.principal_for(fingerprint, namespace, at)
        return bool(allowed)

    def knows(self, fingerprint: str) -> bool:
        """Whether that key is our own or was pinned."""
        return self._pins.knows(fingerprint)


class VerifiedCache:
    """Commit ids of steps that were found sound, with the signing key. It may be deleted.

    They lie in files by the beginning of the id, so that a few are found among very many.
    """

    def __init__(self, cache_dir: str) -> None:
        self._directory = os.path.join(cache_dir, "sound")
        self._known: dict[str, dict[Oid, str]] = {}

    def get(self, oid: Oid) -> str | None:
        return self._beside(oid).get(oid)

    def put(self, oid: Oid, fingerprint: str) -> None:
        """Each line begins with its newline, so that one cut short by a crash spoils no other."""
        self._beside(oid)[oid] = fingerprint
        try:
            os.makedirs(self._directory, exist_ok=True)
            with open(self._path(oid), "ab", buffering=0) as file:
                file.write(f"\n{oid} {fingerprint}".encode())
        except OSError:
            return

    def _beside(self, oid: Oid) -> dict[Oid, str]:
        """All that begin as this one does."""
        beginning = oid[:2]
        if beginning not in self._known:
            self._known[beginning] = _read(self._path(oid))
        return self._known[beginning]

    def _path(self, oid: Oid) -> str:
        return os.path.join(self._directory, oid[:2])


def _allowed_signers(ws: Workspace) -> AllowedSigners | None:
    branch = ws.default_branch()
    if branch is None:
        return None
    ref, tip = branch
    entry = read_path(ws.store, ws.store.commit(tip).tree, names.ALLOWED_SIGNERS)
    if entry is None:
        return None
    text = ws.store.blob(entry.oid).decode("utf-8", "replace")
    return AllowedSigners.parse(text, f"{ref}:{names.ALLOWED_SIGNERS}")


def _read(path: str) -> dict[Oid, str]:
    """A line that makes no sense is passed over, such as one cut short by a crash."""
    known: dict[Oid, str] = {}
    data = b""
    with suppress(RelayError):
        data = files.read_optional(path) or b""
    for line in data.decode("utf-8", "replace").splitlines():
        oid, _, fingerprint = line.partition(" ")
        try:
            if len(fingerprint) == 50 and fingerprint.startswith("SHA256:"):
                known[Oid(oid)] = fingerprint
        except InvalidName:
            continue
    return known


def _seconds(timestamp: str) -> int:
    try:
        return clock.parse_iso(timestamp)
    except ValueError:
        return 0
