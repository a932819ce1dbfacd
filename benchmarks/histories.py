"""Histories of any size, made through `git fast-import`.

A hundred thousand runs made by `advance` would take a day. These are the same objects, made in
minutes: steps that are signed and verify, a filing commit for each run with the run's tip as its
second parent, a ref for each month, and a note on each tip.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Sequence
from multiprocessing import Process
from pathlib import Path
from typing import NamedTuple

from importing import Stream, importing
from making import WHO, Maker, Run

from relay_git import names, resources
from relay_git.chain.envelope import Signer
from relay_git.git.repo import discover
from relay_git.git.store import Ident
from relay_git.lessons.distill import DISTILLER
from relay_git.lessons.provenance import note_lines
from relay_git.names import RunId
from relay_git.signing.signer import signer_for
from relay_git.workflow.definition import Definition, load_workflow

MONTHS = 36
_LAST = 2026 * 12 + 3
_TEMPLATE = "plan-review-implement-audit"
_BATCH = 100
_PROCESSES = 2


class Size(NamedTuple):
    """How many runs, spread evenly over the months, and how often each plan was rejected."""

    runs: int
    rejections: int = 0
    settled: bool = True


def build(repository: Path, size: Size) -> None:
    """Fill the repository at that path with finished runs that are filed."""
    signer = _signer(repository)
    shares = [range(first, MONTHS, _PROCESSES) for first in range(_PROCESSES)]
    workers = [Process(target=_import, args=(repository, size, s, signer)) for s in shares]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise RuntimeError("git fast-import failed")


def finish(repository: Path, numbers: Iterable[int], rejections: int = 0) -> list[RunId]:
    """Add runs of the last month, so numbered, that are finished and not filed; their ids."""
    runs = [_late(number) for number in numbers]
    with importing(repository) as stream:
        maker = Maker(stream, _definition(), _signer(repository))
        for number, run in zip(numbers, runs, strict=True):
            maker.make(run, names.run_ref(run), number, rejections)
    return runs


def _late(number: int) -> RunId:
    time = f"{number % 24:02}{number % 60:02}"
    return RunId(f"202604{number % 28 + 1:02}-{time}-late-{number}-{number % 0x10000:04x}")


def _signer(repository: Path) -> Signer:
    """The key of the clone, as `init` makes it."""
    return signer_for(discover(str(repository)).common_dir, None, WHO[1])


def _definition() -> Definition:
    return load_workflow(f"{resources.directory('templates')}/{_TEMPLATE}")


def run_id(number: int, size: Size) -> RunId:
    """Run number `number` of the history, counted from the oldest month."""
    month = number * MONTHS // size.runs
    first, after = _first(month, size), _first(month + 1, size)
    day = 1 + (number - first) * 28 // (after - first)
    year, index = divmod(_LAST - MONTHS + 1 + month, 12)
    time = f"{number % 24:02}{number % 60:02}"
    return RunId(f"{year}{index + 1:02}{day:02}-{time}-change-{number}-{number % 0x10000:04x}")


def _first(month: int, size: Size) -> int:
    """The number of the first run of a month."""
    return -(-month * size.runs // MONTHS)


def _import(repository: Path, size: Size, months: Sequence[int], signer: Signer) -> None:
    with importing(repository) as stream:
        scratch = names.run_ref(run_id(_first(months[0], size), size))
        maker = Maker(stream, _definition(), signer)
        for month in months:
            _Month(stream, maker, scratch, size).write(month)
        stream.say(f"reset {scratch}\nfrom {'0' * 40}\n\n")


class _Month:
    """One month's history and notes."""

    def __init__(self, stream: Stream, maker: Maker, scratch: str, size: Size) -> None:
        self._stream = stream
        self._maker = maker
        self._scratch = scratch
        self._size = size
        self._history: int | None = None
        self._notes: int | None = None

    def write(self, month: int) -> None:
        numbers = range(_first(month, self._size), _first(month + 1, self._size))
        for start in range(0, len(numbers), _BATCH):
            self._file([self._run(number) for number in numbers[start : start + _BATCH]])

    def _run(self, number: int) -> Run:
        run = run_id(number, self._size)
        return self._maker.make(run, self._scratch, number, self._size.rejections)

    def _file(self, runs: Sequence[Run]) -> None:
        """Object ids are asked for all runs at once: each answer waits for all that was said."""
        tips = self._stream.ask([f"get-mark :{run.tip}\n" for run in runs])
        listed = self._stream.ask([f'ls :{run.tip} ""\n' for run in runs])
        for run, tip, line in zip(runs, tips, listed, strict=True):
            self._file_one(run, line.split()[2])
            if self._size.settled:
                self._note(run, tip)

    def _file_one(self, run: Run, tree: str) -> None:
        ref = names.history_ref(run.id.month)
        if self._history is None:
            self._history = self._root(ref, run.id.month)
        message = f"file {run.id}: done\n\n{names.TRAILER_RUN}: {run.id}\n"
        parents = [self._history, run.tip]
        changes = [f"M 040000 {tree} {names.history_path(run.id)}"]
        self._history = self._stream.commit(ref, run.who, message, parents, changes)

    def _root(self, ref: str, month: str) -> int:
        year, number = map(int, month.split("-"))
        at = calendar.timegm((year, number, 1, 0, 0, 0))
        who = Ident("git-relay", "history@git-relay.invalid", at)
        return self._stream.commit(ref, who, f"history of {month}\n", [], [])

    def _note(self, run: Run, tip: str) -> None:
        mark = self._stream.blob(note_lines(run.id, run.lessons, DISTILLER))
        parents = [self._notes] if self._notes else []
        changes = [f"M 100644 :{mark} {tip[:2]}/{tip[2:]}"]
        ref = names.notes_ref(run.id.month)
        self._notes = self._stream.commit(ref, run.who, f"settle {run.id}\n", parents, changes)
