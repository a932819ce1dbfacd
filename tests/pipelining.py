"""Step stores and agents for the tests of pipelines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support import repository

from relay_git.git.store import Store
from relay_git.pipeline import Manifest, NewStep, Slice
from relay_git.pipeline.gitsteps import GitKeys
from relay_git.pipeline.memory import MemoryKeys, MemoryStore
from relay_git.pipeline.state import Event
from relay_git.pipeline.stepstore import ChainSteps, Keys
from relay_git.workspace import Workspace

STORES = ("git", "memory")
WRITER = Manifest("writer", reads=["FACTS"], writes=["FACTS"])


class Place:
    """Where steps are kept: `again` opens another store on what is there."""

    def __init__(self, port: Store, keys: Keys, port_again: Callable[[], Store]) -> None:
        self.port, self.keys, self._port_again = port, keys, port_again
        self.steps = ChainSteps(port, keys, tuple)

    def again(self) -> ChainSteps:
        return ChainSteps(self._port_again(), self.keys, tuple)


def place(kind: str, path: Path) -> Place:
    """`git` uses the repository at `path`."""
    if kind == "memory":
        port = MemoryStore()
        return Place(port, MemoryKeys(), lambda: port)
    ws = Workspace(repository(path), "os")
    return Place(ws.store, GitKeys(ws), lambda: Workspace(repository(path), "os").store)


def new_step(used: int = 0, **changes: bytes | None) -> NewStep:
    return NewStep(Event("step", agent="writer"), changes, used, 1_000)


def start(**sections: bytes) -> NewStep:
    return NewStep(Event("start"), sections, 0, 1_000)


def saying(**changes: Any) -> Callable[[Slice, Manifest], Mapping[str, Any]]:
    """An agent that changes these sections whatever it is given."""
    return lambda given, manifest: changes
