"""Thousands of runs are read for their lessons, and none where there is nothing new."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from histories import Size
from measure import Row, against, interleaved
from scratch import Stage, git, relay

ROUNDS = 15
_BAR = 1.5
_PER_SECOND = 1000


def rows(stage: Stage) -> list[Row]:
    runs = stage.medium
    path = stage.repository("distil", Size(runs, settled=False))
    most = runs / _PER_SECOND * 1000
    few, many = stage.small, stage.large
    settled = {n: stage.repository(f"distilled-{n}", Size(n)) for n in (few, many)}
    return [
        _once(f"distill --all of {runs:,} runs, cold", path, most, "--all"),
        _once(f"distill --all of {runs:,} runs, again", path, None, "--all"),
        _bare(f"bare git reads the objects of {runs:,} runs", path),
        _once(f"first distill where others settled {many:,}", settled[many], None),
        *_with_nothing_new(settled, stage),
    ]


def _with_nothing_new(settled: dict[int, Path], stage: Stage) -> list[Row]:
    tasks = {
        f"distill, nothing new among {runs:,}": partial(relay, path, "distill")
        for runs, path in settled.items()
    }
    for task in tasks.values():
        task()
    first, last = tasks
    return against(first, interleaved(tasks, stage.rounds(ROUNDS)), {last: _BAR})


def _once(name: str, path: Path, bar: float | None, *options: str) -> Row:
    started = time.perf_counter()
    relay(path, "distill", *options)
    return Row(name, (time.perf_counter() - started) * 1000, None, bar)


def _bare(name: str, path: Path) -> Row:
    started = time.perf_counter()
    listed = git(path, "rev-list", "--objects", "--no-object-names", "--glob=refs/relay/history")
    git(path, "cat-file", "--batch", "--buffer", input=listed)
    return Row(name, (time.perf_counter() - started) * 1000, None, None)
