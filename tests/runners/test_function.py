from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from answering import EXTRACTOR, PAYLOAD, WRITER, failed

from relay_git.pipeline import Pipeline, memory_steps
from relay_git.runners import callable_runner


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline.open(memory_steps(), "demo", payload=PAYLOAD)


def test_it_is_given_messages_and_they_can_be_others(pipeline: Pipeline) -> None:
    def ask(messages: Sequence[Mapping[str, Any]]) -> str:
        heard.append([(one["role"], one["content"][:12]) for one in messages])
        return "x"

    heard: list[Any] = []
    own = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    pipeline.step_sync(WRITER, callable_runner(ask)).unwrap()
    pipeline.step_sync(WRITER, callable_runner(ask, prompt=lambda given, manifest: own)).unwrap()
    assert heard == [
        [("user", "List what is")],
        [("system", "Be brief."), ("user", "Hello")],
    ]


@pytest.mark.parametrize("reply", [None, 5, ["FACTS"], b"bytes"])
def test_a_reply_of_another_type_fails(pipeline: Pipeline, reply: Any) -> None:
    result = pipeline.step_sync(EXTRACTOR, callable_runner(lambda messages: reply))
    failed(result, f"callable replied with {type(reply).__name__}, neither text nor sections")


def test_no_sections_are_an_empty_reply(pipeline: Pipeline) -> None:
    failed(pipeline.step_sync(EXTRACTOR, callable_runner(lambda messages: {})), "answered nothing")


def test_a_prompt_that_cannot_be_made_fails(pipeline: Pipeline) -> None:
    def broken(given: Any, manifest: Any) -> str:
        return str(given["ABSENT"])

    runner = callable_runner(lambda messages: "x", prompt=broken)
    failed(pipeline.step_sync(EXTRACTOR, runner), "no section ABSENT, it holds TICKETS")
