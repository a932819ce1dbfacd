"""What a runner hands over, how a step takes it, and that any class may be one."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from relay_git.pipeline import (
    AgentOutput,
    Code,
    Failure,
    Manifest,
    Pipeline,
    PipelineError,
    Slice,
    Success,
    memory_steps,
)

NOTED = Manifest("writer", writes=["NOTES", "FACTS"], text_section="NOTES")


class Own:
    """A runner of somebody's own."""

    def __init__(self, **said: Any) -> None:
        self.said = said

    async def run(self, given: Slice, manifest: Manifest, /) -> AgentOutput:
        return AgentOutput("own", **self.said)


def stepped(manifest: Manifest = NOTED, **said: Any) -> Any:
    return Pipeline.open(memory_steps(), "demo").step_sync(manifest, Own(**said))


@pytest.mark.parametrize(
    ("said", "sections"),
    [
        ({"text": "a"}, {"NOTES": "a"}),
        ({"structured": {"FACTS": 1}}, {"FACTS": 1}),
        ({"text": "a", "structured": {"FACTS": 1}}, {"NOTES": "a", "FACTS": 1}),
        ({"text": "a", "structured": {"NOTES": "b"}}, {"NOTES": "b"}),
        ({"text": " ", "structured": {"FACTS": 1}}, {"FACTS": 1}),
        ({"tool_calls": [{"name": "search"}]}, {}),
    ],
)
def test_what_a_runner_says_becomes_sections(said: Any, sections: dict[str, Any]) -> None:
    result = stepped(**said)
    assert isinstance(result, Success)
    assert result.value.payload == sections
    assert result.said == AgentOutput("own", **said)


def test_a_function_may_return_an_output_too() -> None:
    pipeline = Pipeline.open(memory_steps(), "demo")
    result = pipeline.step_sync(NOTED, lambda given, manifest: AgentOutput("f", "a"))
    assert result.unwrap().payload == {"NOTES": "a"}
    assert isinstance(pipeline.step_sync(NOTED, lambda given, manifest: {"FACTS": 1}), Success)


def test_a_thread_that_an_agent_gave_up_keeps_no_step_from_ending() -> None:
    async def agent(given: Slice, manifest: Manifest) -> AgentOutput:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await asyncio.to_thread(time.sleep, 3)
        return AgentOutput("own", "given up")

    started = time.monotonic()
    result = Pipeline.open(memory_steps(), "demo").step_sync(NOTED, agent)
    assert result.unwrap().payload == {"NOTES": "given up"}
    assert time.monotonic() - started < 2.5


def test_an_agent_that_tells_no_more_than_sections_has_said_nothing() -> None:
    pipeline = Pipeline.open(memory_steps(), "demo")
    result = pipeline.step_sync(NOTED, lambda given, manifest: {"FACTS": 1})
    assert isinstance(result, Success) and result.said is None


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({}, "own answered nothing"),
        ({"text": " \n"}, "own answered nothing"),
        ({"text": 5}, "neither text nor sections"),
        ({"structured": ["FACTS"]}, "neither text nor sections"),
        ({"text": "a", "token_count": -1}, "own counts -1"),
        ({"text": "a", "token_count": True}, "own counts True"),
        ({"text": "a", "token_count": 1.5}, "own counts 1.5"),
        ({"text": "a", "latency_ms": -7}, "own counts -7"),
    ],
)
def test_an_output_that_cannot_be_is_none(said: Any, wrong: str) -> None:
    with pytest.raises(PipelineError, match=wrong) as found:
        AgentOutput("own", **said)
    assert found.value.code == Code.INVALID_OUTPUT
    failed = stepped(**said)
    assert isinstance(failed, Failure) and failed.code == Code.AGENT_FAILED
    assert failed.reason.startswith("writer at step 2: ") and wrong in failed.reason


@pytest.mark.parametrize("adapter", ["", None])
def test_an_output_has_an_adapter(adapter: Any) -> None:
    with pytest.raises(PipelineError, match="not a name"):
        AgentOutput(adapter, "a")


def test_text_goes_only_where_the_manifest_writes() -> None:
    with pytest.raises(PipelineError, match="text_section 'PLAN' is not among its writes") as found:
        NOTED.replace(text_section="PLAN")
    assert found.value.code == Code.INVALID_MANIFEST


def test_a_manifest_without_a_text_section_has_the_digest_it_always_had() -> None:
    manifest = Manifest("writer", reads=["FACTS"], writes=["FACTS"], task="x")
    assert manifest.digest == "f55547fe6af9902786a74392fb089893d13faf927d933112439526c972b02edb"
    assert manifest.replace(text_section="FACTS").digest != manifest.digest
