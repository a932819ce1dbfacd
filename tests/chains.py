"""Chains made with the library alone, without a workflow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support import repository

from relay_git.chain.chain import Draft, Step, append
from relay_git.chain.envelope import Signer
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import Ident, Store
from relay_git.names import RunId, run_ref
from relay_git.signing.signer import signer_for

RUN = RunId("20260428-0930-fix-bug-3f9a")
OTHER = RunId("20260428-0931-fix-bug-3f9b")
NOON = 1777377600
"""2026-04-28T12:00:00Z."""


def opened(path: Path, engine: str = "native") -> GitStore:
    return open_store(repository(path), engine=engine)


def signer(path: Path, key: str | None = None) -> Signer:
    """The clone's own, else the one that `key` names."""
    return signer_for(repository(path).common_dir, key, "ada@example.com")


def ada(at: int = NOON) -> Ident:
    return Ident("Ada", "ada@example.com", at)


def a_draft(
    files: Mapping[str, bytes | None],
    run: RunId = RUN,
    at: int = NOON,
    state: Mapping[str, Any] | None = None,
    message: str = "a step\n",
    **more: Any,
) -> Draft:
    return Draft(
        run=run,
        role="author",
        state=state or {},
        files=files,
        message=message,
        author=ada(at),
        committer=ada(at),
        **more,
    )


def add_step(
    store: Store, by: Signer, parent: Step | None, files: Mapping[str, bytes | None], **more: Any
) -> Step:
    made = a_draft(files, **more)
    return append(store, run_ref(made.run), parent, made, by)


def add_steps(
    store: Store, by: Signer, count: int, parent: Step | None = None, **more: Any
) -> list[Step]:
    """Each a minute after the one before, rewriting one file and leaving another."""
    steps: list[Step] = []
    for number in range(count):
        files: dict[str, bytes | None] = {"artifacts/plan.md": f"plan {number}\n".encode()}
        if parent is None:
            files["artifacts/context.md"] = b"context\n"
        parent = add_step(store, by, parent, files, at=NOON + 60 * number, **more)
        steps.append(parent)
    return steps
