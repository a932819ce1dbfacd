"""A function that asks a model by whatever client: messages in, text or sections out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from relay_git.pipeline.agents import AgentOutput
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.threads import called
from relay_git.runners.prompt import Message, Prompt, messages_of, prompt_of
from relay_git.runners.runner import PATIENCE, Runner, output_of

Reply: TypeAlias = str | Mapping[str, Any]
Function: TypeAlias = Callable[[Sequence[Message]], Reply | Awaitable[Reply]]


def callable_runner(
    function: Function, *, prompt: Prompt = prompt_of, timeout: float = PATIENCE
) -> Runner:
    """Of any function from messages, `{"role": …, "content": …}`, to a text or to sections by name.
    One that is no coroutine function is called in a thread, which goes on after the timeout."""

    async def ask(given: Slice, manifest: Manifest) -> AgentOutput:
        messages = messages_of(prompt(given, manifest))
        return output_of("callable", await called(partial(function, messages)))

    return Runner("callable", ask, timeout)
