"""Steps in memory, for tests and for pipelines that need not outlive their process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable

from relay_git import clock
from relay_git.chain.chain import Step
from relay_git.errors import Conflict, Corrupt, MissingObject
from relay_git.git import codec
from relay_git.git.store import Commit, Ident, Move, TreeEntry
from relay_git.names import Oid, RefName
from relay_git.pipeline.stepstore import ChainSteps
from relay_git.signing import sshsig
from relay_git.signing.keys import Key
from relay_git.signing.signer import LocalSigner
from relay_git.signing.wire import PublicKey

_HASH = "sha1"
_WHO = "pipeline", "pipeline@git-relay.invalid"


def memory_steps() -> ChainSteps:
    """A step store that ends with the process, with a key of its own."""
    return ChainSteps(MemoryStore(), MemoryKeys(), tuple)


class MemoryStore:
    """The port `git.store.Store` on two dicts: raw objects by id, and refs."""

    def __init__(self) -> None:
        self.objects: dict[Oid, tuple[str, bytes]] = {}
        self.tips: dict[RefName, Oid] = {}
        self._lock = threading.Lock()

    def put_blob(self, data: bytes) -> Oid:
        return self._put("blob", data)

    def put_tree(self, entries: Iterable[TreeEntry]) -> Oid:
        return self._put("tree", codec.encode_tree(entries))

    def put_commit(self, commit: Commit) -> Oid:
        return self._put("commit", codec.encode_commit(commit))

    def blob(self, oid: Oid) -> bytes:
        return self._get("blob", oid)

    def tree(self, oid: Oid) -> tuple[TreeEntry, ...]:
        return codec.decode_tree(self._get("tree", oid), _HASH)

    def commit(self, oid: Oid) -> Commit:
        return codec.decode_commit(self._get("commit", oid))

    def ref(self, name: RefName) -> Oid | None:
        return self.tips.get(name)

    def refs(self, *prefixes: str) -> dict[RefName, Oid]:
        return {ref: self.tips[ref] for ref in sorted(self.tips) if ref.startswith(prefixes)}

    def move(self, *moves: Move) -> None:
        with self._lock:
            for move in moves:
                if self.tips.get(move.ref) != move.old:
                    raise Conflict(move.ref, move.old, self.tips.get(move.ref))
            for move in moves:
                if move.new:
                    self.tips[move.ref] = move.new
                else:
                    self.tips.pop(move.ref, None)

    def close(self) -> None:
        """Keeps what it has: another pipeline may have been opened on it."""

    def _put(self, kind: str, data: bytes) -> Oid:
        oid = codec.object_id(kind, data, _HASH)
        self.objects[oid] = kind, data
        return oid

    def _get(self, kind: str, oid: Oid) -> bytes:
        if oid not in self.objects:
            raise MissingObject(oid)
        found, data = self.objects[oid]
        if found != kind or codec.object_id(kind, data, _HASH) != oid:
            raise Corrupt(f"not the {kind} that its id names", where=oid)
        return data


class MemoryKeys:
    """Keys that no file holds; only what they signed is accepted."""

    strict = True

    def __init__(self) -> None:
        self._own: set[str] = set()
        self.signer = self._new()

    @property
    def signers(self) -> MemoryKeys:
        return self

    def idents(self) -> tuple[Ident, Ident]:
        who = Ident(*_WHO, clock.now())
        return who, who

    def rotate(self) -> str:
        self.signer = self._new()
        return self.signer.fingerprint

    def verify(self, armored: str, message: bytes, namespace: str) -> str:
        return sshsig.verify(armored, message, namespace).fingerprint

    def who(self, fingerprint: str, step: Step) -> str | None:
        return _WHO[1] if fingerprint in self._own else None

    def _new(self) -> LocalSigner:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        secret = Ed25519PrivateKey.from_private_bytes(os.urandom(32))
        public = PublicKey.ed25519(secret.public_key().public_bytes_raw())
        self._own.add(public.fingerprint)
        return LocalSigner(Key("memory", public, "pipeline", secret.private_bytes_raw()))
