"""One body for callers of both kinds: it yields what may take long, and is sent what came of it.

So the body is written once, as a generator. What it yields is a call without arguments, whose
result may be awaitable; an exception of the call is raised where it was yielded.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Any, TypeVar

from relay_git.errors import Refused

T = TypeVar("T")
Call = partial[Any]
Body = Generator[Call, Any, T]


def run_sync(body: Body[T]) -> T:
    """What is awaitable is run to its end in an event loop of its own, so none may be running."""
    step: Callable[[], Call] = partial(next, body)
    while True:
        try:
            call = step()
        except StopIteration as end:
            result: T = end.value
            return result
        try:
            step = partial(body.send, _ended(call()))
        except Exception as error:
            step = partial(body.throw, error)


async def run_async(body: Body[T]) -> T:
    """What is no coroutine function runs in a thread, so that the event loop goes on."""
    step: Callable[[], Call] = partial(next, body)
    while True:
        try:
            call = step()
        except StopIteration as end:
            result: T = end.value
            return result
        try:
            step = partial(body.send, await _awaited(call))
        except Exception as error:
            step = partial(body.throw, error)


def _ended(result: Any) -> Any:
    if not inspect.isawaitable(result):
        return result
    import asyncio

    waiting = _wait(result)
    try:
        return asyncio.run(waiting)
    except RuntimeError:
        if inspect.getcoroutinestate(waiting) != inspect.CORO_CREATED:
            raise
        waiting.close()
        if inspect.iscoroutine(result):
            result.close()
        raise Refused("an event loop is running here", hint="use `await pipeline.step`") from None


async def _awaited(call: Call) -> Any:
    if inspect.iscoroutinefunction(call.func):
        return await call()
    import asyncio

    result = await asyncio.to_thread(call)
    return await result if inspect.isawaitable(result) else result


async def _wait(result: Awaitable[Any]) -> Any:
    return await result
