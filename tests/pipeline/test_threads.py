from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from relay_git.pipeline.threads import called, in_thread

HERE: contextvars.ContextVar[str] = contextvars.ContextVar("HERE", default="nowhere")


def test_what_blocks_is_called_in_a_thread_with_the_context_of_the_caller() -> None:
    async def inside() -> Any:
        HERE.set("in the loop")
        return await in_thread(lambda: (threading.current_thread(), HERE.get()))

    thread, where = asyncio.run(inside())
    assert thread is not threading.current_thread() and thread.daemon
    assert where == "in the loop"


def test_a_coroutine_function_is_not() -> None:
    async def ask(word: str) -> tuple[str, threading.Thread]:
        return word, threading.current_thread()

    class Asking:
        def __call__(self) -> Coroutine[Any, Any, tuple[str, threading.Thread]]:
            return ask("hidden")

    assert asyncio.run(called(partial(ask, "plain"))) == ("plain", threading.current_thread())
    assert asyncio.run(called(Asking())) == ("hidden", threading.current_thread())


@pytest.mark.parametrize("error", [ValueError("no"), StopIteration("no")])
def test_an_error_comes_back(error: Exception) -> None:
    def fail() -> None:
        raise error

    with pytest.raises((ValueError, RuntimeError), match="no"):
        asyncio.run(in_thread(fail))


HANGING = """
import asyncio, threading
from relay_git.pipeline.threads import in_thread

async def main():
    async with asyncio.timeout(0.1):
        await in_thread(threading.Event().wait)

try:
    asyncio.run(main())
except TimeoutError:
    print("given up")
"""


def test_one_that_hangs_keeps_no_program_from_ending() -> None:
    command = [sys.executable, "-P", "-c", HANGING]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("given up\n", "", 0)


@pytest.mark.parametrize("goes_on", [True, False], ids=["loop goes on", "loop has ended"])
def test_one_that_answers_too_late_is_not_heard(
    goes_on: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def wait() -> None:
        threads.append(threading.current_thread())
        late.wait(30)

    async def inside() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await in_thread(wait)
        if goes_on:
            late.set()
            threads[0].join()
            await asyncio.sleep(0.01)

    errors: list[object] = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    threads: list[threading.Thread] = []
    late = threading.Event()
    asyncio.run(inside())
    late.set()
    threads[0].join()
    assert (errors, caplog.text) == ([], "")
