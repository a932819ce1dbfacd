"""Anthropic's messages protocol, or any service that speaks it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from relay_git.backends import places
from relay_git.backends.backend import Setup
from relay_git.backends.places import Place
from relay_git.backends.service import Hear, Heard, Service
from relay_git.drive.asking import Answer, Follower, Question

if TYPE_CHECKING:
    from anthropic.types import RawMessageStreamEvent, Usage

_URL = "https://api.anthropic.com"
_MOST_TOKENS = 16_384
_ENDED = ("end_turn", "stop_sequence")


class Anthropic:
    name = "anthropic"
    writes_files = False
    takes_system = True

    def __init__(self, setup: Setup, place: Place) -> None:
        try:
            import anthropic
        except ImportError:
            raise places.missing("anthropic") from None
        self.model = places.model(setup)
        self._place = place
        self._service = Service(setup, place, anthropic)
        self._most_tokens = setup.number("maxTokens", _MOST_TOKENS)

    def ask(self, question: Question, follower: Follower) -> Answer:
        return self._service.ask(partial(self._talk, question), follower)

    def _talk(self, question: Question, seconds: float, hear: Hear) -> Answer:
        import anthropic

        with (
            self._service.http() as http,
            anthropic.Anthropic(
                api_key=self._place.key or "none",
                base_url=self._place.url,
                default_query=self._place.query,
                timeout=seconds,
                max_retries=0,
                http_client=http,
            ) as client,
        ):
            stream = client.messages.create(
                model=self.model,
                max_tokens=self._most_tokens,
                system=question.system or anthropic.omit,
                messages=[{"role": "user", "content": question.prompt}],
                stream=True,
                extra_headers={} if self._place.key else {"Authorization": anthropic.Omit()},
            )
            with self._service.reading():
                return self._read(stream, Heard(self._service, question.most, hear))

    def _read(self, events: Iterable[RawMessageStreamEvent], heard: Heard) -> Answer:
        """Its text blocks joined. Tokens read are told at the start, those written at the end."""
        reason, read, written = None, 0, 0
        for event in events:
            if event.type == "message_start":
                read = _read_tokens(event.message.usage)
            elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                heard.add(event.delta.text)
            elif event.type == "message_delta":
                reason, written = event.delta.stop_reason, event.usage.output_tokens or 0
        self._check(reason)
        return Answer(heard.text, read, written)

    def _check(self, reason: str | None) -> None:
        if reason is None:
            raise self._service.error("stopped in the middle of its answer")
        if reason == "max_tokens":
            hint = f"allow it more than {self._most_tokens} with relay.anthropic.maxTokens"
            raise self._service.error("cut its answer short (max_tokens)", hint)
        if reason not in _ENDED:
            raise self._service.error(f"ended its answer early ({reason})")


def make(setup: Setup) -> Anthropic:
    return Anthropic(setup, places.place(setup, _URL, "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"))


def _read_tokens(usage: Usage) -> int:
    cached = (usage.cache_creation_input_tokens, usage.cache_read_input_tokens)
    return (usage.input_tokens or 0) + sum(count or 0 for count in cached)
