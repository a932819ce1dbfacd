"""Repositories with our hooks in them, and ways to see which of them start a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from flow import add_workflow, call, copy_of, done, make_project
from support import git

from relay_git.githooks import shims

HOOKS = shims.HOOKS


class Done(NamedTuple):
    code: int
    out: str
    err: str


def run(path: Path | str, *argv: str, input: str | None = None, **environment: str) -> Done:
    """Any command, to whatever exit code."""
    done = subprocess.run(
        argv,
        cwd=path,
        env=os.environ | environment,
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def program(path: Path | str, *words: str, **environment: str) -> Done:
    """`git relay`, to whatever exit code."""
    return run(path, sys.executable, "-P", "-m", "relay_git", *words, **environment)


def with_program() -> str:
    """A PATH on which git finds `git relay`."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def hooked(path: Path) -> Path:
    """A project with a workflow, our hooks, and no open run."""

    def build(made: Path) -> None:
        done(make_project(made), "init")

    return copy_of("hooked", build, path)


def with_workflow(path: Path) -> Path:
    """A repository that is there already gets the workflow, committed, and the local half."""
    add_workflow(path)
    git(path, "add", ".relay")
    git(path, "commit", "-q", "-m", "set up")
    done(path, "init")
    return path


def hooks_of(path: Path) -> Path:
    answer = git(path, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
    return Path(answer)


def write_hook(path: Path, text: str | bytes, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def watch(path: Path, log: Path) -> Path:
    """From now on each start of our program by a hook is a line in `log`."""
    watcher = write_hook(
        log.with_name("git-relay"),
        f'#!/bin/sh\necho "$*" >>"{log}"\nexec "{shims.program()}" "$@"\n',
    )
    for hook in HOOKS:
        file = hooks_of(path) / hook
        file.write_text(file.read_text().replace(shims.program(), str(watcher)))
    return log


def started(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def git_processes(path: Path, log: Path, *args: str) -> int:
    """How many git processes a git command makes, itself included, by git's own account."""
    log.unlink(missing_ok=True)
    done = run(path, "git", *args, GIT_TRACE2_EVENT=str(log))
    assert done.code == 0, done.err
    return sum(json.loads(line)["event"] == "start" for line in log.read_text().splitlines())


def commit(path: Path, name: str, text: str = "text\n", *options: str) -> str:
    """Write one file and commit it; what git said on standard error."""
    (path / name).write_text(text)
    git(path, "add", name)
    done = run(path, "git", "commit", "-q", "-m", f"change {name}", *options)
    assert done.code == 0, done.err
    return done.err


WELL = "all is well; a hook was fired and ran\n"
"""What the doctor says where nothing is wrong."""


def line_of_doctor(path: Path) -> str:
    """The only one that it has to say."""
    answer = call(path, "doctor")
    assert answer.code == 1
    line, total = answer.out.splitlines()
    assert total == "1 problem"
    return line


def finding(path: Path) -> str:
    """The one line that the doctor has to say, and the same as JSON."""
    line = line_of_doctor(path)
    found = json.loads(call(path, "doctor", "--json").out)
    [(area, [problem])] = [(area, problems) for area, problems in found.items() if problems]
    assert line.startswith(f"{area}: ")
    assert problem["hint"] in line
    return line


def mend(path: Path, line: str) -> None:
    """Do what the hint of a finding says, a command between backticks; then all is well."""
    command = line.rsplit("run `", 1)[1].partition("`")[0]
    mended = run(path, "sh", "-c", command)
    assert mended.code == 0, mended.err
    assert done(path, "doctor") == WELL
