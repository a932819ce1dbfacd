"""Pipelines whose store may have to wait for another machine: their callers' loops never do."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pipelining import WRITER, forks, place, saying

from relay_git.git.store import Move
from relay_git.names import Oid, RefName
from relay_git.pipeline import (
    Code,
    Failure,
    Fork,
    JoinStrategy,
    Manifest,
    Moment,
    Notice,
    Pipeline,
    RolledBack,
    Slice,
    pinned,
    retry,
    threads,
)
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.memory import MemoryKeys, MemoryStore

HERE: contextvars.ContextVar[str] = contextvars.ContextVar("HERE", default="nowhere")
AT_ONCE = 1.0
"""Seconds in which whoever waits for nothing is done; what hangs here does for longer."""


class FarStore(MemoryStore):
    """Knows in which threads it was asked, and hangs when told to."""

    on_server = True
    remembers = 16 * 2**20

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[threading.Thread] = set()
        self.goes_on, self.is_hanging = threading.Event(), threading.Event()
        self.goes_on.set()

    def hang(self) -> None:
        self.goes_on.clear()

    def ref(self, name: RefName) -> Oid | None:
        self._wait()
        return super().ref(name)

    def _read(self, oid: Oid, most: int) -> bytes | None:
        self._wait()
        return super()._read(oid, most)

    def _refs(self, prefixes: Sequence[str]) -> Mapping[RefName, Oid]:
        self._wait()
        return super()._refs(prefixes)

    def _write(self, objects: Mapping[Oid, bytes], moves: Sequence[Move]) -> None:
        self._wait()
        super()._write(objects, moves)

    def _wait(self) -> None:
        self.asked.add(threading.current_thread())
        if not self.goes_on.is_set():
            self.is_hanging.set()
            assert self.goes_on.wait(30)


@pytest.fixture
def far() -> Iterator[FarStore]:
    made = FarStore()
    yield made
    made.goes_on.set()


def opened(port: MemoryStore, **options: Any) -> Pipeline:
    steps = ChainSteps(port, MemoryKeys(), tuple)
    return Pipeline.open(steps, "demo", **{"payload": {"FACTS": ["a"]}, **options})


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not true():
            await asyncio.sleep(0.001)


async def quiet(pipeline: Pipeline) -> None:
    """Until nothing of the pipeline goes on aside."""
    assert pipeline._aside
    aside = pipeline._aside
    await until(lambda: not aside._busy)


async def answer(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
    await asyncio.sleep(0)
    return {manifest.writes[0]: ["b"]}


async def never(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
    await asyncio.Event().wait()
    return {}


def fails(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
    raise LookupError("no such model")


def hanging(far: FarStore) -> Any:
    async def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        far.hang()
        return {manifest.writes[0]: ["b"]}

    return agent


# Where what runs


def test_the_loop_of_the_caller_asks_nothing_of_the_store(far: FarStore) -> None:
    pipeline = opened(far, rules=[pinned("FACTS")], on_reject=retry(1))
    beside = Pipeline.open(pipeline._store, "demo")
    far.asked.clear()

    async def drop(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        """Others are quicker while it is asked, and it is rejected."""
        await asyncio.to_thread(beside.step_sync, WRITER, saying(FACTS=["a", given.step]))
        return {"FACTS": []}

    async def steps() -> threading.Thread:
        assert (await pipeline.step(Manifest("a", writes=["A"]), answer)).unwrap().step == 2
        assert isinstance(await pipeline.step(WRITER, drop), RolledBack)
        some = forks(b=answer, c=saying(C=1), d=answer)
        assert "C" in (await pipeline.fork(some)).unwrap().payload
        failed = await pipeline.fork([*forks(e=answer), Fork("bad", WRITER, fails)])
        assert isinstance(failed, Failure)
        return threading.current_thread()

    loop = asyncio.run(steps())
    assert far.asked and loop not in far.asked
    assert pipeline.head.payload["D"] == ["b"]


def test_agents_run_where_they_always_do_in_the_context_of_the_caller(far: FarStore) -> None:
    seen: dict[str, tuple[threading.Thread, str]] = {}

    async def coroutine(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        seen["coroutine"] = threading.current_thread(), HERE.get()
        return {manifest.writes[0]: 1}

    def plain(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        seen["plain"] = threading.current_thread(), HERE.get()
        return {manifest.writes[0]: 1}

    def rule(*given: Any) -> Any:
        seen["rule"] = threading.current_thread(), HERE.get()
        return pinned("FACTS")(*given)

    async def steps() -> None:
        HERE.set("the caller")
        for agent in (coroutine, plain):
            (await pipeline.step(Manifest("a", writes=["A"]), agent)).unwrap()
        check()
        (await pipeline.fork(forks(b=coroutine, c=plain))).unwrap()
        check()

    def check() -> None:
        assert {where for _, where in seen.values()} == {"the caller"}
        running = {who: thread is threading.current_thread() for who, (thread, _) in seen.items()}
        assert running == {"coroutine": True, "plain": False, "rule": False}
        seen.clear()

    pipeline = opened(far, rules=[rule])
    asyncio.run(steps())


def test_what_an_observer_sets_at_the_start_of_a_step_it_can_reset_at_its_end(
    far: FarStore, caplog: pytest.LogCaptureFixture
) -> None:
    tokens, seen = [], []

    def observer(notice: Notice) -> None:
        if notice.event is Moment.STEP_STARTED:
            tokens.append(HERE.set("in a step"))
        elif notice.event is Moment.STEP_ACCEPTED:
            seen.append(HERE.get())
            HERE.reset(tokens.pop())

    pipeline = opened(far, observers=[observer])
    asyncio.run(pipeline.step(WRITER, answer)).unwrap()
    assert (seen, tokens, caplog.text) == (["in a step"], [], "")


@pytest.mark.parametrize("kind", ["git", "memory"])
def test_a_store_that_is_here_has_no_thread(
    kind: str, repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps() -> None:
        (await pipeline.step(WRITER, answer)).unwrap()
        (await pipeline.fork(forks(a=answer, b=answer))).unwrap()

    def refuse(call: object) -> None:
        raise AssertionError("a thread is started")

    pipeline = Pipeline.open(place(kind, repo_path).steps, "demo")
    monkeypatch.setattr(threads, "_idle", [])
    monkeypatch.setattr(threads, "start", refuse)
    before = set(threading.enumerate())
    asyncio.run(steps())
    assert set(threading.enumerate()) <= before


# While it hangs


async def ticking(step: Callable[[], Any], far: FarStore) -> Any:
    """What a step gives while the store hangs for a hundred turns of the loop."""
    task = asyncio.ensure_future(step())
    await until(far.is_hanging.is_set)
    for _ in range(100):
        await asyncio.sleep(0)
    assert not task.done()
    far.goes_on.set()
    return (await task).unwrap()


@pytest.mark.timeout(60)
def test_the_loop_goes_on_while_the_head_is_read_and_while_a_step_is_made(far: FarStore) -> None:
    pipeline = opened(far)
    far.hang()
    assert asyncio.run(ticking(lambda: pipeline.step(WRITER, answer), far)).step == 2
    far.is_hanging.clear()
    assert asyncio.run(ticking(lambda: pipeline.step(WRITER, hanging(far)), far)).step == 3


@pytest.mark.timeout(60)
def test_the_loop_goes_on_while_an_output_is_kept(far: FarStore) -> None:
    """The other fork as well: it ends while the store hangs."""
    pipeline = opened(far)

    async def later(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        await until(far.is_hanging.is_set)
        over.set()
        return {"B": 1}

    over = threading.Event()
    some = forks(a=hanging(far), b=later)
    made = asyncio.run(ticking(lambda: pipeline.fork(some), far))
    assert over.is_set() and made.payload == {"FACTS": ["a"], "A": ["b"], "B": 1}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "step",
    [
        lambda pipeline, agent: pipeline.step(WRITER, agent),
        lambda pipeline, agent: pipeline.fork([Fork("f", WRITER, agent)]),
    ],
    ids=["step", "fork"],
)
def test_whoever_is_cancelled_while_it_hangs_is_told_at_once_and_the_step_is_made(
    step: Any, far: FarStore
) -> None:
    told: list[Notice] = []
    pipeline = opened(far, observers=[told.append])

    async def given_up() -> None:
        task = asyncio.ensure_future(step(pipeline, hanging(far)))
        await until(far.is_hanging.is_set)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - began < AT_ONCE and not far.goes_on.is_set()
        far.goes_on.set()
        assert (await pipeline.step(WRITER, saying(FACTS=["c"]))).unwrap().step == 3

    asyncio.run(given_up())
    assert [step.payload["FACTS"] for step in pipeline.history()] == [["c"], ["b"], ["a"]]
    assert told[-1].event is Moment.STEP_ACCEPTED
    assert Moment.STEP_FAILED not in [notice.event for notice in told]


@pytest.mark.timeout(60)
def test_whoever_is_cancelled_before_the_agent_was_asked_has_no_agent_asked(far: FarStore) -> None:
    """Neither the one that hangs nor those that wait for their turn."""
    told: list[Notice] = []
    pipeline, asked = opened(far, observers=[told.append]), []

    async def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        asked.append(manifest)
        return {}

    async def given_up() -> None:
        far.hang()
        tasks = [asyncio.ensure_future(pipeline.step(WRITER, agent)) for _ in range(3)]
        await until(far.is_hanging.is_set)
        for task in tasks:
            task.cancel()
        ended = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), AT_ONCE)
        assert [type(one) for one in ended] == [asyncio.CancelledError] * 3
        far.goes_on.set()
        await quiet(pipeline)

    asyncio.run(given_up())
    assert (asked, pipeline.head.step) == ([], 1)
    assert [(notice.event, notice.reason) for notice in told[1:]] == [
        (Moment.STEP_STARTED, None),
        (Moment.STEP_FAILED, "it was given up"),
    ]


@pytest.mark.timeout(60)
def test_whoever_is_cancelled_while_an_output_is_kept_loses_no_output(far: FarStore) -> None:
    told: list[Notice] = []
    pipeline = opened(far, observers=[told.append])

    async def given_up() -> None:
        some = forks(a=hanging(far), b=never)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await pipeline.fork(some)
        assert far.is_hanging.is_set() and not far.goes_on.is_set()
        far.goes_on.set()
        again = forks(a=never, b=answer)
        assert (await pipeline.fork(again)).unwrap().payload["A"] == ["b"]

    asyncio.run(given_up())
    ends = [(one.fork, one.reason) for one in told if one.event is Moment.FORK_FINISHED]
    assert ends == [("a", None), ("b", "it was left alone"), ("b", None)]


@pytest.mark.parametrize("rounds", range(0, 24, 2))
def test_wherever_a_caller_is_cancelled_a_step_is_made_or_not(rounds: int, far: FarStore) -> None:
    pipeline = opened(far)

    async def cancelled() -> None:
        task = asyncio.ensure_future(pipeline.step(WRITER, answer))
        for _ in range(rounds):
            await asyncio.sleep(0.0002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await quiet(pipeline)
        assert task.cancelled() or pipeline.head.step == 2

    asyncio.run(cancelled())
    step = pipeline.head.step
    assert pipeline.head.payload == {"FACTS": ["b"] if step == 2 else ["a"]}
    assert asyncio.run(pipeline.step(WRITER, saying(FACTS=["c"]))).unwrap().step == step + 1


def test_whoever_is_thrown_away_with_its_loop_leaves_a_pipeline_that_goes_on(
    far: FarStore, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[Notice] = []
    pipeline = opened(far, observers=[told.append])
    waiting = pipeline.step(WRITER, never)
    loop = asyncio.new_event_loop()
    for _ in range(2):
        loop.run_until_complete(_sent(waiting, pipeline))
    waiting.close()
    loop.close()
    assert asyncio.run(pipeline.step(WRITER, answer)).unwrap().step == 2
    assert Moment.STEP_FAILED in [notice.event for notice in told]


async def _sent(waiting: Any, pipeline: Pipeline) -> None:
    future = waiting.send(None)
    if future is not None:
        future._asyncio_future_blocking = False
    await quiet(pipeline)


# Order


def test_of_steps_at_once_one_goes_on_at_a_time_in_their_order(far: FarStore) -> None:
    there, most, started = 0, 0, []

    def observer(notice: Notice) -> None:
        if notice.event is Moment.STEP_STARTED:
            started.append(notice.agent)

    def rule(*given: Any) -> Any:
        nonlocal there, most
        there += 1
        most = max(most, there)
        time.sleep(0.001)
        there -= 1
        return pinned("FACTS")(*given)

    async def steps() -> list[Any]:
        each = (pipeline.step(Manifest(name, writes=["A"]), answer) for name in names)
        return await asyncio.gather(*each)

    names = [f"agent-{number}" for number in range(20)]
    pipeline = opened(far, rules=[rule], observers=[observer], token_budget=10**6)
    made = asyncio.run(steps())
    assert sorted(result.unwrap().step for result in made) == list(range(2, 22))
    assert (most, started) == (1, names)


def test_two_pipelines_do_not_wait_for_each_other(far: FarStore) -> None:
    async def steps() -> None:
        far.hang()
        stuck = asyncio.ensure_future(slow.step(WRITER, answer))
        await until(far.is_hanging.is_set)
        assert (await quick.step(WRITER, answer)).unwrap().step == 2
        assert not stuck.done()
        far.goes_on.set()
        assert (await stuck).unwrap().step == 2

    slow, quick = opened(far), opened(FarStore())
    asyncio.run(steps())


def test_observers_hear_the_same_as_where_the_store_is_here(far: FarStore) -> None:
    def heard(port: MemoryStore) -> list[tuple[Any, ...]]:
        told: list[Notice] = []
        pipeline = opened(port, rules=[pinned("FACTS")], observers=[told.append], token_budget=500)
        asyncio.run(every_end(pipeline))
        shown = ("event", "step", "fork", "agent", "code", "reason", "sections", "tokens")
        return [tuple(getattr(notice, name) for name in shown) for notice in told]

    async def every_end(pipeline: Pipeline) -> None:
        writes = Manifest("a", writes=["A"], max_output=50)
        await pipeline.step(writes, answer)
        await pipeline.step(WRITER.replace(max_output=50), saying(FACTS=[]))
        await pipeline.step(writes, fails)
        await pipeline.step(WRITER.replace(max_output=5_000), answer)
        await pipeline.fork(forks(b=answer, c=never), join=JoinStrategy.FIRST_WINS)
        task = asyncio.ensure_future(pipeline.step(writes, never))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await pipeline.step(writes, answer)

    here, there = heard(MemoryStore()), heard(far)
    assert here == there and len(here) > 20
    assert {Moment.STEP_REJECTED, Moment.JOINED} < {one[0] for one in here}
    assert {Code.AGENT_FAILED, Code.BUDGET_EXCEEDED} < {one[4] for one in here}
