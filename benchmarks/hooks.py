"""What our hooks add to a commit: with nothing to do, and with an open run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path

from measure import Row, against, interleaved

ROUNDS = 60
_EXIT_0 = "commit, hooks that say exit 0"
_AGAIN = "commit, hooks that say exit 0 (again)"
_OURS = "commit, our hooks, no open run"
_RUN = "commit, our hooks, an open run"
_PASS = "python -c pass"
_BAR = 1.3
_BAR_RUN = 7.0
_CALLED = ("pre-commit", "commit-msg", "post-commit")


def rows(rounds: int = ROUNDS) -> list[Row]:
    """Repositories that differ in their hooks alone; the second is the control."""
    with tempfile.TemporaryDirectory() as scratch:
        tasks = {
            name: _committer(_project(Path(scratch) / str(number), name))
            for number, name in enumerate((_EXIT_0, _AGAIN, _OURS, _RUN))
        }
        with_run = {_PASS: _python, _OURS: tasks[_OURS], _RUN: tasks.pop(_RUN)}
        return [
            *against(_EXIT_0, interleaved(tasks, rounds), {_OURS: _BAR}),
            _added(interleaved(with_run, rounds)),
        ]


def _added(samples: dict[str, list[float]]) -> Row:
    """What an open run adds to a commit, measured by a Python that does nothing."""
    medians = {name: statistics.median(values) for name, values in samples.items()}
    more = medians[_RUN] - medians[_OURS]
    return Row("what an open run adds, as python -c pass", more, more / medians[_PASS], _BAR_RUN)


def _python() -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def _project(path: Path, hooks: str) -> Path:
    os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    _git(path.parent, "init", "--quiet", str(path))
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.com"), ("gc.auto", "0")):
        _git(path, "config", key, value)
    for number in range(200):
        (path / f"file-{number}.txt").write_text(f"{number}\n")
    _relay(path, "init", "--no-hooks")
    _git(path, "add", ".")
    _git(path, "commit", "--quiet", "-m", "first")
    _relay(path, "hooks", "install") if hooks in (_OURS, _RUN) else _say_exit_0(path)
    if hooks == _RUN:
        _relay(path, "start")
    return path


def _say_exit_0(project: Path) -> None:
    for name in _CALLED:
        hook = project / ".git" / "hooks" / name
        hook.write_text("#!/bin/sh\nexit 0\n")
        hook.chmod(0o755)


def _committer(project: Path) -> Callable[[], None]:
    """Changes a file and commits it."""
    numbers = count()

    def commit() -> None:
        (project / "file-0.txt").write_text(f"{next(numbers)}\n" * 3)
        _git(project, "commit", "--quiet", "-am", "again")

    return commit


def _git(path: Path, *args: str) -> None:
    subprocess.run(["git", *args], cwd=path, check=True, stdout=subprocess.DEVNULL)


def _relay(path: Path, *args: str) -> None:
    program = str(Path(sys.executable).with_name("git-relay"))
    subprocess.run([program, *args], cwd=path, check=True, stdout=subprocess.DEVNULL)
