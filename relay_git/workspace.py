"""One repository as a command sees it: each part is opened when it is first needed."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from relay_git.errors import Refused
from relay_git.git.open import Durability, GitStore, open_store
from relay_git.git.repo import Repository
from relay_git.git.store import Ident

if TYPE_CHECKING:
    from relay_git.git.config import Config
    from relay_git.names import Oid, RefName
    from relay_git.settings import Settings
    from relay_git.signing.signer import Signer

MAX_ARTIFACT = 10 * 2**20


class Workspace:
    """`durability` is `"fsync"` for commands that record, as a power cut must lose no step."""

    def __init__(self, repo: Repository, durability: Durability = "fsync") -> None:
        self.repo = repo
        self._durability = durability

    @cached_property
    def config(self) -> Config:
        from relay_git.git.config import read_config

        return read_config(self.repo)

    @cached_property
    def store(self) -> GitStore:
        return open_store(self.repo, lambda: self.config, durability=self._durability)

    @cached_property
    def settings(self) -> Settings:
        from relay_git.settings import load_settings

        return load_settings(self.repo.worktree, self.cache_dir)

    @cached_property
    def signer(self) -> Signer:
        from relay_git.signing.signer import signer_for

        return signer_for(self.repo.common_dir, self.config.get("relay.signingkey"), self.email)

    @property
    def email(self) -> str:
        return self.idents()[0].email

    def idents(self) -> tuple[Ident, Ident]:
        """Author and committer, now."""
        return self.config.identity()

    def default_branch(self) -> tuple[RefName, Oid] | None:
        """Its full name and its tip; None where there is none."""
        from relay_git.git.branches import default_branch

        return default_branch(self.repo, lambda: self.config)

    @property
    def worktree(self) -> str:
        if self.repo.worktree is None:
            raise Refused(
                "this is a bare repository, without a work tree to write artifacts in",
                where=self.repo.git_dir,
                hint="run this in a worktree of it (`git worktree add`)",
            )
        return self.repo.worktree

    @property
    def cache_dir(self) -> str:
        return self.common_path("cache")

    @property
    def max_artifact(self) -> int:
        """The largest artifact in bytes."""
        return self.config.int("relay.maxartifact", MAX_ARTIFACT)

    def git_path(self, *parts: str) -> str:
        """A path of this worktree below `<git dir>/relay/`."""
        return os.path.join(self.repo.git_dir, "relay", *parts)

    def common_path(self, *parts: str) -> str:
        """A path of this clone below `<common git dir>/relay/`."""
        return os.path.join(self.repo.common_dir, "relay", *parts)
