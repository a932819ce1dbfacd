"""A service that speaks the chat completions protocol, on this machine alone."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """What the service sends; `length` is what it says of the body, `wait` seconds before it."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}
    length: int | None = None
    wait: float = 0.0


class Question(NamedTuple):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        (message,) = self.body["messages"]
        return str(message["content"])


def completion(text: str | None, reason: str = "stop") -> Answer:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    return Answer(json.dumps({"choices": [{**choice, "finish_reason": reason}]}).encode())


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
        return f"http://127.0.0.1:{self.server_port}/v1"

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
        self.wfile.write(answer.body)

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
