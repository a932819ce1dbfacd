"""Chains made with the library alone, without a workflow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support import repository

from relay_git.chain.chain import Draft, Step, append
from relay_git.chain.envelope import Signer
from relay_git.errors import Conflict
from relay_git.git.codec import object_id
from relay_git.git.objects import Objects
from relay_git.git.open import GitStore, open_store
from relay_git.git.repo import Repository
from relay_git.git.store import Ident, Move, Store
from relay_git.names import Oid, RefName, RunId, run_ref
from relay_git.signing.signer import signer_for

RUN = RunId("20260428-0930-fix-bug-3f9a")
OTHER = RunId("20260428-0931-fix-bug-3f9b")
NOON = 1777377600
"""2026-04-28T12:00:00Z."""


class Memory:
    """Objects that shall not be kept: read through to the repository, written nowhere."""

    def __init__(self, below: GitStore) -> None:
        self._below: Objects = below._objects
        self._format = below.repo.object_format
        self.made: dict[Oid, tuple[str, bytes]] = {}

    def write(self, kind: str, data: bytes) -> Oid:
        oid = object_id(kind, data, self._format)
        self.made[oid] = (kind, data)
        return oid

    def read(self, oid: Oid) -> tuple[str, bytes]:
        if oid not in self.made:
            self.made[oid] = self._below.read(oid)
        return self.made[oid]

    def close(self) -> None:
        self.made.clear()


class Scratch(GitStore):
    """A store whose objects and refs end with the test. What the repository has can be read."""

    def __init__(self, repo: Repository) -> None:
        self.memory = Memory(open_store(repo))
        super().__init__(repo, self.memory, "os")
        self.tips: dict[RefName, Oid] = {}

    def ref(self, name: RefName) -> Oid | None:
        return self.tips.get(name)

    def move(self, *moves: Move) -> None:
        for move in moves:
            if self.tips.get(move.ref) != move.old:
                raise Conflict(move.ref, move.old, self.tips.get(move.ref))
        for move in moves:
            self.tips.pop(move.ref, None)
            self.tips |= {move.ref: move.new} if move.new else {}

    def copy(self) -> Scratch:
        """Another with the same objects and refs so far, as a clone has them."""
        other = Scratch(self.repo)
        other.memory.made |= self.memory.made
        other.tips |= self.tips
        return other


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
