"""Disks that fail: a small one to be filled up, one that only reads."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_NAME = "relay-test-"


class SmallDisk:
    """A file system with room for few files. `full` takes all the room but some."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"

    @contextmanager
    def full(self, files: int | None = None, bytes: int | None = None) -> Iterator[None]:
        """With room for that many more files, or bytes."""
        self._filler.mkdir()
        room = os.statvfs(self.path)
        if files is not None:
            for number in range(room.f_favail - files):
                (self._filler / str(number)).touch()
        if bytes is not None:
            size = room.f_bavail * room.f_bsize - bytes
            (self._filler / "bytes").write_bytes(b"\1" * max(0, size))
        try:
            yield
        finally:
            shutil.rmtree(self._filler)


@contextmanager
def small_disk(at: Path, files: int = 1000) -> Iterator[SmallDisk]:
    at.mkdir()
    _take_down_left_ones()
    name = f"{_NAME}{os.getpid()}"
    with _mounted("-t", "tmpfs", "-o", f"size=16m,nr_inodes={files}", name, str(at)):
        yield SmallDisk(at)


def _take_down_left_ones() -> None:
    """Those of tests that were killed: each disk has the process that made it in its name."""
    mounts = Path("/proc/mounts")
    for line in mounts.read_text().splitlines() if mounts.exists() else []:
        name, at, *_ = line.split(" ")
        pid = name.removeprefix(_NAME)
        if name.startswith(_NAME) and not Path("/proc", pid).exists():
            where = at.encode().decode("unicode_escape")
            subprocess.run(["umount", "--lazy", where], check=False, capture_output=True)


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    """A folder that nothing can be written to, by whoever runs the test: modes do not bind root,
    so it gets a mount that does."""
    if os.geteuid():
        modes = {folder: folder.stat().st_mode for folder in [path, *path.rglob("*/")]}
        _set_modes(dict.fromkeys(modes, 0o555))
        try:
            yield
        finally:
            _set_modes(modes)
        return
    with _mounted("--bind", str(path), str(path)):
        subprocess.run(["mount", "-o", "remount,bind,ro", str(path)], check=True)
        yield


def _set_modes(modes: dict[Path, int]) -> None:
    for folder, mode in modes.items():
        folder.chmod(mode)


@contextmanager
def _mounted(*words: str) -> Iterator[None]:
    if subprocess.run(["mount", *words], capture_output=True, check=False).returncode:
        pytest.skip(f"this user may not mount anything (mount {' '.join(words[:-1])})")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", words[-1]], check=True)
