"""What all runners have in common: the time limit, and how a reply becomes an output."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from relay_git import clock
from relay_git.errors import BackendError, Corrupt
from relay_git.pipeline.agents import AgentOutput
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.sections import decode
from relay_git.pipeline.settings import seconds

PATIENCE = 60.0
"""Seconds for one answer."""

Ask: TypeAlias = Callable[[Slice, Manifest], Awaitable[AgentOutput]]
ToolCall: TypeAlias = Mapping[str, Any]

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL)


class Runner:
    """An `AgentRunner`. `adapter` says whom it asks."""

    def __init__(self, adapter: str, ask: Ask, timeout: float) -> None:
        """Raises `PipelineError` (INVALID_SETTING)."""
        self.adapter = adapter
        self._ask, self._timeout = ask, seconds(timeout)

    async def run(self, given: Slice, manifest: Manifest, /) -> AgentOutput:
        """Raises what the framework raises, and `BackendError`."""
        started = clock.monotonic()
        said = await self._in_time(given, manifest)
        if not (said.structured or manifest.text_section):
            said = said.replace(structured=sections_in(said.text))
        return said.replace(latency_ms=round(1000 * (clock.monotonic() - started)))

    async def _in_time(self, given: Slice, manifest: Manifest) -> AgentOutput:
        import asyncio

        limit = asyncio.timeout(self._timeout)
        try:
            async with limit:
                return await self._ask(given, manifest)
        except TimeoutError:
            if not limit.expired():
                raise
            what = f"{self.adapter} gave no answer within {self._timeout:g} seconds"
            raise BackendError(what) from None


def output_of(
    adapter: str, reply: object, tokens: int | None = None, tool_calls: Sequence[ToolCall] = ()
) -> AgentOutput:
    """Of a text, or of sections by name: plain ones, or a pydantic model. No `tokens` are as good
    as none counted."""
    if hasattr(reply, "model_dump"):
        reply = reply.model_dump(mode="json")
    if isinstance(reply, str):
        said: dict[str, Any] = {"text": str(reply)}
    elif isinstance(reply, Mapping):
        said = {"structured": reply}
    else:
        kind = type(reply).__name__
        raise BackendError(f"{adapter} replied with {kind}, neither text nor sections by name")
    return AgentOutput(adapter, tool_calls=tool_calls, token_count=tokens or None, **said)


def tool_call(name: str, args: Any) -> ToolCall:
    """`args` may be JSON."""
    return {"name": name, "args": json.loads(args) if isinstance(args, str) else args}


def sections_in(text: str) -> dict[str, Any]:
    """The JSON object that a text consists of, bare or in a fence; none in any other text."""
    fenced = _FENCED.fullmatch(text.strip())
    data = fenced[1] if fenced else text
    try:
        value = decode(data.encode("utf-8", "surrogatepass"), "reply")
    except Corrupt:
        return {}
    return value if isinstance(value, dict) else {}


def framework(module: str, extra: str) -> Any:
    """An optional package. Raises `PipelineError` (INVALID_SETTING) that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        what = f"the {extra} runner needs a package that is not here ({error})"
        raise invalid(f"{what}; install it: pip install 'git-relay[{extra}]'") from error


def invalid(what: str) -> PipelineError:
    return PipelineError(Code.INVALID_SETTING, what)
