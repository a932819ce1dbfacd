"""What observers are told of a step and of its forks, and where."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pipelining import WRITER, forks, observed, saying

from relay_git.pipeline import (
    AgentOutput,
    Code,
    Failure,
    Fork,
    JoinStrategy,
    Manifest,
    Moment,
    Notice,
    RolledBack,
    Slice,
    Success,
)
from relay_git.pipeline.notice import ENDS, STARTS

IN_AGENT = (Moment.AGENT_CALLED, Moment.AGENT_ANSWERED)


@pytest.fixture
def told() -> list[Notice]:
    return []


def events(told: list[Notice]) -> list[Moment]:
    return [notice.event for notice in told]


def assert_paired(told: list[Notice]) -> None:
    """What starts ends, once, and inside what it is a part of."""
    running: list[str] = []
    for notice in told:
        if notice.event in STARTS:
            assert notice.within is None or notice.within in running
            running.append(notice.id)
        elif notice.event in ENDS:
            running.remove(notice.id)
    assert running == []


def test_an_observer_is_any_callable(told: list[Notice]) -> None:
    with observed(told.append) as pipeline:
        pipeline.step_sync(WRITER, saying(FACTS=["b"])).unwrap()
    assert events(told) == [
        Moment.PIPELINE_OPENED,
        Moment.STEP_STARTED,
        *IN_AGENT,
        Moment.STEP_ACCEPTED,
        Moment.PIPELINE_CLOSED,
    ]
    assert_paired(told)


def broken(given: Slice, manifest: Manifest) -> Any:
    raise ZeroDivisionError


def interrupted(given: Slice, manifest: Manifest) -> Any:
    raise KeyboardInterrupt


class Uncountable:
    def count(self, text: str) -> int:
        raise ArithmeticError


def test_every_failure_is_told_with_its_code(told: list[Notice]) -> None:
    pipeline = observed(told.append)
    pipeline.step_sync(WRITER, broken)
    pipeline.step_sync(WRITER, saying(FACTS=object()))
    pipeline.step_sync(WRITER.replace(max_output=9_000), saying())
    observed(told.append, counter=Uncountable()).step_sync(WRITER, saying())
    failed = [notice for notice in told if notice.event is Moment.STEP_FAILED]
    assert [(notice.code, notice.reason) for notice in failed[:2]] == [
        (Code.AGENT_FAILED, "ZeroDivisionError"),
        (Code.INVALID_OUTPUT, None),
    ]
    assert [notice.code for notice in failed[2:]] == [
        Code.BUDGET_EXCEEDED,
        Code.INVALID_TOKEN_COUNT,
    ]
    assert failed[3].reason == "ArithmeticError"


def test_a_step_that_is_interrupted_is_told_before_its_caller_goes_on(told: list[Notice]) -> None:
    pipeline = observed(told.append)
    with pytest.raises(KeyboardInterrupt) as caught:
        pipeline.step_sync(WRITER, interrupted)
    assert caught.tb
    assert (told[-1].event, told[-1].reason) == (Moment.STEP_FAILED, "it was given up")
    assert told[-2].event is Moment.AGENT_ANSWERED


def test_so_is_one_that_is_cancelled(told: list[Notice]) -> None:
    async def cancel() -> None:
        asked = asyncio.Event()

        async def waiting(given: Slice, manifest: Manifest) -> Any:
            asked.set()
            await asyncio.sleep(60)

        step = asyncio.create_task(observed(told.append).step(WRITER, waiting))
        await asked.wait()
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step
        assert events(told)[-2:] == [Moment.AGENT_ANSWERED, Moment.STEP_FAILED]

    asyncio.run(cancel())
    assert told[-1].reason == "it was given up"


def test_tokens_are_those_that_the_agent_counted(told: list[Notice]) -> None:
    said = AgentOutput("fake", structured={"NOTES": "b"}, token_count=77)
    manifest = Manifest("writer", writes=["NOTES"])
    observed(told.append).step_sync(manifest, lambda given, manifest: said).unwrap()
    assert told[-1].tokens == 77


CURRENT = contextvars.ContextVar("current", default="nothing")


@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("kind", ["function", "coroutine", "lazy"])
def test_an_observer_can_set_the_context_of_an_agent(how: str, kind: str) -> None:
    seen: list[str] = []
    tokens: list[Any] = []

    def observer(notice: Notice) -> None:
        if notice.event is Moment.AGENT_CALLED:
            tokens.append(CURRENT.set(f"{notice.agent} {notice.step}"))
        elif notice.event is Moment.AGENT_ANSWERED:
            CURRENT.reset(tokens.pop())

    def function(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        seen.append(CURRENT.get())
        return {}

    async def coroutine(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        return function(given, manifest)

    agents: dict[str, Any] = {
        "function": function,
        "coroutine": coroutine,
        "lazy": lambda given, manifest: coroutine(given, manifest),
    }
    pipeline = observed(observer)
    if how == "sync":
        pipeline.step_sync(WRITER, agents[kind]).unwrap()
    else:
        asyncio.run(pipeline.step(WRITER, agents[kind])).unwrap()
    assert seen == ["writer 2"]
    assert CURRENT.get() == "nothing" and not tokens


# Forks


@pytest.mark.parametrize("how", ["sync", "async"])
def test_forks_are_told_as_parts_of_their_step(told: list[Notice], how: str) -> None:
    three = forks(a=saying(A=1), b=saying(B=2), c=saying(C=3))
    with observed(told.append) as pipeline:
        if how == "sync":
            result = pipeline.fork_sync(three)
        else:
            result = asyncio.run(pipeline.fork(three))
    assert isinstance(result, Success)
    assert_paired(told)
    assert Counter(events(told)) == {
        Moment.PIPELINE_OPENED: 1,
        Moment.STEP_STARTED: 1,
        Moment.FORK_STARTED: 3,
        Moment.AGENT_CALLED: 3,
        Moment.AGENT_ANSWERED: 3,
        Moment.FORK_FINISHED: 3,
        Moment.JOINED: 1,
        Moment.PIPELINE_CLOSED: 1,
    }
    [joined] = [notice for notice in told if notice.event is Moment.JOINED]
    finished = [notice for notice in told if notice.event is Moment.FORK_FINISHED]
    assert {(one.fork, one.agent, one.sections, one.within) for one in finished} == {
        (name, f"agent-{name}", (name.upper(),), joined.id) for name in "abc"
    }
    assert joined.sections == ("A", "B", "C")
    assert joined.tokens == sum(one.tokens or 0 for one in finished) == result.value.budget_used
    assert (joined.step, joined.agent) == (2, None)


def test_a_fork_that_comes_to_nothing_is_told_with_the_reason(told: list[Notice]) -> None:
    some = forks(a=saying(A=1), b=broken, c=saying(D="not declared"))
    pipeline = observed(told.append)
    assert isinstance(pipeline.fork_sync(some, JoinStrategy.VOTE), Success)
    finished = {one.fork: one for one in told if one.event is Moment.FORK_FINISHED}
    assert {name: (one.code, one.reason) for name, one in finished.items()} == {
        "a": (None, None),
        "b": (Code.AGENT_FAILED, "ZeroDivisionError"),
        "c": (Code.UNDECLARED_WRITE, "UNDECLARED_WRITE in D"),
    }
    assert isinstance(pipeline.fork_sync(some), Failure)
    last = told[-1]
    assert (last.event, last.code, last.reason) == (
        Moment.STEP_FAILED,
        Code.AGENT_FAILED,
        "ZeroDivisionError",
    )


def test_forks_that_do_not_agree_are_a_rejected_step(told: list[Notice]) -> None:
    same = [Fork(name, Manifest(name, writes=["X"], max_output=9), saying(X=name)) for name in "ab"]
    assert isinstance(observed(told.append).fork_sync(same), RolledBack)
    last = told[-1]
    assert (last.event, last.code, last.rolled_back_to) == (
        Moment.STEP_REJECTED,
        Code.MERGE_CONFLICT,
        1,
    )


@pytest.mark.parametrize("how", ["sync", "async"])
def test_forks_that_are_left_alone_are_told_to_be(told: list[Notice], how: str) -> None:
    gate = threading.Event()

    def slow(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        gate.wait(60)
        return {"B": 1}

    async def never(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        await asyncio.sleep(60)
        return {"B": 1}

    pipeline = observed(told.append)
    if how == "sync":
        pipeline.fork_sync(forks(a=saying(A=1), b=slow), JoinStrategy.FIRST_WINS).unwrap()
    else:
        both = forks(a=saying(A=1), b=never)
        asyncio.run(pipeline.fork(both, JoinStrategy.FIRST_WINS)).unwrap()
    finished = {one.fork: one.reason for one in told if one.event is Moment.FORK_FINISHED}
    assert finished == {"a": None, "b": "it was left alone"}
    gate.set()


@pytest.fixture(autouse=True)
def nothing_left_current() -> Iterator[None]:
    yield
    assert CURRENT.get() == "nothing"
