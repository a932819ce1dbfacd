"""What our hooks add to a commit, a push and a pull: with nothing to do, and with an open run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from measure import Row, against, interleaved
from scratch import Stage, git

ROUNDS = 60
_EXIT_0 = "commit, hooks that say exit 0"
_AGAIN = "commit, hooks that say exit 0 (again)"
_OURS = "commit, our hooks, no open run"
_RUN = "commit, our hooks, an open run"
_PASS = "python -c pass"
_BAR = 1.3
_BAR_RUN = 7.0
_CALLED = ("pre-commit", "commit-msg", "post-commit", "post-merge", "pre-push", "pre-receive")
_PUSH = "push of one commit"
_PULL = "pull of one commit"


def rows(stage: Stage) -> list[Row]:
    """Repositories that differ in their hooks alone; the second is the control."""
    rounds = stage.rounds(ROUNDS)
    with tempfile.TemporaryDirectory() as scratch:
        tasks = {
            name: _committer(_project(Path(scratch) / str(number), name))
            for number, name in enumerate((_EXIT_0, _AGAIN, _OURS, _RUN))
        }
        with_run = {_PASS: _python, _OURS: tasks[_OURS], _RUN: tasks.pop(_RUN)}
        return [
            *against(_EXIT_0, interleaved(tasks, rounds), {_OURS: _BAR}),
            _added(interleaved(with_run, rounds)),
            *_shared(Path(scratch) / "pushing", rounds, _PUSH, _pusher),
            *_shared(Path(scratch) / "pulling", rounds, _PULL, _puller),
        ]


Maker = Callable[[Path, str, int], Callable[[], None]]
"""Makes, at a path and with those hooks, what can be done so many times."""


def _shared(scratch: Path, rounds: int, what: str, make: Maker) -> list[Row]:
    """With a server where runs are, and here: nothing of ours is on the way."""
    floor, control, ours = f"{what}, hooks that say exit 0", f"{what}, the same", f"{what}, ours"
    hooks = {floor: _EXIT_0, control: _EXIT_0, ours: _OURS}
    tasks = {
        name: make(scratch / str(number), kind, rounds)
        for number, (name, kind) in enumerate(hooks.items())
    }
    return against(floor, interleaved(tasks, rounds), {ours: _BAR})


def _pusher(path: Path, hooks: str, rounds: int) -> Callable[[], None]:
    project = _with_server(path, hooks)
    commits = _commits(project, rounds)
    return lambda: _git(project, "push", "--quiet", "origin", f"{next(commits)}:refs/heads/main")


def _puller(path: Path, hooks: str, rounds: int) -> Callable[[], None]:
    project = _with_server(path, hooks)
    made = list(_commits(project, rounds))
    _git(project, "push", "--quiet", "origin", *(f"{oid}:refs/heads/{oid[:12]}" for oid in made))
    commits = iter(made)
    return lambda: _git(project, "pull", "--quiet", "origin", next(commits)[:12])


def _with_server(path: Path, hooks: str) -> Path:
    """A project that has sent a run to its server, and has taken in what is there."""
    path.mkdir(parents=True)
    project = _project(path / "project", hooks)
    _git(path, "clone", "--quiet", "--bare", "project", "server")
    _git(project, "remote", "add", "origin", str(path / "server"))
    _relay(project, "init", "--no-hooks")
    for command in ("start", "sync", "runs"):
        _relay(project, command)
    if hooks == _OURS:
        _relay(path / "server", "hooks", "install", "--server")
    else:
        _say_exit_0(path / "server" / "hooks")
    return project


def _commits(project: Path, number: int) -> Iterator[str]:
    """One after the other, on top of what is there, without any hook."""
    oid = "HEAD"
    for _ in range(number):
        oid = git(project, "commit-tree", "HEAD^{tree}", "-p", oid, "-m", "again").strip()
        yield oid


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
    _relay(path, "hooks", "install") if hooks in (_OURS, _RUN) else _say_exit_0(
        path / ".git" / "hooks"
    )
    if hooks == _RUN:
        _relay(path, "start")
    return path


def _say_exit_0(folder: Path) -> None:
    for name in _CALLED:
        hook = folder / name
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
