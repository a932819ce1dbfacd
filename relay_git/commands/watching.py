"""The person in front of `git relay run`: what a backend is at, shown on a terminal alone."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from relay_git import clock
from relay_git.commands.context import Context
from relay_git.output import Output, plain, wants_colour

_KEPT, _WORDS = 300, 12
_NARROW = 80


class Watching:
    """Follows a backend on one line, which is written over and goes in the end."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._shows = not ctx.json and wants_colour(sys.stderr)
        self._what = ""
        self._since = 0.0
        self._heard = 0
        self._last = ""

    @contextmanager
    def during(self, what: str) -> Iterator[None]:
        self._what, self._since, self._heard, self._last = what, clock.monotonic(), 0, ""
        self._redraw()
        try:
            yield
        finally:
            self._clear()

    def show(self, text: str) -> None:
        """As it is, on standard output; where that holds JSON, on the other one."""
        self._clear()
        out = Output(sys.stderr) if self._ctx.json else self._ctx.out
        out.raw(text)
        out.stream.flush()
        sys.stderr.write("git relay: waiting for the files, or for Enter\n")

    def hear(self, fragment: str) -> None:
        self._heard += len(fragment)
        self._last = (self._last + fragment)[-_KEPT:]
        self._redraw()

    def wait(self, seconds: float) -> bool:
        """A line on standard input says that it is enough; its end says nothing."""
        try:
            ready = bool(select.select([sys.stdin], [], [], seconds)[0])
            line = sys.stdin.readline() if ready else ""
        except (OSError, ValueError, TypeError):
            ready, line = True, ""
        if ready and not line:
            clock.sleep(seconds)
        return bool(line)

    def _clear(self) -> None:
        if self._shows:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _redraw(self) -> None:
        if self._shows:
            sys.stderr.write(f"\r{self._line()[: _width() - 1]}\x1b[K")
            sys.stderr.flush()

    def _line(self) -> str:
        line = f"{self._what}: {int(clock.monotonic() - self._since)} s"
        if self._heard:
            last = plain(" ".join(self._last.split()[-_WORDS:]))
            line += f", {self._heard:,} characters: … {last}"
        return line


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _NARROW
    except (OSError, ValueError):
        return _NARROW
