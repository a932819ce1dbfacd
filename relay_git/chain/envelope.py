"""The signed record of a step, `step.json`: ids, nonce, budget, state and every file's digest.

Its bytes are canonical JSON. The signature covers the canonical form without the signature, and
the digest by which later steps name this one covers the whole, signature included.

The record of a merge is derived: everybody computes the same, so it has neither key nor signature.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Protocol

from relay_git import canonical
from relay_git.canonical import integer, text, text_or_none
from relay_git.errors import Corrupt, InvalidName
from relay_git.git.store import Ident
from relay_git.names import STEP_NAMESPACE, STEP_RECORD, RunId
from relay_git.record import Record

FORMAT = 1


class Signer(Protocol):
    """Whoever can sign for this clone."""

    @property
    def fingerprint(self) -> str:
        """`SHA256:…` of the public key, as `ssh-keygen -l` prints it."""
        ...

    def sign(self, message: bytes, namespace: str) -> str:
        """An armored SSHSIG signature."""
        ...


class Envelope(Record):
    """The record without its signature. `first` and `parent` are digests of other records.

    `files` has the sha256 of each file by its path, `commit` that of what the commit says itself.
    `budget_used` and `budget_total` count tokens; a total of None is unlimited. `key` is the
    fingerprint of the signing key. `heads` has the digests of the steps that a derived record
    joins, sorted; every other has none, and does not name the field.
    """

    run: RunId
    first: str | None
    parent: str | None
    step: int
    nonce: int
    timestamp: str
    role: str | None
    state: Mapping[str, Any]
    files: Mapping[str, str]
    commit: str
    budget_used: int = 0
    budget_total: int | None = None
    key: str = ""
    heads: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        heads = {"heads": list(self.heads)} if self.heads else {}
        return {
            "relay_version": FORMAT,
            "run": self.run,
            "first": self.first,
            "parent": self.parent,
            "step": self.step,
            "nonce": self.nonce,
            "timestamp": self.timestamp,
            "role": self.role,
            "budget": {"used": self.budget_used, "total": self.budget_total},
            "state": self.state,
            "files": dict(self.files),
            "commit": self.commit,
            "key": self.key,
            **heads,
        }


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def commit_digest(author: Ident, committer: Ident, message: str) -> str:
    """Of who made a step, when and why. Tree and parents are left out, for the record covers
    them by digests that outlive git's own hash.
    """
    said = f"author {author}\ncommitter {committer}\n\n{message}"
    return sha256(said.encode("utf-8", "surrogateescape"))


def seal(envelope: Envelope, signer: Signer) -> bytes:
    """The signed record: the bytes of `step.json`. What stands on either side of the signature is
    written once."""
    record = canonical.ordered({**envelope.to_json(), "key": signer.fingerprint})
    before = canonical.written({k: v for k, v in record.items() if k < "signature"})[:-1]
    after = canonical.written({k: v for k, v in record.items() if k > "signature"})[1:]
    signature = signer.sign(before + b"," + after, STEP_NAMESPACE)
    return b'%s,"signature":%s,%s' % (before, canonical.written(signature), after)


def derive(envelope: Envelope) -> bytes:
    """The record of a merge: the bytes of its `step.json`."""
    return canonical.dumps(envelope.to_json())


def read(data: bytes, where: str = STEP_RECORD) -> Envelope:
    """The record's content, without judging its signature. Raises `Corrupt`, `NewerFormat`."""
    record = canonical.loads(data, where)
    canonical.refuse_newer(record.get("relay_version"), FORMAT, "step", where)
    try:
        return _from_json(record)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidName) as error:
        raise Corrupt(f"not the record of a step: {error!r}", where=where) from None


def signed_parts(data: bytes, where: str = STEP_RECORD) -> tuple[bytes, str]:
    """The bytes that were signed and the armored signature, unknown fields included.

    Bytes that are not the canonical form of what they say are refused: a signature over the
    canonical form would hold for any spelling of it.
    """
    record = canonical.loads(data, where)
    signature = record.pop("signature", None)
    if not isinstance(signature, str):
        raise Corrupt("the record is not signed", where=where)
    try:
        signed = canonical.dumps(record)
        whole = canonical.dumps({**record, "signature": signature})
    except (TypeError, ValueError) as error:
        raise Corrupt(f"not canonical JSON: {error}", where=where) from None
    if whole != data:
        raise Corrupt("not canonical JSON", where=where)
    return signed, signature


def check_derived(data: bytes, where: str = STEP_RECORD) -> None:
    """Raises `Corrupt` unless these are the very bytes of a derived record."""
    envelope = read(data, where)
    if not envelope.heads:
        raise Corrupt("the record joins nothing", where=where)
    try:
        derived = derive(envelope)
    except (TypeError, ValueError) as error:
        raise Corrupt(f"not canonical JSON: {error}", where=where) from None
    if derived != data:
        raise Corrupt("not the canonical record of a merge", where=where)


def _from_json(record: Mapping[str, Any]) -> Envelope:
    if integer(record["relay_version"]) != FORMAT:
        raise ValueError("no step format")
    budget = record["budget"]
    return Envelope(
        run=RunId(record["run"]),
        first=text_or_none(record["first"]),
        parent=text_or_none(record["parent"]),
        step=integer(record["step"]),
        nonce=integer(record["nonce"]),
        timestamp=text(record["timestamp"]),
        role=text_or_none(record["role"]),
        state=dict(record["state"]),
        files={text(path): text(digest) for path, digest in record["files"].items()},
        commit=text(record["commit"]),
        budget_used=integer(budget["used"]),
        budget_total=None if budget["total"] is None else integer(budget["total"]),
        key=text(record["key"]),
        heads=_heads(record) if "heads" in record else (),
    )


def _heads(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Two or more digests in order, in a record that nobody signed."""
    heads = tuple(text(head) for head in record["heads"])
    if record["key"] or "signature" in record:
        raise ValueError("a merge has no signature")
    if len(heads) < 2 or list(heads) != sorted(set(heads)):
        raise ValueError("the heads are not two or more, in order")
    return heads
