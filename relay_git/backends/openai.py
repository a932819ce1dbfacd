"""Any service that speaks the chat completions protocol of OpenAI, hosted or local."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, cast

from relay_git.backends import places
from relay_git.backends.backend import Setup
from relay_git.backends.places import Place
from relay_git.backends.service import Hear, Heard, Service
from relay_git.drive.asking import Answer, Follower, Question

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

_URL = "https://api.openai.com/v1"
_ENDPOINT = "/chat/completions"


class OpenAI:
    name = "openai"
    writes_files = False
    takes_system = True

    def __init__(self, setup: Setup, place: Place) -> None:
        try:
            import openai
        except ImportError:
            raise places.missing("openai") from None
        self.model = places.model(setup)
        self._place = place
        self._service = Service(setup, place, openai)

    def ask(self, question: Question, follower: Follower) -> Answer:
        return self._service.ask(partial(self._talk, question), follower)

    def _talk(self, question: Question, seconds: float, hear: Hear) -> Answer:
        import openai

        with (
            self._service.http() as http,
            openai.OpenAI(
                api_key=self._place.key or "none",
                base_url=self._place.url,
                default_query=self._place.query,
                timeout=seconds,
                max_retries=0,
                http_client=http,
            ) as client,
        ):
            stream = client.chat.completions.create(
                model=self.model,
                messages=_messages(question),
                stream=True,
                extra_headers={} if self._place.key else {"Authorization": openai.Omit()},
                stream_options={"include_usage": True},
            )
            with self._service.reading():
                return self._read(stream, Heard(self._service, question.most, hear))

    def _read(self, chunks: Iterable[ChatCompletionChunk], heard: Heard) -> Answer:
        """The text of the first choice. Its usage comes in a chunk of its own, the last."""
        reason, answer = None, Answer()
        for chunk in chunks:
            for choice in chunk.choices[:1]:
                heard.add(choice.delta.content or "")
                reason = choice.finish_reason or reason
            if used := chunk.usage:
                answer = Answer("", used.prompt_tokens or 0, used.completion_tokens or 0)
        self._check(reason)
        return answer.replace(text=heard.text)

    def _check(self, reason: str | None) -> None:
        if reason is None:
            raise self._service.error("stopped in the middle of its answer")
        if reason in ("length", "content_filter"):
            raise self._service.error(f"cut its answer short ({reason})")


def make(setup: Setup) -> OpenAI:
    place = places.place(setup, _URL, "OPENAI_BASE_URL", "OPENAI_API_KEY")
    url = place.url.rstrip("/").removesuffix(_ENDPOINT)
    return OpenAI(setup, place.replace(url=url))


def _messages(question: Question) -> list[ChatCompletionMessageParam]:
    said = [("system", question.system), ("user", question.prompt)]
    messages = [{"role": role, "content": content} for role, content in said if content]
    return cast("list[ChatCompletionMessageParam]", messages)
