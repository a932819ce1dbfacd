"""Calling what blocks from an event loop, without ever having to wait for it."""

from __future__ import annotations

import contextvars
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any


async def called(call: Callable[[], Any]) -> Any:
    """What a call gives in the end: a coroutine is awaited, anything else has a thread."""
    function = call.func if isinstance(call, partial) else call
    result = call() if inspect.iscoroutinefunction(function) else await in_thread(call)
    return await result if inspect.isawaitable(result) else result


async def in_thread(call: Callable[[], Any]) -> Any:
    """The thread is nobody's: one that hangs keeps neither the loop nor the program from ending,
    as one of the loop's own executor would."""
    import asyncio

    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def hold() -> None:
        try:
            settle = partial(future.set_result, call())
        except StopIteration as error:
            settle = partial(future.set_exception, RuntimeError(f"StopIteration: {error}"))
        except BaseException as error:
            settle = partial(future.set_exception, error)
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(lambda: None if future.done() else settle())

    run = contextvars.copy_context().run
    threading.Thread(target=run, args=(hold,), daemon=True).start()
    return await future
