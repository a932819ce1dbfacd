"""Syncing where there is nothing new, and with a hundred new runs."""

from __future__ import annotations

import shutil
import time
from functools import partial
from pathlib import Path

import histories
from histories import Size
from measure import Row, against, interleaved
from scratch import Stage, git, relay

ROUNDS = 15
_BAR = 1.5
_NEW = 100


def rows(stage: Stage) -> list[Row]:
    clones = {runs: _clone(stage, runs) for runs in (stage.small, stage.large)}
    tasks = {
        f"git relay sync, nothing new among {runs:,}": partial(relay, path, "sync")
        for runs, path in clones.items()
    }
    for task in tasks.values():
        task()
    first, last = tasks
    return [
        *against(first, interleaved(tasks, stage.rounds(ROUNDS)), {last: _BAR}),
        *_with_new_runs(stage, clones[stage.large]),
    ]


def _clone(stage: Stage, runs: int) -> Path:
    """A clone and a server that both have the history."""
    path = stage.repository(f"synced-{runs}", Size(runs))
    server = stage.scratch / f"synced-{runs}.git"
    shutil.copytree(path / ".git", server, copy_function=stage.link)
    git(server, "config", "core.bare", "true")
    git(path, "remote", "add", "origin", server.as_uri())
    return path


def _with_new_runs(stage: Stage, path: Path) -> list[Row]:
    """A teammate's clone sends them, this one takes them in."""
    teammate = stage.scratch / "teammate"
    shutil.copytree(path, teammate, copy_function=stage.link)
    new = 3 if stage.quick else _NEW
    for run in histories.finish(teammate, range(new)):
        relay(teammate, "settle", run)
    return [
        _timed(f"git relay sync sends {new} runs", teammate),
        _timed(f"git relay sync takes in {new} runs", path),
    ]


def _timed(name: str, path: Path) -> Row:
    started = time.perf_counter()
    relay(path, "sync")
    return Row(name, (time.perf_counter() - started) * 1000, None, None)
