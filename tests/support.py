"""Builders that the tests share: real repositories, made by git itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from relay_git.git.repo import Repository, discover

SOAK = os.environ.get("GIT_RELAY_SOAK") == "1"
"""Whether sweeps run in full size."""


def git(path: Path | str, *args: str, input: bytes | None = None, code: int = 0) -> str:
    """What git says, without the last newline. It must end with `code`.

    Without the process that looks whether there is something to pack.
    """
    command = ["git", "-c", "maintenance.auto=false", *args]
    done = subprocess.run(
        command, cwd=path, input=input, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == code, f"git {args}: {done.returncode}\n{done.stderr.decode()}"
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def make_repo(path: Path, *, object_format: str = "sha1", commit: bool = True) -> Path:
    """An initialised repository, with one empty commit unless `commit` is false."""
    path.mkdir(parents=True, exist_ok=True)
    git(path, "init", "-q", f"--object-format={object_format}")
    if commit:
        git(path, "commit", "-q", "--allow-empty", "-m", "first")
    return path


def make_commits(path: Path, count: int) -> list[str]:
    """That many more empty commits, oldest first."""
    for number in range(count):
        git(path, "commit", "-q", "--allow-empty", "-m", f"commit {number}")
    return git(path, "rev-list", "--reverse", f"-{count}", "HEAD").split()


def repository(path: Path | str) -> Repository:
    return discover(os.fspath(path))


def processes(trace: Path) -> list[str]:
    """The arguments, joined, of every process started since `GIT_RELAY_TRACE` named this file."""
    import json

    lines = trace.read_text().splitlines() if trace.exists() else []
    return [" ".join(json.loads(line)) for line in lines]


def relay(path: Path | str, *args: str, code: int = 0) -> str:
    """What `git relay` prints on standard output. It must end with `code`."""
    command = [sys.executable, "-P", "-m", "relay_git", *args]
    done = subprocess.run(command, cwd=path, capture_output=True, check=False, timeout=120)
    assert done.returncode == code, f"git relay {args}: {done.returncode}\n{done.stderr.decode()}"
    return done.stdout.decode("utf-8", "surrogateescape")


def marked_review(shape: str) -> tuple[str, list[tuple[int, str]]]:
    """A review without its first column (after a margin of 8), and the findings that it names.

    E, W or I there marks the line of a finding of that severity.
    """
    letters = {"E": "error", "W": "warn", "I": "info"}
    lines = [line[8:] for line in shape.strip("\n").split("\n")]
    found = [(at, letters[line[0]]) for at, line in enumerate(lines, 1) if line[:1] in letters]
    return "\n".join(line[2:] for line in lines), found


def is_gone(process: int) -> bool:
    """A killed process whose parent is gone is init's to reap, so it is given a moment."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{process}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False
