"""Append to a chain, read its steps, walk it. A step is never rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from relay_git import clock
from relay_git.chain import envelope as envelopes
from relay_git.chain.envelope import Envelope, Signer, commit_digest, sha256
from relay_git.errors import Corrupt, InvalidName, MissingObject
from relay_git.git.merging import MERGER
from relay_git.git.store import BLOB, Commit, Ident, Move, Store
from relay_git.git.trees import Leaf, Trees, edit_tree, read_path
from relay_git.names import STEP_RECORD, Oid, RefName, RunId
from relay_git.record import Record


class Step(Record):
    """One commit of a chain. `digest` is the sha256 of its record."""

    oid: Oid
    commit: Commit
    envelope: Envelope
    digest: str

    @property
    def is_merge(self) -> bool:
        """Whether it joins two tips (merge.py). Every other step is somebody's, and signed."""
        return joins(self.commit)

    @property
    def parents(self) -> tuple[Oid, ...]:
        """Both tips that a merge joins, the step before any other, nothing before the first."""
        if self.is_merge:
            return self.commit.parents
        return self.commit.parents[:1] if self.envelope.parent else ()

    @property
    def order(self) -> tuple[int, str]:
        """(nonce, digest): the newest step has the greatest. It rises along every chain."""
        return self.envelope.nonce, self.digest


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


def joins(commit: Commit) -> bool:
    """Whether a commit is a merge step, by what it says itself."""
    return commit.committer.email == MERGER[1] and len(commit.parents) == 2


def walk(store: Store, tip: Oid) -> Iterator[Step]:
    """The steps from the tip back to the first, each once, the newest (nonce, digest) first.

    Goes through both sides of a merge. A merge that left one head holds that head's own record,
    so it is passed over. Ends early where the repository is shallow: at a step whose parent is
    not there.
    """
    met, told = {tip}, set()
    ahead = [read_step(store, tip)]
    while ahead:
        step = max(ahead, key=lambda step: (step.order, step.oid))
        ahead.remove(step)
        repeats = step.is_merge and not step.envelope.heads
        if not repeats and step.digest not in told:
            told.add(step.digest)
            yield step
        for parent in step.parents:
            if parent not in met:
                met.add(parent)
                ahead += _if_there(store, parent)


def read_file(store: Store, step: Step, path: str) -> bytes | None:
    """A file of the step, None when it has no such file."""
    entry = read_path(store, step.commit.tree, path)
    return store.blob(entry.oid) if entry and not entry.is_tree else None


def append(
    store: Store,
    ref: RefName,
    parent: Step | None,
    draft: Draft,
    signer: Signer,
    trees: Trees | None = None,
) -> Step:
    """Write one step and move the ref from `parent` to it. Raises `Conflict` if it moved."""
    step = write(store, parent, draft, signer, trees)
    store.move(Move(ref, parent.oid if parent else None, step.oid), *draft.also)
    return step


def write(
    store: Store,
    parent: Step | None,
    draft: Draft,
    signer: Signer,
    trees: Trees | None = None,
) -> Step:
    """The step that would follow `parent`, as objects that no ref names. `trees` are the store's,
    if somebody remembers them."""
    envelope = _next_envelope(parent, draft, signer.fingerprint)
    if parent is None or not draft.files.keys() <= parent.envelope.files.keys():
        _check_paths(envelope.files)
    data = envelopes.seal(envelope, signer)
    edits: dict[str, Leaf | None] = {
        path: None if content is None else (BLOB, store.put_blob(content))
        for path, content in draft.files.items()
    }
    edits[STEP_RECORD] = (BLOB, store.put_blob(data))
    tree = edit_tree(trees or store, parent.commit.tree if parent else None, edits)
    if tree is None:
        raise AssertionError("a step's tree holds at least its record")
    parents = ((parent.oid,) if parent else ()) + draft.second_parents
    commit = Commit(tree, parents, draft.author, draft.committer, draft.message)
    oid = store.put_commit(commit)
    return Step(oid, commit, envelope, sha256(data))


def _if_there(store: Store, oid: Oid) -> list[Step]:
    try:
        return [read_step(store, oid)]
    except MissingObject:
        return []


def _next_envelope(parent: Step | None, draft: Draft, key: str) -> Envelope:
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
        key=key,
    )


def _check_paths(files: Mapping[str, str]) -> None:
    """One tree can hold them all, beside the record."""
    taken = files.keys() | {STEP_RECORD}
    for path in files:
        parts = path.split("/")
        above = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        if path == STEP_RECORD or not above.isdisjoint(taken):
            raise InvalidName(f"{path!r} stands where another file of the step does")
