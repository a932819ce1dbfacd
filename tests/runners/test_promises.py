"""The runners of what is light enough for the environment of all tests, on both own stores."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from answering import OF_TOKENS, OWN, PROMISES, WAYS, Kind, Said, Way, demo
from chat import Answer, service, whole
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from relay_git.pipeline import Pipeline
from relay_git.runners import Runner, callable_runner, langchain_runner, openai_runner

Told = tuple[Runner, list[str]]


def answer(said: Said) -> str | Mapping[str, Any]:
    if isinstance(said, Exception):
        raise said
    if isinstance(said, float):
        threading.Event().wait(said)
        return "too late"
    return said


@contextmanager
def function(said: Said, tokens: int = 0, **options: Any) -> Iterator[Told]:
    """It counts no tokens."""

    def ask(messages: Sequence[Mapping[str, Any]]) -> str | Mapping[str, Any]:
        asked.extend(message["content"] for message in messages)
        return answer(said)

    asked: list[str] = []
    yield callable_runner(ask, **options), asked


@contextmanager
def coroutine(said: Said, tokens: int = 0, **options: Any) -> Iterator[Told]:
    async def ask(messages: Sequence[Mapping[str, Any]]) -> str | Mapping[str, Any]:
        asked.extend(message["content"] for message in messages)
        await asyncio.sleep(said if isinstance(said, float) else 0)
        return answer(said)

    asked: list[str] = []
    yield callable_runner(ask, **options), asked


@contextmanager
def openai(said: Said, tokens: int = 0, **options: Any) -> Iterator[Told]:
    """A local service. It tells of twice as many tokens: those it read, and those it wrote."""
    text = said if isinstance(said, str) else json.dumps(said) if isinstance(said, dict) else "x"
    reply = whole(text, tokens=2 * tokens)
    if isinstance(said, Exception):
        reply = Answer(json.dumps({"error": {"message": str(said)}}).encode(), status=400)
    with service(reply._replace(wait=said if isinstance(said, float) else 0.0)) as server:
        asked: list[str] = []
        yield openai_runner("small", server.url, **options), asked
        asked += [question.prompt for question in server.questions]


class Model(FakeMessagesListChatModel):
    """LangChain's own fake model, which remembers what it was asked."""

    asked: list[str]
    error: Exception | None = None

    def _generate(self, messages: list[Any], *given: Any, **named: Any) -> Any:
        self.asked.extend(message.text for message in messages)
        if self.error:
            raise self.error
        return super()._generate(messages, *given, **named)


@contextmanager
def langchain(said: Said, tokens: int = 0, **options: Any) -> Iterator[Told]:
    """A model; where it is to say sections, a chain of a model and a parser."""
    used = {"input_tokens": 9, "output_tokens": tokens, "total_tokens": 9 + tokens}
    text = said if isinstance(said, str) else json.dumps(said) if isinstance(said, dict) else "x"
    message = AIMessage(text, usage_metadata=used if tokens else None)
    model = Model(
        responses=[message],
        asked=[],
        sleep=said if isinstance(said, float) else None,
        error=said if isinstance(said, Exception) else None,
    )
    parse = isinstance(said, dict) and not tokens
    chain = model | RunnableLambda(lambda reply: json.loads(reply.text)) if parse else model
    yield langchain_runner(chain, **options), model.asked


KINDS: list[Kind] = [function, coroutine, openai, langchain]
COUNTING: list[Kind] = [openai, langchain]
KEPT = [
    pytest.param(promise, kind, id=f"{promise.__name__}-{kind.__name__}")
    for promise in PROMISES
    for kind in (COUNTING if promise in OF_TOKENS else KINDS)
]


@pytest.fixture(params=OWN)
def pipeline(request: pytest.FixtureRequest, repo_path: Path) -> Iterator[Pipeline]:
    with demo(request.param, repo_path) as opened:
        yield opened


@pytest.mark.parametrize("step", WAYS)
@pytest.mark.parametrize(("promise", "kind"), KEPT)
def test_it_is_kept(
    pipeline: Pipeline, promise: Callable[[Pipeline, Kind, Way], None], kind: Kind, step: Way
) -> None:
    promise(pipeline, kind, step)
