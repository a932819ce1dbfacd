"""Step stores and agents for the tests of pipelines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import servers
from support import repository

from relay_git.git.keyed import KeyedStore
from relay_git.git.store import Store
from relay_git.pipeline import (
    Fork,
    Manifest,
    NewStep,
    Notice,
    Pipeline,
    Slice,
    memory_steps,
)
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.gitsteps import GitKeys
from relay_git.pipeline.keys import Keys
from relay_git.pipeline.memory import MemoryKeys, MemoryStore
from relay_git.pipeline.state import Event
from relay_git.stores import KeyFolder
from relay_git.workspace import Workspace

SERVERS = tuple(
    pytest.param(kind, marks=pytest.mark.xdist_group(kind)) for kind in ("redis", "postgres", "s3")
)
"""The tests of each run in one process, so that each server is started once."""
STORES = ("git", "memory", *SERVERS)
WRITER = Manifest("writer", reads=["FACTS"], writes=["FACTS"])


class Place:
    """Where steps are kept: `again` opens another store on what is there."""

    def __init__(self, port: Store, keys: Keys, port_again: Callable[[], Store]) -> None:
        self.port, self.keys, self._open = port, keys, port_again
        self.steps = ChainSteps(port, keys, tuple)
        self._opened = [port]

    def again(self) -> ChainSteps:
        return ChainSteps(self.port_again(), self.keys, tuple)

    def port_again(self) -> Store:
        self._opened.append(self._open())
        return self._opened[-1]

    def close(self) -> None:
        for port in self._opened:
            port.close()


def place(kind: str, path: Path) -> Place:
    """`git` uses the repository at `path`; what is on a server has its keys in a folder beside."""
    if kind == "memory":
        memory = MemoryStore()
        return Place(memory, MemoryKeys(), lambda: memory)
    if kind != "git":
        return on_server(kind, path)
    ws = Workspace(repository(path), "os")
    return Place(ws.store, GitKeys(ws), lambda: Workspace(repository(path), "os").store)


def on_server(kind: str, path: Path) -> Place:
    """A part of its own on the server of that kind that the tests share."""
    part, address = f"part-{path.parent.name}", servers.shared(kind).address
    keys = KeyFolder(path.parent / "keys")
    return Place(port(kind, address, part), keys, lambda: port(kind, address, part))


def port(kind: str, address: str, part: str, timeout: float = 5, **who: str) -> KeyedStore:
    """A store on a server, on a connection of its own. `who` is for S3 alone."""
    if kind == "redis":
        from relay_git.stores.in_redis import RedisStore

        return RedisStore(address, part, None, timeout)
    if kind == "postgres":
        from relay_git.stores.in_postgres import PostgresStore

        return PostgresStore(address, part, timeout)
    from relay_git.stores.in_s3 import S3Store

    return S3Store(servers.BUCKET, part, servers.s3_client(address, timeout, **who))


def new_step(used: int = 0, **changes: bytes | None) -> NewStep:
    return NewStep(Event("step", agent="writer"), changes, used, 1_000)


def start(**sections: bytes) -> NewStep:
    return NewStep(Event("start"), sections, 0, 1_000)


def saying(**changes: Any) -> Callable[[Slice, Manifest], Mapping[str, Any]]:
    """An agent that changes these sections whatever it is given."""
    return lambda given, manifest: changes


def observed(observer: Callable[[Notice], None], **options: Any) -> Pipeline:
    options = {"payload": {"FACTS": ["a"]}, **options}
    return Pipeline.open(memory_steps(), "demo", observers=[observer], **options)


def forks(**agents: Any) -> list[Fork]:
    """Each writes a section of its own."""
    return [
        Fork(name, Manifest(f"agent-{name}", writes=[name.upper()], max_output=100), agent)
        for name, agent in agents.items()
    ]
