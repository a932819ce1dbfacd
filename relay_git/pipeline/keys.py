"""Whose steps a store takes, and whose it makes."""

from __future__ import annotations

from typing import Protocol

from relay_git.chain.envelope import Signer
from relay_git.chain.inspection import Signers
from relay_git.git.store import Ident


class Keys(Protocol):
    """Who signs, in whose name, and who else may."""

    @property
    def signer(self) -> Signer: ...

    @property
    def signers(self) -> Signers: ...

    @property
    def strict(self) -> bool:
        """Whether nobody unknown may sign."""
        ...

    def idents(self) -> tuple[Ident, Ident]:
        """Author and committer, now."""
        ...

    def rotate(self) -> str: ...
