"""Append to a chain, read its steps, walk it. A step is never rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from relay_git import clock
from relay_git.chain import envelope as envelopes
from relay_git.chain.envelope import Envelope, Signer, commit_digest, sha256
from relay_git.errors import Corrupt, InvalidName, MissingObject
from relay_git.git.store import BLOB, Commit, Ident, Move, Store
from relay_git.git.trees import Leaf, edit_tree, read_path
from relay_git.names import STEP_RECORD, Oid, RefName, RunId
from relay_git.record import Record


class Step(Record):
    """One commit of a chain. `digest` is the sha256 of its signed record."""

    oid: Oid
    commit: Commit
    envelope: Envelope
    digest: str


class Draft(Record):
    """What a new step is to hold; the chain adds numbers, digests and the signature.

    `files` are changes to the parent's files by path: bytes to write, None to take out.
    `also` are refs that move with the chain's own, in the same transaction.
    """

    run: RunId
    role: str | None
    state: Mapping[str, Any]
    files: Mapping[str, bytes | None]
    message: str
    author: Ident
    committer: Ident
    budget_used: int = 0
    budget_total: int | None = None
    second_parents: tuple[Oid, ...] = ()
    also: tuple[Move, ...] = ()


def read_step(store: Store, oid: Oid) -> Step:
    """The step at a commit. Raises `Corrupt` when the commit is no step of a chain."""
    commit = store.commit(oid)
    record = next((e.oid for e in store.tree(commit.tree) if e.name == STEP_RECORD), None)
    if record is None:
        raise Corrupt(f"not a step: it has no {STEP_RECORD}", where=str(oid))
    data = store.blob(record)
    return Step(oid, commit, envelopes.read(data, f"{oid[:12]}:{STEP_RECORD}"), sha256(data))


def walk(store: Store, tip: Oid) -> Iterator[Step]:
    """The steps from the tip back to the first, along first parents.

    Ends early where the repository is shallow: at a step whose parent is not there.
    """
    oid: Oid | None = tip
    while oid is not None:
        try:
            step = read_step(store, oid)
        except MissingObject:
            if oid == tip:
                raise
            return
        yield step
        oid = step.commit.parents[0] if step.envelope.parent and step.commit.parents else None


def read_file(store: Store, step: Step, path: str) -> bytes | None:
    """A file of the step, None when it has no such file."""
    entry = read_path(store, step.commit.tree, path)
    return store.blob(entry.oid) if entry and not entry.is_tree else None


def append(store: Store, ref: RefName, parent: Step | None, draft: Draft, signer: Signer) -> Step:
    """Write one step and move the ref from `parent` to it. Raises `Conflict` if it moved."""
    envelope = _next_envelope(parent, draft)
    _check_paths(envelope.files)
    data = envelopes.seal(envelope, signer)
    edits: dict[str, Leaf | None] = {
        path: None if content is None else (BLOB, store.put_blob(content))
        for path, content in draft.files.items()
    }
    edits[STEP_RECORD] = (BLOB, store.put_blob(data))
    tree = edit_tree(store, parent.commit.tree if parent else None, edits)
    if tree is None:
        raise AssertionError("a step's tree holds at least its record")
    parents = ((parent.oid,) if parent else ()) + draft.second_parents
    commit = Commit(tree, parents, draft.author, draft.committer, draft.message)
    oid = store.put_commit(commit)
    store.move(Move(ref, parent.oid if parent else None, oid), *draft.also)
    return Step(oid, commit, envelope.replace(key=signer.fingerprint), sha256(data))


def _next_envelope(parent: Step | None, draft: Draft) -> Envelope:
    before = parent.envelope if parent else None
    files = dict(before.files) if before else {}
    for path, content in draft.files.items():
        if content is None:
            files.pop(path, None)
        else:
            files[path] = sha256(content)
    return Envelope(
        run=draft.run,
        first=(before.first or parent.digest) if before and parent else None,
        parent=parent.digest if parent else None,
        step=before.step + 1 if before else 1,
        nonce=before.nonce + 1 if before else 1,
        timestamp=clock.isoformat(draft.committer.time),
        role=draft.role,
        state=draft.state,
        files=files,
        commit=commit_digest(draft.author, draft.committer, draft.message),
        budget_used=draft.budget_used,
        budget_total=draft.budget_total,
    )


def _check_paths(files: Mapping[str, str]) -> None:
    """One tree can hold them all, beside the record."""
    for path in files:
        parts = path.split("/")
        above = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        if path == STEP_RECORD or above & (files.keys() | {STEP_RECORD}):
            raise InvalidName(f"{path!r} stands where another file of the step does")
