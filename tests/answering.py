"""What holds for every runner, whatever it asks: the tests of each kind go through `PROMISES`.

A kind is made with what its model is to say: a text, sections, an exception, or how many seconds it
says nothing. It gives a runner and a list of what the model was asked, as text.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeAlias

from relay_git.pipeline import (
    AgentRunner,
    Code,
    Failure,
    Manifest,
    Pipeline,
    Result,
    RolledBack,
    Success,
    memory_steps,
)
from relay_git.runners import Runner

Said: TypeAlias = str | dict[str, Any] | Exception | float
Made: TypeAlias = AbstractContextManager[tuple[Runner, list[str]]]
Kind: TypeAlias = Callable[..., Made]
"""`kind(said, tokens=0, timeout=…)`; the tokens are those that the model says it wrote."""

PAYLOAD = {"TICKETS": [{"id": 1, "text": "The timer fires twice."}], "SECRETS": "not declared"}
EXTRACTOR = Manifest("extractor", ["TICKETS"], ["FACTS", "NOTES"], task="List what is known.")
WRITER = EXTRACTOR.replace(text_section="NOTES")


OWN = ("git", "memory")


def demo(kind: str, path: Path) -> Pipeline:
    """On one of our own stores: the frameworks are tested where there is no server."""
    return Pipeline.open(path if kind == "git" else memory_steps(), "demo", payload=PAYLOAD)


def in_a_loop(pipeline: Pipeline, manifest: Manifest, runner: AgentRunner) -> Result:
    """A loop that does not wait for its threads in the end, as `asyncio.run` would."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(pipeline.step(manifest, runner))
    finally:
        loop.close()


def without_a_loop(pipeline: Pipeline, manifest: Manifest, runner: AgentRunner) -> Result:
    return pipeline.step_sync(manifest, runner)


WAYS = [in_a_loop, without_a_loop]
Way: TypeAlias = Callable[[Pipeline, Manifest, AgentRunner], Result]


def a_text_becomes_the_section_that_is_named(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    with kind("It fires twice.") as (runner, _):
        result = step(pipeline, WRITER, runner)
    assert isinstance(result, Success) and result.report and result.said
    assert result.value.payload == {**PAYLOAD, "NOTES": "It fires twice."}
    assert result.report.confidence > 0
    assert result.said.adapter == runner.adapter
    assert 0 <= result.said.latency_ms < 60_000


def a_text_without_a_place_is_told_and_not_kept(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    with kind("It fires twice.") as (runner, _):
        result = step(pipeline, EXTRACTOR, runner)
    assert isinstance(result, Success) and result.report and result.said
    assert (result.said.text, result.said.structured) == ("It fires twice.", {})
    assert (result.value.payload, result.report.confidence) == (PAYLOAD, 0.0)


def sections_are_written(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    with kind({"FACTS": ["é", {"n": 1}], "NOTES": "x"}) as (runner, _):
        head = step(pipeline, EXTRACTOR, runner).unwrap()
    assert head.payload == {**PAYLOAD, "FACTS": ["é", {"n": 1}], "NOTES": "x"}


def what_is_not_declared_is_rolled_back(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    with kind({"FACTS": "x", "PLAN": "y"}) as (runner, _):
        result = step(pipeline, EXTRACTOR, runner)
    assert isinstance(result, RolledBack) and result.said
    assert (result.code, result.report.findings[0].section) == (Code.UNDECLARED_WRITE, "PLAN")
    assert result.rejected.payload["PLAN"] == "y"
    assert pipeline.head.payload == PAYLOAD


def the_tokens_that_a_model_counts_are_those_of_the_step(
    pipeline: Pipeline, kind: Kind, step: Way
) -> None:
    with kind({"FACTS": "x"}, tokens=246) as (runner, _):
        head = step(pipeline, EXTRACTOR, runner).unwrap()
    assert head.event.output_tokens == 246
    assert head.budget_used == head.event.slice_tokens + 246


def more_tokens_than_the_manifest_allows_are_rolled_back(
    pipeline: Pipeline, kind: Kind, step: Way
) -> None:
    with kind({"FACTS": "x"}, tokens=246) as (runner, _):
        result = step(pipeline, EXTRACTOR.replace(max_output=245), runner)
    assert isinstance(result, RolledBack) and result.code == Code.OUTPUT_TOO_LARGE


def where_a_model_counts_none_the_pipeline_does(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    with kind({"FACTS": "x"}) as (runner, _):
        head = step(pipeline, EXTRACTOR, runner).unwrap()
    assert 0 < head.event.output_tokens < 10


def the_prompt_holds_task_and_slice_and_nothing_else(
    pipeline: Pipeline, kind: Kind, step: Way
) -> None:
    with kind("x") as (runner, asked):
        step(pipeline, EXTRACTOR, runner).unwrap()
        step(pipeline, EXTRACTOR, runner).unwrap()
    assert len(asked) == 2
    for prompt in asked:
        assert prompt.count("List what is known.") == 1
        assert "FACTS, NOTES" in prompt and "The timer fires twice." in prompt
        assert "not declared" not in prompt


def another_prompt_can_be_made(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    def prompt(given: Any, manifest: Manifest) -> str:
        return f"{manifest.agent_id} sees {json.dumps(given.sections)}"

    with kind("x", prompt=prompt) as (runner, asked):
        step(pipeline, EXTRACTOR, runner).unwrap()
    assert 'extractor sees {"TICKETS": [{"id": 1' in asked[0]
    assert "List what is known." not in asked[0]


def failed(result: Result, *said: str) -> None:
    assert isinstance(result, Failure), result
    assert result.code == Code.AGENT_FAILED
    assert result.reason.startswith("extractor at step 2: ")
    for part in said:
        assert part in result.reason
    assert "Traceback" not in result.reason


def an_empty_reply_fails(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    with kind(" \n") as (runner, _):
        failed(step(pipeline, WRITER, runner))
    assert pipeline.head.step == 1


def an_exception_fails(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    with kind(ConnectionResetError("the wire is cut")) as (runner, _):
        failed(step(pipeline, EXTRACTOR, runner), "the wire is cut")
    assert (pipeline.head.step, pipeline.head.budget_used) == (1, 0)


def one_that_hangs_fails_in_time(pipeline: Pipeline, kind: Kind, step: Way) -> None:
    with kind(3.0, timeout=0.1) as (runner, _):
        started = time.monotonic()
        failed(step(pipeline, EXTRACTOR, runner), f"{runner.adapter} gave no answer within 0.1 s")
        assert time.monotonic() - started < 2.5
    assert pipeline.head.step == 1


OF_TOKENS = [
    the_tokens_that_a_model_counts_are_those_of_the_step,
    more_tokens_than_the_manifest_allows_are_rolled_back,
]
PROMISES = [
    *OF_TOKENS,
    a_text_becomes_the_section_that_is_named,
    a_text_without_a_place_is_told_and_not_kept,
    sections_are_written,
    what_is_not_declared_is_rolled_back,
    where_a_model_counts_none_the_pipeline_does,
    the_prompt_holds_task_and_slice_and_nothing_else,
    another_prompt_can_be_made,
    an_empty_reply_fails,
    an_exception_fails,
    one_that_hangs_fails_in_time,
]
