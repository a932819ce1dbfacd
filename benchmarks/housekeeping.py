"""What everybody does once in a while, on the largest history. No bars: it is git's own work."""

from __future__ import annotations

import time
from collections.abc import Callable

from histories import Size
from measure import Row
from scratch import Stage, git, relay


def rows(stage: Stage) -> list[Row]:
    path = stage.repository("kept", Size(stage.large))
    runs, scratch = f"{stage.large:,} runs", stage.scratch
    bring = ("refs/relay/*:refs/relay/*", "refs/notes/relay/*:refs/notes/relay/*")
    git(scratch, "clone", "--quiet", path.as_uri(), "first")
    return [
        _timed(f"git clone, {runs} beside", lambda: git(scratch, "clone", path.as_uri(), "clone")),
        _timed(
            f"first git fetch of {runs}", lambda: git(scratch / "first", "fetch", "origin", *bring)
        ),
        _timed(f"git log --all, {runs}", lambda: git(path, "log", "--all", "--oneline")),
        _timed(f"git log --all -100, {runs}", lambda: git(path, "log", "--all", "-100")),
        _timed(f"git relay stats, {runs}, first", lambda: relay(path, "stats")),
        _timed(f"git relay stats, {runs}, again", lambda: relay(path, "stats")),
        _timed(f"git relay runs --all, {runs}", lambda: relay(path, "runs", "--all")),
        _timed(f"git gc, {runs}", lambda: git(path, "gc", "--quiet")),
    ]


def _timed(name: str, task: Callable[[], object]) -> Row:
    started = time.perf_counter()
    task()
    return Row(name, (time.perf_counter() - started) * 1000, None, None)
