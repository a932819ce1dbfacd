"""Anything that LangChain calls a runnable: a model, a chain, a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relay_git.pipeline.agents import AgentOutput
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.runners.prompt import Prompt, prompt_of
from relay_git.runners.runner import PATIENCE, Runner, framework, output_of, tool_call

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable


def langchain_runner(
    runnable: Runnable[Any, Any], *, prompt: Prompt = prompt_of, timeout: float = PATIENCE
) -> Runner:
    """It is given what `prompt` makes, which may be a dict for a template. Messages and texts that
    it replies are text; dicts and pydantic models are sections.

    Raises `PipelineError` (INVALID_SETTING).
    """
    messages = framework("langchain_core.messages", "langchain")

    async def ask(given: Slice, manifest: Manifest) -> AgentOutput:
        reply = await runnable.ainvoke(prompt(given, manifest))
        if isinstance(reply, messages.BaseMessage):
            return _read(reply)
        return output_of("langchain", reply)

    return Runner("langchain", ask, timeout)


def _read(message: BaseMessage) -> AgentOutput:
    usage = getattr(message, "usage_metadata", None) or {}
    calls = getattr(message, "tool_calls", ())
    return output_of(
        "langchain",
        message.text,
        usage.get("output_tokens"),
        [tool_call(call["name"], call["args"]) for call in calls],
    )
