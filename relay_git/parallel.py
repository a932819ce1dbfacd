"""Much of the same work, done by several processes at once, and given back in its order."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar

from relay_git.errors import RelayError

T = TypeVar("T")
R = TypeVar("R")

_FEW = 2
"""Shares that one process has done before another is there to help."""
_MOST_PROCESSES = 8


def by_shares(work: Callable[[Sequence[T]], R], items: Iterable[T], size: int) -> Iterator[R]:
    """What `work` makes of each share of so many items. It must depend on nothing else.

    The first shares are worked on while the last items are still being found.
    """
    source = iter(items)
    shares = iter(lambda: list(islice(source, size)), [])
    first = list(islice(shares, _FEW + 1))
    processes = min(_cores(), _MOST_PROCESSES)
    if len(first) <= _FEW or processes == 1:
        yield from map(work, chain(first, shares))
    else:
        yield from _shared(work, chain(first, shares), processes)


def _shared(
    work: Callable[[Sequence[T]], R], shares: Iterable[Sequence[T]], processes: int
) -> Iterator[R]:
    """Not every error can be handed over, so a share that failed is done again here."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    pool = ProcessPoolExecutor(processes, context, initializer=_begin)
    try:
        begun = [(share, pool.submit(_try, work, share)) for share in shares]
        for share, future in begun:
            made = future.result()
            yield work(share) if made is None else made[0]
    except BrokenProcessPool:
        hint = "try again; the memory may be too small"
        raise RelayError("a process that helped was killed", hint=hint) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _try(work: Callable[[Sequence[T]], R], share: Sequence[T]) -> tuple[R] | None:
    try:
        return (work(share),)
    except RelayError:
        return None


def _begin() -> None:
    """Ctrl-C reaches every process of the group, and the first of them ends the others.

    Looking for garbage would take a tenth of the time, and such work leaves next to none.
    """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()


def _cores() -> int:
    """Those that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
