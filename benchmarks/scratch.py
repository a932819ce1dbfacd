"""Scratch repositories for the benchmarks, and the programs that are timed in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import histories
from histories import Size

_RELAY = str(Path(sys.executable).with_name("git-relay"))
_FULL, _QUICK = (1_000, 10_000, 100_000), (6, 9, 12)
_IDENTITY = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com"))
}


def git(path: Path, *args: str, input: str | None = None) -> str:
    return _run("git", *args, cwd=path, input=input)


def relay(path: Path, *args: str) -> str:
    return _run(_RELAY, *args, cwd=path)


def python(*args: str) -> str:
    return _run(sys.executable, *args, cwd=Path())


def _run(*argv: str, cwd: Path, input: str | None = None) -> str:
    data = input.encode() if input is not None else None
    done = subprocess.run(argv, cwd=cwd, input=data, capture_output=True, check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        raise RuntimeError(f"{' '.join(argv)}: {done.returncode}\n{said}")
    return done.stdout.decode("utf-8", "replace")


@contextmanager
def sealed() -> Iterator[Path]:
    """A directory for everything, and nobody's configuration."""
    with TemporaryDirectory() as scratch:
        os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", **_IDENTITY)
        yield Path(scratch)


class Stage:
    """Where the benchmarks run, and in what size: `quick` only shows that they do."""

    def __init__(self, scratch: Path, quick: bool) -> None:
        self.scratch = scratch
        self.quick = quick
        self.small, self.medium, self.large = _QUICK if quick else _FULL
        self._made: dict[Size, Path] = {}

    def rounds(self, number: int) -> int:
        return 2 if self.quick else number

    def repository(self, name: str, size: Size) -> Path:
        """A repository with a work tree, one commit and that history, packed as gc leaves it."""
        if size not in self._made:
            self._made[size] = self._make(f"history-{len(self._made)}", size)
        path = self.scratch / name
        shutil.copytree(self._made[size], path, copy_function=self.link)
        return path

    def _make(self, name: str, size: Size) -> Path:
        git(self.scratch, "init", "--quiet", "--initial-branch=main", name)
        path = self.scratch / name
        git(path, "config", "gc.auto", "0")
        git(path, "commit", "--quiet", "--allow-empty", "--message", "first")
        histories.build(path, size)
        git(path, "repack", "-a", "-d", "--quiet", "--window=0")
        git(path, "pack-refs", "--all")
        return path

    @staticmethod
    def link(source: str, target: str) -> str:
        """For `copytree`: objects never change, so copies share them; other files are copied."""
        if f"{os.sep}objects{os.sep}" not in source:
            return shutil.copy2(source, target)
        os.link(source, target)
        return target
