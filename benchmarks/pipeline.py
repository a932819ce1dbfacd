"""A step of a pipeline with 32 KB of payload, beside LangGraph's checkpoints and a bare write.

The payload is eight sections of 4,000 bytes. An agent reads them all and writes one, or all. A
sample is a tenth of ten steps on a pipeline that was opened anew, so that its head was loaded and
verified; LangGraph's is a tenth of a graph of ten nodes with the same values in its state. There as
here, a node's state is in the file before the next node begins.
"""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import texts
from measure import Row, against, interleaved
from scratch import Stage, git

from relay_git.git.repo import discover
from relay_git.git.store import Commit, Move, Store, TreeEntry
from relay_git.names import Oid, run_ref
from relay_git.pipeline import (
    Fork,
    JoinStrategy,
    Manifest,
    Pipeline,
    Slice,
    Snapshot,
    StepStore,
)
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.gitsteps import steps_of
from relay_git.pipeline.memory import MemoryKeys, MemoryStore
from relay_git.workspace import Workspace

ROUNDS = 40
NAMES = tuple(f"S{number}" for number in range(8))
_STEPS = 10
_SIZE = 4_000
"""Bytes of a section, or a few less."""
_OURS, _AGAIN, _MEMORY = "git store", "git store (again)", "memory store"
_STEP, _FORKS = "a step", "5 forks, UNION"
_BUDGET = 100_000_000
_BARE, _OTHERS = "the same objects and ref alone", "LangGraph, SqliteSaver"

Sections = Mapping[str, list[str]]
Task = Callable[[Sections, list[Sections]], float]
"""Ten steps with these outputs on top of that payload, in seconds."""


def rows(stage: Stage) -> list[Row]:
    found = []
    with ExitStack() as stack:
        tasks, numbers = _tasks(stage.scratch, stack), count(1)
        for wrote in (1, len(NAMES)):
            rounds = [
                (_sections(numbers, NAMES), _outputs(numbers, wrote))
                for _ in range(stage.rounds(ROUNDS))
            ]
            samples = _interleaved(tasks, rounds)
            found += _compared(f"{wrote} of {len(NAMES)} sections", samples)
        forking = _forking(_workspace(stage.scratch / "forking", stack))
        found += against(_STEP, interleaved(forking, stage.rounds(ROUNDS)), {_FORKS: 5.0})
    return found


def _compared(what: str, samples: dict[str, list[float]]) -> list[Row]:
    """Ours to the bare write, with the control and the memory store, then ours to LangGraph's."""
    others = {name: samples.pop(name) for name in (_OTHERS,) if name in samples}
    found = against(_BARE, samples, {_OURS: 2.0})
    if others:
        found += against(_OTHERS, {_OURS: samples[_OURS], **others}, {_OURS: 1.0})
    return [Row(f"{what}: {row.name}", row.median, row.ratio, row.bar) for row in found]


def _interleaved(
    tasks: Mapping[str, Task], rounds: Iterable[tuple[Sections, list[Sections]]]
) -> dict[str, list[float]]:
    """Milliseconds of a step in each round, where all write the same."""
    samples: dict[str, list[float]] = {name: [] for name in tasks}
    for payload, outputs in rounds:
        for name, task in tasks.items():
            samples[name].append(task(payload, outputs) * 1000 / _STEPS)
    return samples


def _tasks(scratch: Path, stack: ExitStack) -> dict[str, Task]:
    """The bare write comes after ours, whose objects it takes into the other of two repositories.
    They change places in each round: to make a file costs more here than there."""
    one, other = (_workspace(scratch / name, stack) for name in ("one", "other"))
    keys, memory = MemoryKeys(), MemoryStore()
    ours = _Ours(lambda: steps_of(one), lambda: steps_of(other))
    tasks: dict[str, Task] = {
        _OURS: ours,
        _BARE: _Bare(ours, (one.store, other.store)),
        _AGAIN: _Ours(lambda: steps_of(other), lambda: steps_of(one)),
        _MEMORY: _Ours(lambda: ChainSteps(memory, keys, tuple)),
    }
    if _is_installed("langgraph", "langgraph.checkpoint", "langgraph.checkpoint.sqlite"):
        tasks[_OTHERS] = _langgraph(scratch / "langgraph.sqlite", stack)
    else:
        sys.stderr.write(
            "LangGraph is not installed, so it is left out; `make bench` installs it\n"
        )
    return tasks


# Ours


class _Ours:
    """Signed, validated, and verified when it is opened, in one place after the other."""

    def __init__(self, *places: Callable[[], StepStore]) -> None:
        self._places = places
        self._mark = f"p{id(self)}"
        self.turn = -1
        self.made: list[Snapshot] = []
        """The last ten steps, and the one before them."""

    def __call__(self, payload: Sections, outputs: list[Sections]) -> float:
        self.turn += 1
        steps, manifest = self._places[self.turn % len(self._places)], _manifest()
        name = f"{self._mark}-{self.turn}"
        first = Pipeline.open(steps(), name, token_budget=_BUDGET, payload=payload)
        self.made = [first.head]
        agents = [lambda given, manifest, out=out: _seen(given, out) for out in outputs]
        pipeline = Pipeline.open(steps(), name)
        started = time.perf_counter()
        for agent in agents:
            self.made.append(pipeline.step_sync(manifest, agent).unwrap())
        return time.perf_counter() - started


def _manifest() -> Manifest:
    return Manifest("writer", reads=NAMES, writes=NAMES, max_tokens=20_000, max_output=20_000)


