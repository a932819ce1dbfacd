"""Services that speak the protocols of OpenAI and of Anthropic, on this machine alone."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What the service sends; `length` is what it says of the body, `wait` seconds before it.

    Of each byte of the body it takes `trickle` seconds.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}
    length: int | None = None
    wait: float = 0.0
    trickle: float = 0.0

    def cut(self, size: int) -> Answer:
        """The connection ends after so many bytes of the body."""
        return self._replace(body=self.body[:size], length=len(self.body))


class Question(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """What the user says, who speaks once."""
        (said,) = [one["content"] for one in self.body["messages"] if one["role"] == "user"]
        return str(said)

    @property
    def key(self) -> str | None:
        """As it was sent, whatever header has it."""
        lower = {name.lower(): value for name, value in self.headers.items()}
        return lower.get("authorization") or lower.get("x-api-key")

    @property
    def system(self) -> str:
        """As either protocol has it."""
        told = [one["content"] for one in self.body["messages"] if one["role"] == "system"]
        return str(self.body.get("system", "")) + "".join(told)


STREAM = {"Content-Type": "text/event-stream"}


def whole(
    text: str | None, reason: str = "stop", tokens: int = 0, calls: Mapping[str, str] = {}
) -> Answer:
    """A chat completion in one piece; `calls` are tools and their arguments."""
    called = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": arguments}}
        for name, arguments in calls.items()
    ]
    message = {"role": "assistant", "content": text, "tool_calls": called or None}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    body = {**_chunk([choice]), "object": "chat.completion", "model": "x"}
    if tokens:
        body["usage"] = _usage(tokens)
    return Answer(json.dumps(body).encode(), headers={"Content-Type": "application/json"})


def completion(text: str | None, reason: str | None = "stop", tokens: int = 0) -> Answer:
    """A chat completion as it is streamed, in pieces of some characters each."""
    pieces = [text[at : at + 40] for at in range(0, len(text), 40)] if text else [text]
    chunks: list[dict[str, Any]] = [_chunk([_choice({"content": piece})]) for piece in pieces]
    chunks.append(_chunk([_choice({}, reason)]))
    if tokens:
        chunks.append({**_chunk([]), "usage": _usage(tokens)})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return Answer("".join([*lines, "data: [DONE]\n\n"]).encode(), headers=STREAM)


def message(text: str, reason: str | None = "end_turn", tokens: int = 0) -> Answer:
    """Anthropic's message as it is streamed. Half of the tokens were read, half written."""
    usage = {"input_tokens": tokens // 2, "output_tokens": 1}
    start = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**start, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
    ]
    for at in range(0, len(text), 40):
        delta = {"type": "text_delta", "text": text[at : at + 40]}
        events.append({"type": "content_block_delta", "index": 0, "delta": delta})
    events.append({"type": "content_block_stop", "index": 0})
    done = {"stop_reason": reason, "stop_sequence": None}
    spent = {"output_tokens": tokens - tokens // 2}
    events += [{"type": "message_delta", "delta": done, "usage": spent}, {"type": "message_stop"}]
    return Answer("".join(map(_event, events)).encode(), headers=STREAM)


def _event(event: dict[str, Any]) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


def failure(kind: str, said: str) -> bytes:
    """An error where Anthropic's answer was to come."""
    return _event({"type": "error", "error": {"type": kind, "message": said}}).encode()


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "created": 0, "choices": choices}


def _choice(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": reason}


def _usage(tokens: int) -> dict[str, int]:
    read = tokens // 2
    return {"prompt_tokens": read, "completion_tokens": tokens - read, "total_tokens": tokens}


class Service(ThreadingHTTPServer):
    """Gives its answers in order, the last one again and again, and remembers the questions."""

    daemon_threads = True

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = answers
        self.questions: list[Question] = []
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        """As OpenAI's client wants it; Anthropic's adds the version itself."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        questions = self.server.questions
        questions.append(Question(self.path, dict(self.headers.items()), json.loads(data)))
        answer = self.server.answers[min(len(questions), len(self.server.answers)) - 1]
        self.server.closing.wait(answer.wait)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        length = len(answer.body) if answer.length is None else answer.length
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        step = 1 if answer.trickle else len(answer.body) or 1
        for at in range(0, len(answer.body), step):
            self.wfile.write(answer.body[at : at + step])
            if self.server.closing.wait(answer.trickle):
                return

    def do_GET(self) -> None:
        self.server.questions.append(Question(self.path, dict(self.headers.items()), {}))
        self.send_error(405)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on standard error, which tests look at."""


@contextmanager
def service(*answers: Answer) -> Iterator[Service]:
    with Service(answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()
