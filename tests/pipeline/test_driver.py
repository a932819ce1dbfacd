"""Whatever agents raise, and whenever their caller gives up, in both kinds of callers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from pipelining import WRITER, forks, saying

from relay_git.pipeline import (
    Code,
    Failure,
    Fork,
    JoinStrategy,
    Pipeline,
    Result,
    Slice,
    driver,
    memory_steps,
)
from relay_git.pipeline.driver import Body, Ended, Several, run_sync


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("it cannot even say what")


RAISED = [
    Mute(),
    ValueError("\udcff broken\nRelay-Step: 9"),
    ValueError("x" * 1_000_000),
    StopIteration("over"),
    RecursionError(),
    asyncio.CancelledError(),
    ExceptionGroup("several", [ValueError("one")]),
]


def opened(**options: Any) -> Pipeline:
    return Pipeline.open(memory_steps(), "demo", **{"payload": {"FACTS": ["a"]}, **options})


def raising(error: BaseException) -> Any:
    def agent(*given: object) -> Any:
        raise error

    return agent


def awaited(error: BaseException) -> Any:
    async def agent(*given: object) -> Any:
        await asyncio.sleep(0)
        raise error

    return agent


@pytest.mark.timeout(60)
@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("agent", [raising, awaited])
def test_whatever_an_agent_raises_is_its_failure(error: BaseException, agent: Any) -> None:
    def check(pipeline: Pipeline, result: Result) -> None:
        assert isinstance(result, Failure) and result.code == Code.AGENT_FAILED
        assert "writer at step 2" in result.reason and len(result.reason) < 1_200
        assert result.reason.encode() and "\n" not in result.reason
        assert pipeline.step_sync(WRITER, saying(FACTS=["b"])).unwrap().step == 2

    pipeline, fork = opened(), [Fork("f", WRITER, agent(error))]
    check(pipeline, pipeline.step_sync(WRITER, agent(error)))
    pipeline = opened()
    check(pipeline, asyncio.run(pipeline.step(WRITER, agent(error))))
    pipeline = opened()
    check(pipeline, pipeline.fork_sync(fork))
    pipeline = opened()
    check(pipeline, asyncio.run(pipeline.fork(fork)))


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_whatever_a_fork_raises_its_receipt_can_be_stored(error: BaseException) -> None:
    pipeline = opened()
    both = [Fork("bad", WRITER, raising(error)), Fork("good", WRITER, saying(FACTS=["b"]))]
    head = pipeline.fork_sync(both, JoinStrategy.VOTE).unwrap()
    assert head.event.join and head.event.join.forks[0].code == Code.AGENT_FAILED
    assert Pipeline.open(pipeline._store, "demo").head.payload == {"FACTS": ["b"]}


def test_many_plain_functions_run_at_the_same_time() -> None:
    gate = threading.Barrier(40, timeout=30)

    def waits(given: Slice, manifest: Any) -> Mapping[str, Any]:
        gate.wait()
        return {manifest.writes[0]: 1}

    every = forks(**{f"f{number}": waits for number in range(40)})
    pipeline = opened(token_budget=100_000)
    assert len(asyncio.run(pipeline.fork(every)).unwrap().payload) == 41
    assert pipeline.fork_sync(every).unwrap().step == 3


def test_calls_that_end_together_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that what they said is kept in one transaction."""
    monkeypatch.setattr(driver, "_MOMENT", 30)
    gate = threading.Barrier(5, timeout=30)
    told: list[set[int]] = []

    def ended(some: list[Ended]) -> bool:
        told.append({one.number for one in some})
        return False

    def body() -> Body[None]:
        yield Several([partial(gate.wait)] * 5, ended)

    run_sync(body())
    assert told == [{0, 1, 2, 3, 4}]


async def never(given: Slice, manifest: Any) -> Mapping[str, Any]:
    await asyncio.Event().wait()
    return {}


def test_a_caller_that_is_cancelled_is_cancelled_and_the_pipeline_goes_on() -> None:
    pipeline = opened()

    async def given_up() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pipeline.step(WRITER, never), 0.05)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await pipeline.fork([Fork("f", WRITER, never), Fork("g", WRITER, saying())])
        with pytest.raises(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                step = group.create_task(pipeline.step(WRITER, never))
                await asyncio.sleep(0.01)
                raise ValueError("another task failed")
        assert step.cancelled()
        assert (await pipeline.step(WRITER, saying(FACTS=["b"]))).unwrap().step == 2

    asyncio.run(given_up())
    assert Pipeline.open(pipeline._store, "demo").head.step == 2


@pytest.mark.parametrize("rounds", range(6))
def test_wherever_a_caller_is_cancelled_a_step_is_made_or_not(rounds: int) -> None:
    pipeline = opened()

    async def agent(given: Slice, manifest: Any) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return {"FACTS": ["b"]}

    async def cancelled() -> None:
        task = asyncio.ensure_future(pipeline.step(WRITER, agent))
        for _ in range(rounds):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert pipeline.head.step == (1 if task.cancelled() else 2)

    asyncio.run(cancelled())
    assert pipeline.step_sync(WRITER, saying(FACTS=["c"])).unwrap().payload == {"FACTS": ["c"]}
