"""Progress on long work, on a terminal and nowhere else."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from relay_git import clock
from relay_git.commands.context import Context
from relay_git.output import plain, wants_colour

_QUIET = 1.0
_LINE_END = re.compile(rb"[\r\n]+")


@contextmanager
def progress(what: str, ctx: Context) -> Iterator[Callable[[int], None]]:
    """A function to tell how much is done; it shows after a second, if anybody can see it."""
    if ctx.json or not wants_colour(sys.stderr):
        yield lambda done: None
        return
    started = clock.monotonic()
    shown = False

    def tell(done: int) -> None:
        nonlocal shown
        if shown or clock.monotonic() - started > _QUIET:
            sys.stderr.write(f"\r{what}: {done}\x1b[K")
            sys.stderr.flush()
            shown = True

    try:
        yield tell
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")


@contextmanager
def git_progress(ctx: Context) -> Iterator[Callable[[bytes], None] | None]:
    """A function to be told what git says, which shows how far it is; None if nobody can see it."""
    if ctx.json or not wants_colour(sys.stderr):
        yield None
        return
    shown = False

    def hear(said: bytes) -> None:
        nonlocal shown
        counted = [line for line in _LINE_END.split(said) if b"%" in line]
        if counted:
            sys.stderr.write(f"\r{plain(counted[-1].decode('utf-8', 'replace'))}\x1b[K")
            sys.stderr.flush()
            shown = True

    try:
        yield hear
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
