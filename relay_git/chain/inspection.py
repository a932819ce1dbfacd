"""What a step is by itself: signed by the key that it names, its commit and files as it says."""

from __future__ import annotations

from typing import Protocol

from relay_git.chain.chain import Step
from relay_git.chain.envelope import check_derived, commit_digest, sha256, signed_parts
from relay_git.chain.purged import banned, is_purged
from relay_git.errors import Corrupt
from relay_git.git.store import BLOB, Commit, Store
from relay_git.git.trees import read_path, walk
from relay_git.names import PURGED, STEP_NAMESPACE, STEP_RECORD, Oid


class Signers(Protocol):
    """Who is known, and whether a signature holds."""

    def verify(self, armored: str, message: bytes, namespace: str) -> str:
        """The fingerprint of the key whose signature this is; raises `Corrupt`."""
        ...

    def who(self, fingerprint: str, step: Step) -> str | None:
        """The person or clone behind a key, None when nobody vouches for it."""
        ...


def inspect(store: Store, step: Step, signers: Signers) -> tuple[str, tuple[str, ...]]:
    """The signing key's fingerprint, and the files that were purged since. Raises `Corrupt` naming
    the file that was changed.
    """
    fingerprint = _check_signature(store, step, signers)
    return fingerprint, check_content(store, step)


def check_content(store: Store, step: Step) -> tuple[str, ...]:
    """As `inspect`, of a merge or of a step whose record is vouched for otherwise."""
    if not step.is_merge:
        _check_commit(step.commit, step.envelope.commit)
    return _check_files(store, step)


def inspect_alone(store: Store, step: Step, signers: Signers) -> None:
    """A merge without the tips that it joins: what it holds must be what its record says."""
    if step.envelope.heads:
        check_derived(_record(store, step))
    else:
        _check_signature(store, step, signers)
    _check_files(store, step)


def _check_signature(store: Store, step: Step, signers: Signers) -> str:
    signed, signature = signed_parts(_record(store, step))
    fingerprint = signers.verify(signature, signed, STEP_NAMESPACE)
    if fingerprint != step.envelope.key:
        raise Corrupt(f"{STEP_RECORD}: signed with another key than it names")
    return fingerprint


def _record(store: Store, step: Step) -> bytes:
    entry = read_path(store, step.commit.tree, STEP_RECORD)
    if entry is None or entry.mode != BLOB:
        raise Corrupt(f"{STEP_RECORD}: not a plain file")
    return store.blob(entry.oid)


def _check_files(store: Store, step: Step) -> tuple[str, ...]:
    """Those that were purged; all others are as they were recorded."""
    found = {path: (entry.mode, entry.oid) for path, entry in walk(store, step.commit.tree)}
    del found[STEP_RECORD]
    files = step.envelope.files
    paths = sorted(found.keys() | files.keys())
    return tuple(p for p in paths if _is_purged(store, p, found.get(p), files.get(p)))


def _check_commit(commit: Commit, digest: str) -> None:
    if commit_digest(commit.author, commit.committer, commit.message) != digest:
        raise Corrupt("the commit: its author, its date or its message was changed")


def _is_purged(store: Store, path: str, found: tuple[str, Oid] | None, digest: str | None) -> bool:
    """False for a file as it was recorded. Raises `Corrupt`."""
    if found is None:
        raise Corrupt(f"{path}: recorded, but not there")
    if digest is None:
        raise Corrupt(f"{path}: there, but not recorded")
    if found[0] != BLOB:
        raise Corrupt(f"{path}: not a plain file")
    data = store.blob(found[1])
    if sha256(data) == digest:
        return False
    if is_purged(data, digest, banned(store, store.ref(PURGED))):
        return True
    raise Corrupt(f"{path}: its content was changed")
