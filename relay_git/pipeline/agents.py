"""Who makes a step: an agent, or a runner that asks one and tells more of what it said."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from relay_git.pipeline.codes import Code, PipelineError, quoted, words
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.sections import by_name
from relay_git.pipeline.tokens import is_count
from relay_git.record import EMPTY, Record


class AgentOutput(Record):
    """What an agent said. It says something: a text, sections, or calls of tools.

    `structured` are sections by name, JSON; `text` becomes a section only where the manifest's
    `text_section` says which. `token_count` is how many tokens were written, as the model counts;
    None: the pipeline counts the sections. `adapter` is who asked it. Raises `PipelineError`
    (INVALID_OUTPUT).
    """

    adapter: str
    text: str = ""
    structured: Mapping[str, Any] = EMPTY
    tool_calls: Sequence[Mapping[str, Any]] = ()
    token_count: int | None = None
    latency_ms: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.adapter, str) or not self.adapter:
            raise _invalid(f"its adapter is {quoted(self.adapter)}, not a name")
        if not isinstance(self.text, str) or not isinstance(self.structured, Mapping):
            raise _invalid(f"{self.adapter} gave neither text nor sections by name")
        if not isinstance(self.tool_calls, Sequence):
            raise _invalid(f"{self.adapter} gave no list of tool calls")
        if not (self.text.strip() or self.structured or self.tool_calls):
            raise _invalid(f"{self.adapter} answered nothing")
        for count in (0 if self.token_count is None else self.token_count, self.latency_ms):
            if not is_count(count):
                raise _invalid(f"{self.adapter} counts {quoted(count)}")

    def sections(self, manifest: Manifest) -> dict[str, Any]:
        """What it changes of the payload: `structured`, and its text where there is a place."""
        named = manifest.text_section
        placed = {named: self.text} if named and self.text.strip() else {}
        return placed | by_name(self.structured, Code.INVALID_OUTPUT)


@runtime_checkable
class AgentRunner(Protocol):
    """Asks an agent of some framework. Prompts, retries and time limits are its own."""

    async def run(self, given: Slice, manifest: Manifest, /) -> AgentOutput:
        """Whatever it raises makes a step fail as AGENT_FAILED."""
        ...


Reply: TypeAlias = Mapping[str, Any] | AgentOutput
Answering: TypeAlias = Callable[[Slice, Manifest], Reply | Awaitable[Reply]]
Agent: TypeAlias = Answering | AgentRunner
"""Given what it may see, says what it changes: sections of JSON by name, None takes one out."""


def call_of(agent: Agent) -> Answering:
    """Raises `PipelineError` (AGENT_FAILED) for what cannot be called."""
    if inspect.isroutine(agent):
        return agent
    try:
        if isinstance(agent, AgentRunner):
            return agent.run
        what = "it can be neither called nor run"
    except Exception as error:
        what = words(error)
    if callable(agent):
        return agent
    raise PipelineError(Code.AGENT_FAILED, f"{type(agent).__name__} is no agent: {what}")


def _invalid(what: str) -> PipelineError:
    return PipelineError(Code.INVALID_OUTPUT, what)