def _seen(given: Slice, output: Sections) -> Sections:
    if given.sections.keys() != set(NAMES):
        raise RuntimeError("the payload did not reach the agent")
    return output


def _workspace(path: Path, stack: ExitStack) -> Workspace:
    git(path.parent, "init", "--quiet", str(path))
    ws = Workspace(discover(str(path)), "os")
    stack.callback(ws.store.close)
    return ws


def _forking(ws: Workspace) -> dict[str, Callable[[], object]]:
    """A step that writes one section, and five forks that write one each."""
    numbers, names = count(1), NAMES[:5]
    payload = _sections(numbers, NAMES)
    pipeline = Pipeline.open(steps_of(ws), "forking", token_budget=_BUDGET, payload=payload)

    def agent(given: Slice, manifest: Manifest) -> Sections:
        return _sections(numbers, manifest.writes[:1])

    manifests = [_manifest().replace(writes=(name, *NAMES[5:])) for name in names]
    forks = [Fork(m.writes[0], m, agent) for m in manifests]
    return {
        _STEP: lambda: pipeline.step_sync(_manifest(), agent).unwrap(),
        _FORKS: lambda: pipeline.fork_sync(forks, join=JoinStrategy.UNION).unwrap(),
    }


# The bare write


class _Objects(NamedTuple):
    """What a step added to the store, and the move of its ref."""

    blobs: list[bytes]
    trees: list[tuple[TreeEntry, ...]]
    commit: Commit
    move: Move


class _Bare:
    """What git itself needs for the same bytes: each new blob, tree and commit, and one move of
    the ref a step, through the same engine into another repository. Nothing is read, validated,
    counted, digested or signed, and the objects are there as values before the clock starts."""

    def __init__(self, ours: _Ours, stores: tuple[Store, Store]) -> None:
        """`stores` are those of the places of ours."""
        self._ours, self._stores = ours, stores
        self._known: set[Oid] = set()

    def __call__(self, payload: Sections, outputs: list[Sections]) -> float:
        turn = self._ours.turn % 2
        self._source, self._target = self._stores[turn], self._stores[1 - turn]
        first, *steps = self._objects()
        self._write(first)
        started = time.perf_counter()
        for step in steps:
            self._write(step)
        return time.perf_counter() - started

    def _write(self, step: _Objects) -> None:
        for data in step.blobs:
            self._target.put_blob(data)
        for entries in step.trees:
            self._target.put_tree(entries)
        self._target.put_commit(step.commit)
        self._target.move(step.move)

    def _objects(self) -> list[_Objects]:
        before: Oid | None = None
        found = []
        for step in self._ours.made:
            blobs: list[bytes] = []
            trees: list[tuple[TreeEntry, ...]] = []
            self._collect(step.record.commit.tree, blobs, trees)
            move = Move(run_ref(step.run), before, step.id)
            found.append(_Objects(blobs, trees, step.record.commit, move))
            before = step.id
        return found

    def _collect(self, tree: Oid, blobs: list[bytes], trees: list[tuple[TreeEntry, ...]]) -> None:
        """What is new below a tree, in the order in which it can be written."""
        entries = self._source.tree(tree)
        for entry in entries:
            if entry.oid not in self._known:
                self._known.add(entry.oid)
                if entry.is_tree:
                    self._collect(entry.oid, blobs, trees)
                else:
                    blobs.append(self._source.blob(entry.oid))
        trees.append(entries)


# LangGraph


def _is_installed(*nested: str) -> bool:
    """Each is looked for inside the one before it."""
    return all(map(importlib.util.find_spec, nested))


def _langgraph(path: Path, stack: ExitStack) -> Task:
    """A line of ten nodes; each invocation is a thread of its own."""
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import StateGraph

    connection = stack.enter_context(closing(sqlite3.connect(path, check_same_thread=False)))
    outputs: list[Sections] = []
    builder: Any = StateGraph(TypedDict("State", dict.fromkeys(NAMES, list)))  # type: ignore[operator]
    for number in range(_STEPS):
        builder.add_node(f"n{number}", lambda state, number=number: outputs[number])
        if number:
            builder.add_edge(f"n{number - 1}", f"n{number}")
    builder.set_entry_point("n0")
    builder.set_finish_point(f"n{_STEPS - 1}")
    graph = builder.compile(checkpointer=SqliteSaver(connection))
    threads = count()

    def run(payload: Sections, wanted: list[Sections]) -> float:
        outputs[:] = wanted
        thread = {"configurable": {"thread_id": str(next(threads))}}
        started = time.perf_counter()
        graph.invoke(payload, thread, durability="sync")
        return time.perf_counter() - started

    return run


# Texts


def _outputs(numbers: Iterator[int], wrote: int) -> list[Sections]:
    """One step after the other goes on where the last one ended."""
    every = [NAMES[at % len(NAMES)] for at in range(_STEPS * wrote)]
    return [_sections(numbers, every[at : at + wrote]) for at in range(0, len(every), wrote)]


def _sections(numbers: Iterator[int], names: Iterable[str]) -> Sections:
    return {name: _section(numbers) for name in names}


def _section(numbers: Iterator[int]) -> list[str]:
    """4,000 bytes as JSON: findings, none of which is said twice."""
    lines: list[str] = []
    room = _SIZE - len("[\n\n]\n")
    while room > 8:
        line = f"{next(numbers)} {texts.fault(next(numbers))}"
        lines.append(line[: room - 4])
        room -= len(lines[-1]) + len('"",\n')
    return lines
