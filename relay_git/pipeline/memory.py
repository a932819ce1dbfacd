"""Steps in memory, for tests and for pipelines that need not outlive their process."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence

from relay_git import clock
from relay_git.chain.chain import Step
from relay_git.git.keyed import KeyedStore, moved
from relay_git.git.store import Ident, Move
from relay_git.names import Oid, RefName
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.signing import sshsig
from relay_git.signing.keys import Key
from relay_git.signing.signer import LocalSigner
from relay_git.signing.wire import PublicKey

_WHO = "pipeline", "pipeline@git-relay.invalid"


def memory_steps() -> ChainSteps:
    """A step store that ends with the process, with a key of its own."""
    return ChainSteps(MemoryStore(), MemoryKeys(), tuple)


class MemoryStore(KeyedStore):
    """Two dicts: raw objects by id, and refs."""

    where = "the memory"
    remembers = 0

    def __init__(self) -> None:
        super().__init__()
        self.objects: dict[Oid, bytes] = {}
        self.tips: dict[RefName, Oid] = {}
        self._moving = threading.Lock()

    def ref(self, name: RefName) -> Oid | None:
        return self.tips.get(name)

    def close(self) -> None:
        """Keeps what it has: another pipeline may have been opened on it."""

    def _read(self, oid: Oid, most: int) -> bytes | None:
        return self.objects.get(oid)

    def _refs(self, prefixes: Sequence[str]) -> Mapping[RefName, Oid]:
        return {ref: tip for ref, tip in self.tips.items() if ref.startswith(tuple(prefixes))}

    def _write(self, objects: Mapping[Oid, bytes], moves: Sequence[Move]) -> None:
        with self._moving:
            self.objects |= objects
            self.tips = moved(self.tips, moves)


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
