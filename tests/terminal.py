"""The program on a terminal of its own, with somebody who reads and types."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

CTRL_C = "\x03"


class Terminal:
    """`git relay`, with `words`; what it has shown so far is in `shown`."""

    def __init__(self, path: Path, *words: str) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "relay_git", *words],
            cwd=path,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.shown = b""

    def until(self, text: str, times: int = 1) -> None:
        deadline = time.monotonic() + 30
        while self.shown.count(text.encode()) < times and time.monotonic() < deadline:
            if not self._read(0.1):
                break
        assert self.shown.count(text.encode()) >= times, self.shown.decode("utf-8", "replace")

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def end(self) -> int:
        """Read on until the program is done; its exit code."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._read(0.1):
            pass
        code = self.process.wait(60)
        os.close(self.ours)
        return code

    def _read(self, patience: float) -> bool:
        """False when nobody writes any more."""
        if select.select([self.ours], [], [], patience)[0]:
            try:
                self.shown += os.read(self.ours, 4096)
            except OSError:
                return False
        return True
