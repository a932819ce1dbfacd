"""Runners as the agents of forks."""

from __future__ import annotations

from chat import service, whole
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from relay_git.pipeline import Fork, JoinStrategy, Manifest, Pipeline, Success, memory_steps
from relay_git.runners import callable_runner, langchain_runner, openai_runner

FACTS = Manifest("facts", writes=["FACTS"])
NOTES = Manifest("notes", writes=["NOTES"], text_section="NOTES")


def test_two_runners_make_one_step() -> None:
    pipeline = Pipeline.open(memory_steps(), "demo")
    local = langchain_runner(FakeListChatModel(responses=["Fires twice."]))
    with service(whole('{"FACTS": ["a"]}', tokens=20)) as server:
        remote = openai_runner("small", server.url)
        forks = [Fork("a", FACTS, remote), Fork("b", NOTES, local)]
        result = pipeline.fork_sync(forks, JoinStrategy.UNION)
    assert isinstance(result, Success)
    assert result.value.payload == {"FACTS": ["a"], "NOTES": "Fires twice."}
    joined = result.value.event.join
    assert joined and joined.forks[0].output_tokens == 10


def test_a_runner_that_fails_loses_a_vote() -> None:
    pipeline = Pipeline.open(memory_steps(), "demo")
    mute = callable_runner(lambda messages: "")
    told = callable_runner(lambda messages: {"FACTS": "b"})
    forks = [Fork("mute", FACTS, mute), Fork("told", FACTS, told)]
    head = pipeline.fork_sync(forks, JoinStrategy.VOTE).unwrap()
    assert head.payload == {"FACTS": "b"}
    assert head.event.join and head.event.join.chosen == ("told",)
    assert "callable answered nothing" in head.event.join.forks[0].reason
