"""Progress on long work, on a terminal and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from relay_git import clock
from relay_git.commands.context import Context
from relay_git.output import wants_colour

_QUIET = 1.0


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
