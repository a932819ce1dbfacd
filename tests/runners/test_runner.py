from __future__ import annotations

import asyncio
from typing import Any

import pytest
from answering import EXTRACTOR, WRITER

from relay_git.errors import BackendError
from relay_git.pipeline import AgentOutput, Code, Manifest, PipelineError, Slice
from relay_git.runners.runner import Runner, output_of, sections_in, tool_call

GIVEN = Slice("20261130-0930-demo-3f9a", 1, "extractor", {}, 0)


@pytest.mark.parametrize(
    "text",
    [
        '{"FACTS": ["é"]}',
        ' \n{"FACTS": ["é"]}\n',
        '```json\n{"FACTS": ["é"]}\n```',
        '```\n{\n  "FACTS": ["é"]\n}\n```\n',
    ],
)
def test_a_text_that_is_a_json_object_is_sections(text: str) -> None:
    assert sections_in(text) == {"FACTS": ["é"]}


@pytest.mark.parametrize(
    "text",
    [
        "FACTS",
        '["FACTS"]',
        "null",
        'Here it is: {"FACTS": 1}',
        '{"FACTS": 1} {"FACTS": 2}',
        '{"FACTS": 1, "FACTS": 2}',
        '{"FACTS": NaN}',
        '```python\n{"FACTS": 1}\n```',
        '{"FACTS": "\ud800"}',
        "{" * 100_000,
        "",
    ],
)
def test_any_other_text_is_not(text: str) -> None:
    assert sections_in(text) == {}


def ran(said: AgentOutput, manifest: Manifest) -> AgentOutput:
    async def ask(given: Slice, manifest: Manifest) -> AgentOutput:
        return said

    return asyncio.run(Runner("own", ask, 1).run(GIVEN, manifest))


def test_where_a_text_is_wanted_json_is_text_as_well() -> None:
    said = AgentOutput("own", '{"FACTS": 1}')
    assert ran(said, WRITER).structured == {}
    assert ran(said, EXTRACTOR).structured == {"FACTS": 1}


def test_sections_that_were_given_are_not_read_from_the_text() -> None:
    said = AgentOutput("own", '{"FACTS": 1}', {"NOTES": "x"})
    assert ran(said, EXTRACTOR).structured == {"NOTES": "x"}


async def unasked(given: Slice, manifest: Manifest) -> AgentOutput:
    raise AssertionError("the agent was asked")


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), True, None, "60"])
def test_a_timeout_is_a_number_of_seconds(timeout: Any) -> None:
    with pytest.raises(PipelineError, match="timeout") as found:
        Runner("own", unasked, timeout)
    assert found.value.code == Code.INVALID_SETTING


def test_an_agent_that_gives_up_by_itself_is_not_said_to_be_slow() -> None:
    async def ask(given: Slice, manifest: Manifest) -> AgentOutput:
        raise TimeoutError("the database is slow")

    with pytest.raises(TimeoutError, match="the database is slow"):
        asyncio.run(Runner("own", ask, 60).run(GIVEN, EXTRACTOR))


@pytest.mark.parametrize("reply", [None, 5, ["FACTS"], b"text", object()])
def test_what_is_neither_text_nor_sections_is_no_reply(reply: Any) -> None:
    with pytest.raises(BackendError, match=f"own replied with {type(reply).__name__}, neither"):
        output_of("own", reply)


def test_a_model_that_counts_no_tokens_has_counted_none() -> None:
    assert output_of("own", "x", 0).token_count is None
    assert output_of("own", "x", 7).token_count == 7


def test_arguments_of_a_tool_are_read() -> None:
    assert tool_call("a", '{"n": 1}') == tool_call("a", {"n": 1}) == {"name": "a", "args": {"n": 1}}
