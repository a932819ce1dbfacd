"""Calling what blocks from an event loop, without ever having to wait for it."""

from __future__ import annotations

import contextvars
import inspect
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

_PATIENCE = 1.0
"""Seconds for which a thread waits for something to do."""


async def called(call: Callable[[], Any]) -> Any:
    """What a call gives in the end: a coroutine is awaited, anything else has a thread."""
    function = call.func if isinstance(call, partial) else call
    result = call() if _is_coroutine(function) else await in_thread(call)
    return await result if inspect.isawaitable(result) else result


def _is_coroutine(function: Callable[..., Any]) -> bool:
    """Also an object whose `__call__` is one."""
    return any(map(inspect.iscoroutinefunction, (function, type(function).__call__)))


def start(call: Callable[[], None]) -> None:
    """Make a call in a thread, in the context of the caller. It raises nothing."""
    run = partial(contextvars.copy_context().run, call)
    try:
        _idle.pop().put(run)
    except IndexError:
        threading.Thread(target=_serve, args=(run,), daemon=True).start()


async def in_thread(
    call: Callable[[], Any], begin: Callable[[Callable[[], None]], None] = start
) -> Any:
    """The thread is nobody's: one that hangs keeps neither the loop nor the program from ending,
    as one of the loop's own executor would. `begin` is `start`, or makes the call later: not at all
    if nobody waits for it by then."""
    import asyncio

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def hold() -> None:
        if future.done():
            return
        try:
            settle = partial(future.set_result, call())
        except StopIteration as error:
            settle = partial(future.set_exception, RuntimeError(f"StopIteration: {error}"))
        except BaseException as error:
            settle = partial(future.set_exception, error)
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(lambda: None if future.done() else settle())

    begin(hold)
    return await future


def _serve(call: Callable[[], None] | None) -> None:
    """One call after the other: to start a thread takes longer than most of what it does."""
    calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
    while call:
        call()
        _idle.append(calls)
        call = _next(calls)


def _next(calls: SimpleQueue[Callable[[], None]]) -> Callable[[], None] | None:
    """None when nothing came for a while."""
    with suppress(Empty):
        return calls.get(timeout=_PATIENCE)
    try:
        _idle.remove(calls)
    except ValueError:  # it was taken just now, and its call is on the way
        return calls.get()
    return None


class Aside:
    """Calls are made one after the other, in a thread while there are any. They raise nothing."""

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._one = threading.Lock()
        self._busy = False

    def put(self, call: Callable[[], None]) -> None:
        with self._one:
            if not self._busy:
                start(self._serve)
            self._busy = True
            self._calls.append(call)

    def _serve(self) -> None:
        while call := self._next():
            call()

    def _next(self) -> Callable[[], None] | None:
        with self._one:
            self._busy = bool(self._calls)
            return self._calls.popleft() if self._calls else None


_idle: list[SimpleQueue[Callable[[], None]]] = []
"""A queue for each thread that has nothing to do."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)
