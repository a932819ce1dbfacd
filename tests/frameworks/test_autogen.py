from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from answering import EXTRACTOR, PROMISES, WAYS, WRITER, Kind, Said, Way, failed
from pydantic import BaseModel

from relay_git.pipeline import Code, Pipeline, PipelineError, Success
from relay_git.runners import Runner, autogen_runner

_ABSENT = "AutoGen is not here; see `make frameworks`"
agentchat = pytest.importorskip("autogen_agentchat.agents", reason=_ABSENT)
teams = pytest.importorskip("autogen_agentchat.teams", reason=_ABSENT)
core = pytest.importorskip("autogen_core", reason=_ABSENT)
models = pytest.importorskip("autogen_core.models", reason=_ABSENT)
replay = pytest.importorskip("autogen_ext.models.replay", reason=_ABSENT)

ABLE = models.ModelInfo(
    vision=False, function_calling=True, json_output=True, family="unknown", structured_output=True
)


Replay: Any = replay.ReplayChatCompletionClient


class Client(Replay):  # type: ignore[misc]
    """AutoGen's own, which can also fail and hang."""

    said: Said = ""

    async def create(self, *given: Any, **named: Any) -> Any:
        if isinstance(self.said, Exception):
            raise self.said
        await asyncio.sleep(self.said if isinstance(self.said, float) else 0)
        return await super().create(*given, **named)


def reply(content: Any, tokens: int = 0) -> Any:
    usage = models.RequestUsage(prompt_tokens=9, completion_tokens=tokens)
    kind = "stop" if isinstance(content, str) else "function_calls"
    return models.CreateResult(finish_reason=kind, content=content, usage=usage, cached=False)


@contextmanager
def autogen(said: Said, tokens: int = 0, **options: Any) -> Iterator[tuple[Runner, list[str]]]:
    text = said if isinstance(said, str) else json.dumps(said) if isinstance(said, dict) else "x"
    client = Client([reply(text, tokens)] * 3)
    client.said = said
    asked: list[str] = []
    agent = agentchat.AssistantAgent("assistant", client, system_message="You extract.")
    yield autogen_runner(agent, **options), asked
    for call in client.create_calls:
        system, *turns = call["messages"]
        assert system.content == "You extract."
        asked.append("\n".join(turn.content for turn in turns))


@pytest.mark.parametrize("step", WAYS)
@pytest.mark.parametrize("promise", PROMISES)
def test_promises_are_kept(
    pipeline: Pipeline, promise: Callable[[Pipeline, Kind, Way], None], step: Way
) -> None:
    promise(pipeline, autogen, step)


def test_calls_of_tools_are_told_and_what_they_give_is_the_reply(pipeline: Pipeline) -> None:
    def look_up(number: int) -> str:
        """Find a ticket."""
        return f"Ticket {number} is open."

    wanted = [core.FunctionCall(id="1", name="look_up", arguments='{"number": 7}')]
    client = Replay([reply(wanted, 5)], ABLE)
    agent = agentchat.AssistantAgent("assistant", client, tools=[look_up])
    result = pipeline.step_sync(WRITER, autogen_runner(agent))
    assert isinstance(result, Success) and result.said
    assert result.value.payload["NOTES"] == "Ticket 7 is open."
    assert result.said.tool_calls == [{"name": "look_up", "args": {"number": 7}}]
    assert result.value.event.output_tokens == 5


def test_a_structured_message_is_sections(pipeline: Pipeline) -> None:
    class Facts(BaseModel):
        FACTS: list[str]

    client = Replay([reply('{"FACTS": ["a"]}')], ABLE)
    agent = agentchat.AssistantAgent("assistant", client, output_content_type=Facts)
    assert pipeline.step_sync(WRITER, autogen_runner(agent)).unwrap().payload["FACTS"] == ["a"]


def test_one_agent_takes_one_turn_at_a_time(pipeline: Pipeline) -> None:
    async def both(runner: Runner) -> list[Any]:
        return await asyncio.gather(*(pipeline.step(EXTRACTOR, runner) for _ in range(2)))

    with autogen(0.2) as (runner, _):
        first, second = asyncio.run(both(runner))
    assert first.unwrap().step == 2
    failed(second, "assistant takes another turn", "an agent of its own")


def test_a_team_is_no_agent() -> None:
    agent = agentchat.AssistantAgent("assistant", Replay([]))
    with pytest.raises(PipelineError, match="not RoundRobinGroupChat") as refused:
        autogen_runner(teams.RoundRobinGroupChat([agent]))
    assert refused.value.code == Code.INVALID_SETTING
