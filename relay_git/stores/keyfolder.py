"""Who signs for a store that lies in no repository, and who else may."""

from __future__ import annotations

import os
from functools import cached_property

from relay_git import clock, files
from relay_git.chain.chain import Step
from relay_git.chain.envelope import Signer
from relay_git.errors import Corrupt
from relay_git.git.store import Ident
from relay_git.names import STEP_NAMESPACE
from relay_git.pipeline.codes import Code, PipelineError, quoted
from relay_git.signing import sshsig
from relay_git.signing.keys import KeyStore
from relay_git.signing.signer import LocalSigner
from relay_git.signing.signers import AllowedSigners
from relay_git.signing.wire import PublicKey


class KeyFolder:
    """Keys in a folder. Nobody signs whose key is not in it:

    `relay/keys/` holds our own, which are made when they are first needed. The private ones have
    the mode 0600, and the public ones stay when another key comes into use.
    `*.pub` are keys of others, as ssh-keygen writes them.
    `allowed_signers` names keys of others by the line, in ssh-keygen's format.
    """

    strict = True

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        name: str = "pipeline",
        email: str = "pipeline@git-relay.invalid",
    ) -> None:
        """`path` is made if need be. Without one it is `git-relay` in the user's folder for state
        (`$XDG_STATE_HOME`, else `~/.local/state`): then whatever a user runs signs with one key,
        wherever it was started. `name` and `email` are written to each step. Raises
        `PipelineError` (INVALID_SETTING)."""
        self._path = os.path.abspath(_state() if path is None else _folder(path))
        self._name, self._email = name, email
        self._own = KeyStore(self._path)

    @cached_property
    def signer(self) -> Signer:
        try:
            return LocalSigner(self._own.ensure(self._email))
        except Corrupt as error:
            hint = "`KeyFolder(…).rotate()` makes a new key"
            raise Corrupt(error.what, where=error.where, hint=hint) from None

    @property
    def signers(self) -> KeyFolder:
        return self

    def idents(self) -> tuple[Ident, Ident]:
        who = Ident(self._name, self._email, clock.now())
        return who, who

    def rotate(self) -> str:
        """Sign with a new key from now on; its fingerprint."""
        self.signer = LocalSigner(self._own.rotate(self._email))
        return self.signer.fingerprint

    def verify(self, armored: str, message: bytes, namespace: str) -> str:
        return sshsig.verify(armored, message, namespace).fingerprint

    def who(self, fingerprint: str, step: Step) -> str | None:
        """Looked up each time, so that who is taken out of the folder is out."""
        if self._own.owns(fingerprint):
            return self._email
        return self._allowed(fingerprint, step) or self._beside(fingerprint)

    def _allowed(self, fingerprint: str, step: Step) -> str | None:
        path = os.path.join(self._path, "allowed_signers")
        text = (files.read_optional(path) or b"").decode("utf-8", "replace")
        at = _seconds(step.envelope.timestamp)
        return AllowedSigners.parse(text, path).principal_for(fingerprint, STEP_NAMESPACE, at)

    def _beside(self, fingerprint: str) -> str | None:
        """The name of the file that holds that key."""
        there = sorted(os.listdir(self._path)) if os.path.isdir(self._path) else []
        for name in there:
            if name.endswith(".pub") and fingerprint == self._public(name).fingerprint:
                return name.removesuffix(".pub")
        return None

    def _public(self, name: str) -> PublicKey:
        path = os.path.join(self._path, name)
        line = (files.read_optional(path) or b"").decode("utf-8", "replace")
        return PublicKey.parse(line, path)


def _folder(path: object) -> str:
    """An empty one would be where the program runs."""
    named = os.fspath(path) if isinstance(path, str | os.PathLike) else path
    if not isinstance(named, str) or not named:
        raise PipelineError(Code.INVALID_SETTING, f"keys: {quoted(path)} is no folder")
    return named


def _state() -> str:
    named = os.environ.get("XDG_STATE_HOME", "")
    base = named if os.path.isabs(named) else os.path.expanduser("~/.local/state")
    return os.path.join(base, "git-relay")


def _seconds(timestamp: str) -> int:
    try:
        return clock.parse_iso(timestamp)
    except ValueError:
        return 0
