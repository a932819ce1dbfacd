"""The seam for observers: whatever they are, they hold up and fail nothing."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pipelining import WRITER, forks, observed, place, saying

from relay_git.errors import Invalid
from relay_git.pipeline import (
    Code,
    Failure,
    Manifest,
    Moment,
    Notice,
    Pipeline,
    PipelineError,
    Slice,
    pinned,
)
from relay_git.pipeline.chainsteps import ChainSteps
from relay_git.pipeline.memory import MemoryKeys, MemoryStore


@pytest.fixture
def told() -> list[Notice]:
    return []


def events(told: list[Notice]) -> list[Moment]:
    return [notice.event for notice in told]


def test_what_is_none_is_refused() -> None:
    with pytest.raises(PipelineError) as refused:
        observed("relay.audit")  # type: ignore[arg-type]
    assert refused.value.code == Code.INVALID_SETTING


@pytest.mark.parametrize("kind", ["git", "memory"])
def test_an_observer_that_raises_is_reported_once_and_ignored(
    kind: str, repo_path: Path, caplog: pytest.LogCaptureFixture, told: list[Notice]
) -> None:
    def bad(notice: Notice) -> None:
        raise LookupError("no such sink")

    here = place(kind, repo_path)
    with Pipeline.open(here.steps, "demo", observers=[bad, told.append]) as pipeline:
        for number in (2, 3):
            assert pipeline.step_sync(WRITER, saying(FACTS=number)).unwrap().step == number
        assert pipeline.fork_sync(forks(a=saying(A=1), b=saying(B=1))).unwrap().step == 4
    assert events(told).count(Moment.STEP_ACCEPTED) == 2
    [report] = [record for record in caplog.records if record.name == "relay.observers"]
    assert report.levelno == logging.WARNING and "bad" in report.getMessage()
    assert report.exc_info and isinstance(report.exc_info[1], LookupError)


class Unhashable:
    """Nor can it be compared."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __call__(self, notice: Notice) -> None:
        raise RuntimeError


def test_whatever_kind_of_object_it_is(caplog: pytest.LogCaptureFixture) -> None:
    pipeline = observed(Unhashable())
    assert pipeline.step_sync(WRITER, saying(FACTS=["b"])).unwrap().step == 2
    assert [record.name for record in caplog.records] == ["relay.observers"]


@pytest.mark.parametrize("kind", ["git", "memory"])
@pytest.mark.parametrize(
    "moment", [Moment.STEP_STARTED, Moment.AGENT_CALLED, Moment.STEP_ACCEPTED, Moment.FORK_FINISHED]
)
def test_an_observer_that_hangs_holds_nothing_that_others_need(
    kind: str, moment: Moment, repo_path: Path, told: list[Notice]
) -> None:
    """Neither those who use the same pipeline, nor those who use the same store."""
    hanging, released = threading.Event(), threading.Event()

    def hang(notice: Notice) -> None:
        if notice.event is moment and not hanging.is_set():
            hanging.set()
            released.wait(60)

    here = place(kind, repo_path)
    held = Pipeline.open(here.steps, "demo", observers=[hang], token_budget=50_000)
    free = Pipeline.open(here.steps, "demo", observers=[told.append])

    def step() -> None:
        held.step_sync(WRITER, saying(FACTS=1))
        held.fork_sync(forks(a=saying(A=1)))

    thread = threading.Thread(target=step)
    thread.start()
    try:
        assert hanging.wait(30)
        before = free.head.step
        for number, pipeline in enumerate((free, held, free), 1):
            made = pipeline.step_sync(Manifest("other", writes=["NOTES"]), saying(NOTES=number))
            assert made.unwrap().step == before + number
        assert free.rollback(before).unwrap().step == before + 4
        assert told[-1].event is Moment.ROLLED_BACK
        assert thread.is_alive()
    finally:
        released.set()
        thread.join(60)
    kinds = Counter(step.event.kind for step in free.history())
    assert kinds == {"start": 1, "step": 4, "rollback": 1, "join": 1}
    held.close()


def test_where_it_is_unknown_what_is_secret_reasons_stay_untold(told: list[Notice]) -> None:
    class Steps(ChainSteps):
        """Of a project with settings that cannot be read, after a while."""

        readable = True

        @property
        def literals(self) -> tuple[str, ...]:
            if not self.readable:
                raise Invalid([])
            return ()

    steps = Steps(MemoryStore(), MemoryKeys(), tuple)
    pipeline = Pipeline.open(
        steps, "demo", payload={"FACTS": ["a"]}, rules=[pinned("FACTS")], observers=[told.append]
    )

    def agent(given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        steps.readable = False
        return {"FACTS": ["a"]}

    assert isinstance(pipeline.step_sync(WRITER, agent), Failure)
    failed = told[-1]
    assert (failed.event, failed.code, failed.reason) == (
        Moment.STEP_FAILED,
        Code.STORE_FAILED,
        None,
    )


def test_secrets_of_the_project_are_masked_in_reasons(told: list[Notice]) -> None:
    class Steps(ChainSteps):
        literals = ("demo-of-acme",)

    steps = Steps(MemoryStore(), MemoryKeys(), tuple)
    pipeline = Pipeline.open(steps, "x", payload={}, observers=[told.append])
    pipeline.step_sync(Manifest("demo-of-acme", max_output=10**6), saying())
    last = told[-1]
    assert last.event is Moment.STEP_FAILED and last.code is Code.INVALID_MANIFEST
    assert last.agent and "demo-of-acme" not in repr(told)
