from __future__ import annotations

import asyncio
import contextvars
import multiprocessing
import queue
import subprocess
import sys
import threading
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from relay_git.pipeline import threads as threads_module
from relay_git.pipeline.threads import Aside, called, in_thread, start

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


def test_nor_is_an_object_that_is_called_like_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Calling:
        async def __call__(self, word: str) -> str:
            return word

    def no_thread(call: object) -> None:
        raise AssertionError("if it is given up there, nobody awaits the coroutine")

    monkeypatch.setattr(threads_module, "in_thread", no_thread)
    assert asyncio.run(called(partial(Calling(), "open"))) == "open"


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
    monkeypatch.setattr(threads_module, "_PATIENCE", 0.01)
    threads: list[threading.Thread] = []
    late = threading.Event()
    asyncio.run(inside())
    late.set()
    threads[0].join()
    assert (errors, caplog.text) == ([], "")


@pytest.fixture
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads_module, "_idle", [])


def _asked(answers: queue.SimpleQueue[threading.Thread]) -> threading.Thread:
    start(lambda: answers.put(threading.current_thread()))
    return answers.get(timeout=30)


@pytest.mark.usefixtures("nobody_waits")
def test_a_thread_that_has_nothing_to_do_is_taken_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads_module, "_PATIENCE", 30)
    answers: queue.SimpleQueue[threading.Thread] = queue.SimpleQueue()
    first = _asked(answers)
    while not threads_module._idle:
        pass
    assert _asked(answers) is first


@pytest.mark.usefixtures("nobody_waits")
def test_a_thread_ends_when_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads_module, "_PATIENCE", 0.001)
    _asked(queue.SimpleQueue()).join(30)
    assert threads_module._idle == []


def test_one_that_was_taken_as_it_was_about_to_end_waits_for_its_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads_module, "_PATIENCE", 0.001)
    taken: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Timer(0.05, taken.put, [print]).start()
    assert threads_module._next(taken) is print


def _wait(gate: threading.Event) -> None:
    assert gate.wait(30)


def test_what_is_put_aside_is_made_one_after_the_other_in_its_order() -> None:
    aside, made, most = Aside(), [], []
    running: list[int] = []
    over = threading.Event()

    def call(number: int) -> None:
        running.append(number)
        most.append(len(running))
        made.append(running.pop())

    for _ in range(3):
        for number in range(100):
            aside.put(partial(call, number))
        aside.put(over.set)
        assert over.wait(30)
        over.clear()
    assert made == [*range(100)] * 3 and set(most) == {1}


@pytest.mark.usefixtures("nobody_waits")
def test_what_is_put_aside_has_a_thread_only_while_there_is_something() -> None:
    aside, gate = Aside(), threading.Event()
    before = set(threading.enumerate())
    for _ in range(20):
        aside.put(lambda: _wait(gate))
    assert len(set(threading.enumerate()) - before) == 1
    gate.set()
    while aside._busy:
        pass
    while not threads_module._idle:
        pass
    assert len(threads_module._idle) == 1


def test_where_no_thread_can_be_started_the_next_one_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(call: object) -> None:
        raise RuntimeError("can't start new thread")

    aside, made = Aside(), queue.SimpleQueue[str]()
    with monkeypatch.context() as without:
        without.setattr(threads_module, "start", fail)
        with pytest.raises(RuntimeError, match="new thread"):
            aside.put(partial(made.put, "never"))
    aside.put(partial(made.put, "then"))
    assert made.get(timeout=30) == "then" and made.empty()


def test_what_nobody_waits_for_when_its_turn_comes_is_not_called() -> None:
    async def inside() -> None:
        aside.put(lambda: _wait(gate))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await in_thread(partial(called_late.append, 1), aside.put)
        gate.set()
        assert await in_thread(lambda: "next", aside.put) == "next"

    aside, gate, called_late = Aside(), threading.Event(), list[int]()
    asyncio.run(inside())
    assert called_late == []


def _in_a_fork(answer: Any) -> None:
    answers: queue.SimpleQueue[threading.Thread] = queue.SimpleQueue()
    _asked(answers)
    answer.send("answered")


def test_a_fork_of_the_process_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads_module, "_PATIENCE", 30)
    _asked(queue.SimpleQueue())
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_in_a_fork, args=(there,))
    process.start()
    try:
        assert here.poll(30) and here.recv() == "answered"
    finally:
        process.kill()
        process.join()
