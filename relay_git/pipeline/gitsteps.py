"""Steps in a git repository: the same runs that workflows make, for the same commands."""

from __future__ import annotations

import os
from functools import cached_property
from typing import get_args

from relay_git import names
from relay_git.chain import history
from relay_git.chain.envelope import Signer
from relay_git.chain.signers import KnownSigners
from relay_git.errors import Refused
from relay_git.git.open import Durability
from relay_git.git.repo import discover
from relay_git.git.store import Ident
from relay_git.names import RunId, Word
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.codes import Code, PipelineError, quoted, told
from relay_git.pipeline.snapshot import Snapshot
from relay_git.signing.keys import KeyStore
from relay_git.signing.signer import signer_for
from relay_git.upkeep import upkeep
from relay_git.workspace import Workspace


def git_steps(path: str | os.PathLike[str], durability: Durability = "os") -> ChainSteps:
    """The repository that `path` lies in. With `durability="fsync"` a step survives a power cut
    once it is made; with `"os"` it survives the end of the process, and git's own writes do no
    more. Raises `PipelineError` (INVALID_SETTING, STORE_FAILED)."""
    if not isinstance(path, str | os.PathLike):
        raise PipelineError(Code.INVALID_SETTING, f"{type(path).__name__} is no path")
    if not os.fspath(path):
        raise PipelineError(Code.INVALID_SETTING, "an empty path; `.` is the current directory")
    if durability not in get_args(Durability):
        what = f"{quoted(durability)} is no durability, but one of {get_args(Durability)}"
        raise PipelineError(Code.INVALID_SETTING, what)
    with told():
        return steps_of(Workspace(discover(os.fspath(path)), durability))


def steps_of(ws: Workspace) -> ChainSteps:
    return GitSteps(ws)


class GitSteps(ChainSteps):
    """Beside what every chain of steps is: where a run ends, it is filed in the history."""

    def __init__(self, ws: Workspace) -> None:
        super().__init__(ws.store, GitKeys(ws), lambda: ws.settings.redact_literals)
        self._ws = ws

    def head(self, name: Word) -> Snapshot | None:
        self._check_apart(name)
        return super().head(name)

    def adopt(self, name: Word, run: RunId) -> None:
        self._check_apart(name)
        super().adopt(name, run)

    def settle(self, name: Word, last: Snapshot) -> None:
        history.file(self._ws.store, last.record, last.state.status)
        super().settle(name, last)
        upkeep(self._ws)

    def _check_apart(self, name: Word) -> None:
        """Where files whose names differ in case alone are one file, so are refs. Raises
        `PipelineError` (INVALID_NAME)."""
        if not self._ws.config.bool("core.ignorecase"):
            return
        for ref in self._ws.store.refs(names.PIPELINES):
            other = ref.removeprefix(names.PIPELINES)
            if other != name and other.casefold() == name.casefold():
                what = f"pipeline {name}: {other} is there, and only case tells them apart"
                raise PipelineError(Code.INVALID_NAME, what)


class GitKeys:
    """The clone's own key or the user's, and whoever else is known in the repository."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self.signer: Signer = ws.signer

    @cached_property
    def signers(self) -> KnownSigners:
        return KnownSigners(self._ws)

    @property
    def strict(self) -> bool:
        return self.signers.strict

    def idents(self) -> tuple[Ident, Ident]:
        return self._ws.idents()

    def rotate(self) -> str:
        if self._ws.config.get("relay.signingkey"):
            raise Refused("the key is the one that git config relay.signingKey names")
        KeyStore(self._ws.repo.common_dir).rotate(self._ws.email)
        self.signer = signer_for(self._ws.repo.common_dir, None, self._ws.email)
        return self.signer.fingerprint
