"""Who signs for this clone: its own key, or the one that the user names."""

from __future__ import annotations

import os
from typing import Protocol

from relay_git import files
from relay_git.errors import Corrupt
from relay_git.signing import sshkeygen, sshsig
from relay_git.signing.keys import Key, KeyStore
from relay_git.signing.wire import PublicKey

_LITERAL = "key::"
_SETTING = "git config relay.signingKey"


class Signer(Protocol):
    """Whoever can sign for this clone."""

    @property
    def public(self) -> PublicKey: ...

    @property
    def fingerprint(self) -> str: ...

    def sign(self, message: bytes, namespace: str) -> str:
        """An armored SSHSIG signature."""
        ...


def signer_for(common_dir: str, signing_key: str | None, comment: str) -> Signer:
    """By `relay.signingKey` where it is set, else by the clone's own key, made if need be."""
    if signing_key:
        return SshKeygenSigner(signing_key)
    return LocalSigner(KeyStore(common_dir).ensure(comment))


class LocalSigner:
    """Signs in process with the clone's own key, without agent, prompt or another program."""

    def __init__(self, key: Key) -> None:
        self._key = key
        self.public, self.fingerprint = key.public, key.public.fingerprint

    def sign(self, message: bytes, namespace: str) -> str:
        _check(sshsig.public_half(self._key.seed), self.public, self._key.path)
        return sshsig.sign(self._key.seed, message, namespace)


class SshKeygenSigner:
    """Signs through ssh-keygen, which knows every type of key, passphrases and the agent.

    `name` is the path of a private or public key, or a literal `key::ssh-ed25519 AAAA…` whose
    private half the agent has.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._literal = name.startswith(_LITERAL)
        self._path = os.path.abspath(os.path.expanduser(name))
        self.public = self._find_public()

    @property
    def fingerprint(self) -> str:
        return self.public.fingerprint

    def sign(self, message: bytes, namespace: str) -> str:
        if not self._literal:
            armored = sshkeygen.sign(self._path, message, namespace)
        else:
            with sshkeygen.scratch_file(self.public.line + "\n") as path:
                armored = sshkeygen.sign(path, message, namespace)
        _check(sshsig.parse(armored).public_key, self.public, self._name)
        return armored

    def _find_public(self) -> PublicKey:
        if self._literal:
            return PublicKey.parse(self._name[len(_LITERAL) :], _SETTING)
        path = self._path if self._path.endswith(".pub") else self._path + ".pub"
        line = files.read_optional(path)
        if line is not None:
            return PublicKey.parse(line.decode("utf-8", "replace"), path)
        return sshkeygen.public_key(self._path)


def _check(key: PublicKey, public: PublicKey, where: str) -> None:
    """It must be the key that the record is about to name."""
    if key != public:
        raise Corrupt("this key signs as another than its public half says", where=where)
