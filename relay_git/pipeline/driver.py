"""One body for callers of both kinds: it yields what may take long, and is sent what came of it.

So the body is written once, as a generator. What it yields is a call without arguments, whose
result may be awaitable, or `Several` such calls at once; an exception is raised where it was
yielded. Where the body itself may take long, it goes on beside the event loop.
"""

from __future__ import annotations

import contextvars
import inspect
import queue
import sys
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any, TypeVar

from relay_git.errors import BackendError, Refused
from relay_git.pipeline.threads import Aside, called, in_thread, start
from relay_git.record import Record

T = TypeVar("T")
Call = partial[Any]

_MOMENT = 0.001
"""Seconds within which calls end together."""
_LAST_WORDS = 1.0
"""Seconds for coroutines that are cancelled to clean up."""


class Ended(Record):
    """What came of one of several calls, by its number: a value or an error."""

    number: int
    value: Any = None
    error: BaseException | None = None


class Several(Record):
    """Calls that are made at the same time. `ended` is told, where the body goes on and never
    twice at once, which of them ended; once it says that this is enough, the others are left alone:
    coroutines are cancelled, plain functions go on in their threads and nobody hears them."""

    calls: Sequence[Call]
    ended: Callable[[list[Ended]], bool]


Body = Generator[Call | Several, Any, T]


def run_sync(body: Body[T]) -> T:
    """What is awaitable is run to its end in an event loop of its own, so none may be running."""
    step: Callable[[], Call | Several] = partial(next, body)
    with closing(body):
        while True:
            ended, wanted = _advanced(step)
            if ended:
                result: T = wanted
                return result
            try:
                step = partial(body.send, _made(wanted))
            except BaseException as error:
                step = partial(body.throw, _failed(error))


async def run_async(body: Body[T], aside: Aside | None = None) -> T:
    """What is no coroutine function runs in a thread, so that the event loop goes on. The body goes
    on in the loop, or `aside`."""
    place = _Place(body, aside)
    step: Callable[[], Call | Several] = partial(next, body)
    try:
        while True:
            ended, wanted = await place.call(partial(_advanced, step))
            if ended:
                result: T = wanted
                return result
            try:
                step = partial(body.send, await _made_awaited(wanted, place))
            except BaseException as error:
                if _is_given_up(error):
                    raise
                step = partial(body.throw, _failed(error))
    except BaseException as error:
        place.leave(error)
        raise


class _Place:
    """Where a body goes on: in the event loop, or aside in the context of whoever began it."""

    def __init__(self, body: Body[Any], aside: Aside | None) -> None:
        self._body, self._aside = body, aside
        self._run = contextvars.copy_context().run

    async def call(self, call: Callable[[], T]) -> T:
        if self._aside is None:
            return call()
        made: T = await in_thread(partial(self._run, call), self._aside.put)
        return made

    def leave(self, error: BaseException) -> None:
        """Nobody waits any more. What is on its way aside comes to its end before the body hears of
        that, and then nobody hears what came of it."""
        if self._aside:
            self._aside.put(partial(self._left, error))
            return
        with suppress(StopIteration):
            self._body.throw(error)

    def _left(self, error: BaseException) -> None:
        with suppress(BaseException):
            self._run(self._body.throw, error)


def _advanced(step: Callable[[], Call | Several]) -> tuple[bool, Any]:
    """Whether the body has ended, with what it gives or what it wants."""
    try:
        return False, step()
    except StopIteration as end:
        return True, end.value


def _made(wanted: Call | Several) -> Any:
    if isinstance(wanted, Several):
        _all_ended(wanted)
        return None
    return _ended(wanted())


async def _made_awaited(wanted: Call | Several, place: _Place) -> Any:
    if isinstance(wanted, Several):
        await _all_awaited(wanted, place)
        return None
    return await called(wanted)


def _failed(error: BaseException) -> BaseException:
    """What was cancelled by nobody who waits for it failed by itself."""
    asyncio = sys.modules.get("asyncio")
    if asyncio and isinstance(error, asyncio.CancelledError):
        return BackendError("it was cancelled, and by nobody who waits for it")
    return error


def _is_given_up(error: BaseException) -> bool:
    """Whether the caller was cancelled, or thrown away with its loop."""
    import asyncio

    if not isinstance(error, asyncio.CancelledError):
        return isinstance(error, GeneratorExit)
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


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


async def _wait(result: Awaitable[Any]) -> Any:
    import asyncio

    from relay_git.pipeline.impatient import Impatient

    asyncio.get_running_loop().set_default_executor(Impatient())
    return await result


# Several at once


def _all_ended(several: Several) -> None:
    """Each call in a thread of its own, which keeps no program from ending."""
    heard: queue.SimpleQueue[Ended] = queue.SimpleQueue()
    for number, call in enumerate(several.calls):
        start(partial(_tell, heard, number, call))
    left = len(several.calls)
    while left:
        some = [heard.get()]
        with suppress(queue.Empty):
            while len(some) < left:
                some.append(heard.get(timeout=_MOMENT))
        left -= len(some)
        if _told(several, some):
            return


def _tell(heard: queue.SimpleQueue[Ended], number: int, call: Call) -> None:
    try:
        heard.put(Ended(number, _ended(call())))
    except BaseException as error:
        heard.put(Ended(number, error=_failed(error)))


async def _all_awaited(several: Several, place: _Place) -> None:
    import asyncio

    tasks = {asyncio.ensure_future(called(call)): n for n, call in enumerate(several.calls)}
    left = set(tasks)
    try:
        while left:
            done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
            some = [_of(tasks[task], task) for task in done]
            some.sort(key=lambda one: one.number)
            if await place.call(partial(_told, several, some)):
                return
    finally:
        for task in left:
            task.cancel()
            task.add_done_callback(_unheard)
        if left:
            await asyncio.wait(left, timeout=_LAST_WORDS)


def _of(number: int, task: Any) -> Ended:
    """Of a task that is done."""
    try:
        return Ended(number, task.result())
    except BaseException as error:
        return Ended(number, error=_failed(error))


def _unheard(task: Any) -> None:
    """Look at what came of it, or asyncio complains that nobody did."""
    if not task.cancelled():
        task.exception()


def _told(several: Several, some: list[Ended]) -> bool:
    """Raises what is no failure of a call but the end of the program."""
    for one in some:
        if one.error and not isinstance(one.error, Exception):
            raise one.error
    return several.ended(some)
