"""Judge every step of a chain: ok, tampered, unknown signer, stale nonce or broken parent.

What a step is by itself (its signature and its files) never changes with its commit id, so it is
judged once and remembered in a cache; who signed it and how it follows its parent are judged
every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, Protocol

from relay_git.chain.chain import Step, read_step
from relay_git.chain.envelope import commit_digest, sha256, signed_parts
from relay_git.errors import Corrupt, MissingObject, RelayError
from relay_git.git.store import BLOB, Commit, Store
from relay_git.git.trees import walk
from relay_git.names import STEP_NAMESPACE, STEP_RECORD, Oid
from relay_git.record import Record

Status = Literal["ok", "tampered", "unknown signer", "stale nonce", "broken parent"]


class Signers(Protocol):
    """Who is known, and whether a signature holds."""

    def verify(self, armored: str, message: bytes, namespace: str) -> str:
        """The fingerprint of the key whose signature this is; raises `Corrupt`."""
        ...

    def who(self, fingerprint: str, step: Step) -> str | None:
        """The person or clone behind a key, None when nobody vouches for it."""
        ...


class Cache(Protocol):
    """Remembers, by commit id, the key that a sound step was signed with."""

    def get(self, oid: Oid) -> str | None: ...

    def put(self, oid: Oid, fingerprint: str) -> None: ...


Rule = Callable[[Sequence[Step], Step], str | None]
"""What is wrong with a step's state after the steps before it, or None."""


class Judgement(Record):
    """`detail` names the signer of a sound step, else the file or field that is wrong."""

    oid: Oid
    step: int | None
    status: Status
    detail: str

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def verify_chain(
    store: Store, run: str, tip: Oid, signers: Signers, cache: Cache, rule: Rule | None = None
) -> Iterator[Judgement]:
    """One judgement a step of `run`, from the first to the tip. Raises nothing for a bad chain."""
    before: list[Step] = []
    for oid in reversed(_lineage(store, tip)):
        try:
            step = read_step(store, oid)
        except RelayError as error:
            yield Judgement(oid, None, "tampered", f"{STEP_RECORD}: {error.what}")
            continue
        yield _judge(store, run, step, before, signers, cache, rule)
        before.append(step)


def _judge(
    store: Store,
    run: str,
    step: Step,
    before: Sequence[Step],
    signers: Signers,
    cache: Cache,
    rule: Rule | None,
) -> Judgement:
    """The first thing that is wrong, in this order.

    1. the step by itself: its signature, its commit, its files
    2. its place in the run   3. its nonce   4. its state, as the rule sees it   5. its signer
    """
    number = step.envelope.step
    try:
        fingerprint = cache.get(step.oid) or _inspect(store, step, signers, cache)
    except RelayError as error:
        return Judgement(step.oid, number, "tampered", error.what)
    if wrong := _misplaced(step, before, run):
        return Judgement(step.oid, number, "broken parent", wrong)
    if before and step.envelope.nonce <= max(b.envelope.nonce for b in before):
        return Judgement(step.oid, number, "stale nonce", f"nonce {step.envelope.nonce}")
    if rule and (wrong := rule(before, step)):
        return Judgement(step.oid, number, "tampered", wrong)
    who = signers.who(fingerprint, step)
    if who is None:
        return Judgement(step.oid, number, "unknown signer", fingerprint)
    return Judgement(step.oid, number, "ok", who)


def _inspect(store: Store, step: Step, signers: Signers, cache: Cache) -> str:
    """The signing key's fingerprint. Raises `Corrupt` naming the file that was changed."""
    found = {path: (entry.mode, entry.oid) for path, entry in walk(store, step.commit.tree)}
    mode, record = found.pop(STEP_RECORD)
    signed, signature = signed_parts(store.blob(record))
    fingerprint = signers.verify(signature, signed, STEP_NAMESPACE)
    if fingerprint != step.envelope.key:
        raise Corrupt(f"{STEP_RECORD}: signed with another key than it names")
    if mode != BLOB:
        raise Corrupt(f"{STEP_RECORD}: not a plain file")
    _check_commit(step.commit, step.envelope.commit)
    for path in sorted(found.keys() | step.envelope.files.keys()):
        _check_file(store, path, found.get(path), step.envelope.files.get(path))
    cache.put(step.oid, fingerprint)
    return fingerprint


def _check_commit(commit: Commit, digest: str) -> None:
    if commit_digest(commit.author, commit.committer, commit.message) != digest:
        raise Corrupt("the commit: its author, its date or its message was changed")


def _check_file(store: Store, path: str, found: tuple[str, Oid] | None, digest: str | None) -> None:
    if found is None:
        raise Corrupt(f"{path}: recorded, but not there")
    if digest is None:
        raise Corrupt(f"{path}: there, but not recorded")
    if found[0] != BLOB:
        raise Corrupt(f"{path}: not a plain file")
    if sha256(store.blob(found[1])) != digest:
        raise Corrupt(f"{path}: its content was changed")


def _misplaced(step: Step, before: Sequence[Step], run: str) -> str | None:
    envelope = step.envelope
    if envelope.run != run:
        return f"belongs to the run {envelope.run}"
    if not before:
        return None if envelope.parent is None else "the step before it is missing"
    parent = before[-1]
    if envelope.parent != parent.digest:
        return f"does not follow step {parent.envelope.step}"
    if envelope.first != (parent.envelope.first or parent.digest):
        return "belongs to a run that began otherwise"
    if envelope.step != parent.envelope.step + 1:
        return f"numbered {envelope.step} after step {parent.envelope.step}"
    return None


def _lineage(store: Store, tip: Oid) -> list[Oid]:
    """Commit ids from the tip back, by git's own parents: the records are not believed yet.

    Ends early where the repository is shallow, and at what cannot be read as a commit.
    """
    oids: list[Oid] = []
    oid: Oid | None = tip
    while oid is not None:
        try:
            parents = store.commit(oid).parents
        except MissingObject:
            return oids or [tip]
        except RelayError:
            return [*oids, oid]
        oids.append(oid)
        oid = parents[0] if parents else None
    return oids
