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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, TypedDict

import texts
from bare import Writer, added, by_libgit, by_our_engine
from measure import Row, against, interleaved
from scratch import Stage, git

from relay_git.git.repo import discover
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
_BARE, _ENGINE = "its objects and ref alone, libgit2", "the same, our engine"
_OTHERS = "LangGraph, SqliteSaver"

Sections = Mapping[str, list[str]]
Task = Callable[[Sections, list[Sections]], float]
"""Ten steps with these outputs on top of that payload, in seconds."""


def rows(stage: Stage) -> list[Row]:
    found = [_file(stage.scratch)]
    with ExitStack() as stack:
        tasks, numbers = _tasks(stage.scratch, stack), count(1)
        for wrote in (1, len(NAMES)):
            rounds = [
                (_sections(numbers, NAMES), _outputs(numbers, wrote))
                for _ in range(stage.rounds(ROUNDS))
            ]
            samples = _interleaved(tasks, rounds)
            found += _compared(f"{wrote} of {len(NAMES)} sections", samples, wrote == 1)
        forking = _forking(_workspace(stage.scratch / "forking", stack))
        found += against(_STEP, interleaved(forking, stage.rounds(ROUNDS)), {_FORKS: 5.0})
    return found


def _file(directory: Path) -> Row:
    """What a step makes at least five of: tens of microseconds, or it says more of the file system
    than of us."""
    samples = []
    for number in range(200):
        path = directory / f"file-{number}"
        started = time.perf_counter()
        path.with_suffix(".new").write_bytes(bytes(_SIZE))
        path.with_suffix(".new").rename(path)
        samples.append((time.perf_counter() - started) * 1000)
    return Row("a file of 4 KB, made and renamed", median(samples), None, None)


def _compared(what: str, samples: dict[str, list[float]], usual: bool) -> list[Row]:
    """Ours to the bare write, with the control and the memory store, then ours to LangGraph's. That
    has a bar where a step writes as much as steps usually do: what writes everything makes twelve
    files, and LangGraph one row.
    """
    others = {name: samples.pop(name) for name in (_OTHERS,) if name in samples}
    found = against(_BARE, samples, {_OURS: 2.0})
    if others:
        bars = {_OURS: 1.0} if usual else {}
        found += against(_OTHERS, {_OURS: samples[_OURS], **others}, bars)
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
    """The bare writes come after ours, whose objects they take. All four that write files have a
    repository each, and change places in each round: to make a file costs more here than there."""
    places = [_workspace(scratch / f"place-{number}", stack) for number in range(4)]
    keys, memory = MemoryKeys(), MemoryStore()
    ours = _Ours([partial(steps_of, place) for place in places])
    tasks: dict[str, Task] = {
        _OURS: ours,
        _BARE: _Bare(ours, places, 1, by_libgit),
        _ENGINE: _Bare(ours, places, 2, by_our_engine),
        _AGAIN: _Ours([partial(steps_of, place) for place in places[3:] + places[:3]]),
        _MEMORY: _Ours([lambda: ChainSteps(memory, keys, tuple)]),
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

    def __init__(self, places: Sequence[Callable[[], StepStore]]) -> None:
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


class _Bare:
    """What the last ten steps of ours added, in the place that is so many `further`."""

    def __init__(
        self, ours: _Ours, places: Sequence[Workspace], further: int, writer: Writer
    ) -> None:
        self._ours, self._places, self._further, self._writer = ours, places, further, writer

    def __call__(self, payload: Sections, outputs: list[Sections]) -> float:
        here, there = (self._place(further) for further in (0, self._further))
        first, *rest = self._writer(there, added(here.store, self._ours.made))
        first()
        started = time.perf_counter()
        for write in rest:
            write()
        return time.perf_counter() - started

    def _place(self, further: int) -> Workspace:
        return self._places[(self._ours.turn + further) % len(self._places)]


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
