from __future__ import annotations

from typing import Any

import pytest
from answering import EXTRACTOR, PAYLOAD, WRITER, failed
from langchain_core.language_models.fake_chat_models import (
    FakeListChatModel,
    FakeMessagesListChatModel,
)
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel

from relay_git.pipeline import Manifest, Pipeline, Slice, Success, memory_steps
from relay_git.runners import langchain_runner


class Facts(BaseModel):
    FACTS: list[str]


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline.open(memory_steps(), "demo", payload=PAYLOAD)


def said_to(asked: PromptValue) -> str:
    """A model that says what it was asked."""
    return " / ".join(str(one.text) for one in asked.to_messages())


def test_a_chain_with_a_template_is_given_what_the_prompt_makes(pipeline: Pipeline) -> None:
    def prompt(given: Slice, manifest: Manifest) -> dict[str, Any]:
        return {"tickets": len(given["TICKETS"]), "task": manifest.task}

    template = ChatPromptTemplate.from_messages([("system", "{task}"), ("user", "{tickets} new")])
    chain: Any = template | RunnableLambda(said_to)
    runner = langchain_runner(chain, prompt=prompt)
    head = pipeline.step_sync(WRITER, runner).unwrap()
    assert head.payload["NOTES"] == "List what is known. / 1 new"


def test_a_model_and_a_parser_are_text(pipeline: Pipeline) -> None:
    chain = FakeListChatModel(responses=["One timer."]) | StrOutputParser()
    head = pipeline.step_sync(WRITER, langchain_runner(chain)).unwrap()
    assert head.payload["NOTES"] == "One timer."


def test_a_pydantic_model_is_sections(pipeline: Pipeline) -> None:
    runner = langchain_runner(RunnableLambda(lambda asked: Facts(FACTS=["a"])))
    assert pipeline.step_sync(EXTRACTOR, runner).unwrap().payload["FACTS"] == ["a"]


def test_blocks_of_a_message_are_one_text_and_tools_are_told(pipeline: Pipeline) -> None:
    message = AIMessage(
        [{"type": "text", "text": "One "}, {"type": "text", "text": "timer."}],
        tool_calls=[{"name": "search", "args": {"q": "timer"}, "id": "1"}],
    )
    runner = langchain_runner(FakeMessagesListChatModel(responses=[message]))
    result = pipeline.step_sync(WRITER, runner)
    assert isinstance(result, Success) and result.said
    assert result.value.payload["NOTES"] == "One timer."
    assert result.said.tool_calls == [{"name": "search", "args": {"q": "timer"}}]


def test_calls_of_tools_alone_change_nothing(pipeline: Pipeline) -> None:
    message = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}])
    runner = langchain_runner(FakeMessagesListChatModel(responses=[message]))
    assert pipeline.step_sync(WRITER, runner).unwrap().payload == PAYLOAD


@pytest.mark.parametrize("reply", [None, 5, ["FACTS"]])
def test_a_reply_of_another_type_fails(pipeline: Pipeline, reply: Any) -> None:
    result = pipeline.step_sync(EXTRACTOR, langchain_runner(RunnableLambda(lambda asked: reply)))
    failed(result, f"langchain replied with {type(reply).__name__}")


def test_what_is_no_json_in_a_section_is_refused(pipeline: Pipeline) -> None:
    runner = langchain_runner(RunnableLambda(lambda asked: {"FACTS": AIMessage("x")}))
    result = pipeline.step_sync(EXTRACTOR, runner)
    assert "extractor at step 2: section 'FACTS': AIMessage is not JSON" in str(result)


def test_what_is_no_runnable_fails(pipeline: Pipeline) -> None:
    runner: Any = langchain_runner("a chain")  # type: ignore[arg-type]
    failed(pipeline.step_sync(EXTRACTOR, runner), "'str' object has no attribute 'ainvoke'")
