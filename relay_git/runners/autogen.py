"""An AutoGen agent, which takes one turn."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from relay_git.errors import BackendError
from relay_git.pipeline.agents import AgentOutput
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.runners.prompt import Prompt, prompt_of
from relay_git.runners.runner import PATIENCE, Runner, framework, invalid, output_of, tool_call


def autogen_runner(agent: Any, *, prompt: Prompt = prompt_of, timeout: float = PATIENCE) -> Runner:
    """`agent` is an agent of autogen-agentchat, not a team. It is reset before each turn, since it
    is to know its slice and nothing else, so it can take one turn at a time.

    Raises `PipelineError` (INVALID_SETTING).
    """
    if not isinstance(agent, framework("autogen_agentchat.base", "autogen").ChatAgent):
        raise invalid(f"the autogen runner takes one AutoGen agent, not {type(agent).__name__}")
    token = framework("autogen_core", "autogen").CancellationToken
    turn = threading.Lock()

    async def ask(given: Slice, manifest: Manifest) -> AgentOutput:
        if not turn.acquire(blocking=False):
            hint = "give each fork an agent of its own"
            raise BackendError(f"{agent.name} takes another turn just now", hint=hint)
        try:
            await agent.on_reset(token())
            task = prompt(given, manifest)
            return _read((await agent.run(task=task, output_task_messages=False)).messages)
        finally:
            turn.release()

    return Runner("autogen", ask, timeout)


def _read(messages: Sequence[Any]) -> AgentOutput:
    """The last one is the reply; those before it are calls of tools and thoughts."""
    usages = [one.models_usage for one in messages if one.models_usage]
    requests = [one for one in messages if one.type == "ToolCallRequestEvent"]
    reply = messages[-1].content
    return output_of(
        "autogen",
        reply if hasattr(reply, "model_dump") else messages[-1].to_text(),
        sum(usage.completion_tokens for usage in usages),
        [tool_call(call.name, call.arguments) for one in requests for call in one.content],
    )
