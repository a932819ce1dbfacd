from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from answering import PROMISES, WAYS, Kind, Said, Way
from pydantic import PrivateAttr

from relay_git.pipeline import Code, Pipeline, PipelineError
from relay_git.runners import Runner, crewai_runner

crewai = pytest.importorskip("crewai", reason="CrewAI is not here; see `make frameworks`")
console = pytest.importorskip("crewai.events.utils.console_formatter")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:crewai")


@pytest.fixture(autouse=True)
def quiet() -> None:
    """It draws on the screen from threads of its own, past what pytest captures."""
    console.set_suppress_console_output(True)


Base: Any = crewai.BaseLLM


class Model(Base):  # type: ignore[misc]
    """A model of our own, as CrewAI has it."""

    text: str = ""
    tokens: int = 0
    error: Exception | None = None
    seconds: float = 0.0
    asked: list[str]
    _over: Any = PrivateAttr(default_factory=threading.Event)

    def call(self, messages: Any, *given: Any, **named: Any) -> str:
        self.asked.append("\n".join(one["content"] for one in messages if one["role"] == "user"))
        self._over.wait(self.seconds)
        if self.error:
            raise self.error
        used = {"prompt_tokens": 9, "completion_tokens": self.tokens}
        self._track_token_usage_internal({**used, "total_tokens": 9 + self.tokens})
        return self.text


def agent(model: Model, **more: Any) -> Any:
    who = {"role": "Extractor", "goal": "find facts", "backstory": "You find facts."}
    return crewai.Agent(**who, llm=model, max_retry_limit=0, **more)


@contextmanager
def crew(said: Said, tokens: int = 0, **options: Any) -> Iterator[tuple[Runner, list[str]]]:
    model = Model(
        model="small",
        text=said if isinstance(said, str) else json.dumps(said) if isinstance(said, dict) else "",
        tokens=tokens,
        error=said if isinstance(said, Exception) else None,
        seconds=said if isinstance(said, float) else 0.0,
        asked=[],
    )
    yield crewai_runner(agent(model), **options), model.asked
    model._over.set()


@pytest.mark.parametrize("step", WAYS)
@pytest.mark.parametrize("promise", PROMISES)
def test_promises_are_kept(
    pipeline: Pipeline, promise: Callable[[Pipeline, Kind, Way], None], step: Way
) -> None:
    promise(pipeline, crew, step)


def test_an_agent_with_memory_is_refused() -> None:
    model = Model(model="small", asked=[])
    with pytest.raises(PipelineError, match=r"memory .* 'Extractor' is on") as refused:
        crewai_runner(agent(model, memory=True))
    assert refused.value.code == Code.INVALID_SETTING
    assert crewai_runner(agent(model, memory=False)).adapter == "crewai"


def test_a_crew_is_no_agent() -> None:
    made = crewai.Crew(agents=[agent(Model(model="small", asked=[]))], tasks=[])
    with pytest.raises(PipelineError, match=r"takes a crewai\.Agent, not Crew"):
        crewai_runner(made)
