"""Any service that speaks the chat completions protocol of OpenAI, hosted or local."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from relay_git.errors import BackendError
from relay_git.pipeline.agents import AgentOutput
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.settings import text_of
from relay_git.redact import excerpt
from relay_git.runners.prompt import Prompt, messages_of, prompt_of
from relay_git.runners.runner import PATIENCE, Runner, framework, invalid, output_of, tool_call
from relay_git.services import Address, address, checked_key

_URL = "https://api.openai.com/v1"
_KEY = "OPENAI_API_KEY"


def openai_runner(
    model: str,
    base_url: str = _URL,
    *,
    api_key: str | None = None,
    prompt: Prompt = prompt_of,
    timeout: float = PATIENCE,
) -> Runner:
    """Of a model of the service at `base_url`; its key is that of the environment's
    OPENAI_API_KEY if none is given. `prompt` makes a text, or a list of messages.

    Raises `PipelineError` (INVALID_SETTING).
    """
    text_of(model, "model")
    service = _Service(framework("openai", "openai"), *_place(base_url, api_key), timeout)

    async def ask(given: Slice, manifest: Manifest) -> AgentOutput:
        return await service.ask(model, messages_of(prompt(given, manifest)))

    return Runner("openai", ask, timeout)


class _Service:
    """A new client for each question, for a client belongs to one event loop."""

    def __init__(self, sdk: Any, at: Address, key: str, timeout: float) -> None:
        self._sdk, self._at, self._key, self._timeout = sdk, at, key, timeout

    async def ask(self, model: str, messages: Any) -> AgentOutput:
        async with self._http() as http, self._client(http) as client:
            with self._told():
                reply = await client.chat.completions.create(
                    model=model,
                    messages=messages,
                    extra_headers={} if self._key else {"Authorization": self._sdk.Omit()},
                )
            with _reading():
                return _read(reply)

    def _http(self) -> Any:
        """Follows no redirect: it would take prompt and key where the user has not sent them. What
        is on this machine is not asked through a proxy."""
        return self._sdk.DefaultAsyncHttpxClient(
            follow_redirects=False, trust_env=not self._at.is_local
        )

    def _client(self, http: Any) -> Any:
        return self._sdk.AsyncOpenAI(
            api_key=self._key or "none",
            base_url=self._at.url,
            default_query=self._at.query,
            timeout=self._timeout,
            http_client=http,
        )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What went wrong, for people."""
        try:
            yield
        except self._sdk.APIError as error:
            cause = f": {error.__cause__}" if error.__cause__ else ""
            what = excerpt(f"openai: {error.message}{cause}", self._key)
            raise BackendError(what, where=self._at.url) from None


@contextmanager
def _reading() -> Iterator[None]:
    """The client checks little of what comes, so it may have any form."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError):
        raise BackendError("openai: the service answered what is no whole answer") from None


def _read(reply: Any) -> AgentOutput:
    choice = reply.choices[0]
    if choice.finish_reason in ("length", "content_filter"):
        raise BackendError(f"openai: the answer was cut short ({choice.finish_reason})")
    message, usage = choice.message, reply.usage
    calls = [call.function for call in message.tool_calls or ()]
    return output_of(
        "openai",
        message.content or "",
        usage.completion_tokens if usage else None,
        [tool_call(call.name, call.arguments) for call in calls],
    )


def _secret(api_key: str) -> str:
    """What is no text is not quoted either."""
    if not isinstance(api_key, str):
        raise invalid(f"api_key is {type(api_key).__name__}, not text")
    return api_key


def _place(base_url: str, api_key: str | None) -> tuple[Address, str]:
    """Raises `PipelineError` (INVALID_SETTING)."""
    try:
        at = address(text_of(base_url, "base_url"), "base_url")
        given = os.environ.get(_KEY, "") if api_key is None else _secret(api_key)
        key = checked_key(given.strip(), _KEY if api_key is None else "api_key")
    except BackendError as error:
        raise invalid(str(error)) from None
    if key and at.is_open:
        raise invalid(f"the key would be sent in the clear to {at.url}; use https")
    return at, key
