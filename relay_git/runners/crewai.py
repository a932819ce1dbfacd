"""A CrewAI agent, asked by itself and without a crew."""

from __future__ import annotations

from functools import partial
from typing import Any

from relay_git.pipeline.agents import AgentOutput
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.threads import in_thread
from relay_git.runners.prompt import Prompt, prompt_of
from relay_git.runners.runner import PATIENCE, Runner, framework, invalid, output_of


def crewai_runner(agent: Any, *, prompt: Prompt = prompt_of, timeout: float = PATIENCE) -> Runner:
    """`agent` is a `crewai.Agent` whose memory is off: it is to know its slice and nothing else.
    It is asked in a thread, which goes on after the timeout.

    Raises `PipelineError` (INVALID_SETTING).
    """
    if not isinstance(agent, framework("crewai", "crewai").Agent):
        raise invalid(f"the crewai runner takes a crewai.Agent, not {type(agent).__name__}")
    if agent.memory:
        raise invalid(f"the memory of the CrewAI agent {agent.role!r} is on; make it memory=False")

    async def ask(given: Slice, manifest: Manifest) -> AgentOutput:
        said = await in_thread(partial(agent.kickoff, prompt(given, manifest)))
        usage = said.usage_metrics or {}
        return output_of("crewai", said.raw, usage.get("completion_tokens"))

    return Runner("crewai", ask, timeout)
