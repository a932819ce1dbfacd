from __future__ import annotations

from pathlib import Path

import pytest
from chat import Answer, completion, service
from support import git, repository

from relay_git.backends import service as asking
from relay_git.backends.registry import open_backend
from relay_git.drive.asking import Nobody, Question
from relay_git.drive.choice import Choice
from relay_git.errors import BackendError
from relay_git.git.config import read_config

ERROR = b'data: {"error": {"message": "%s", "type": "%s"}}\n\n'


def ask(path: Path, url: str) -> str:
    git(path, "config", "relay.openai.url", url)
    backend = open_backend(Choice("openai", "small", ""), read_config(repository(path)))
    return backend.ask(Question("Hello", str(path)), Nobody()).text


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/chat/completions", "/v1/chat/completions"),
        ("?version=2#top", "/v1/chat/completions?version=2"),
    ],
)
def test_the_endpoint_is_below_the_base(repo_path: Path, base: str, path: str) -> None:
    with service(completion("hi")) as server:
        ask(repo_path, server.url + base)
    assert server.questions[0].path == path


def test_the_environment_says_where_it_is(repo_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with service(completion("hi")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert ask(repo_path, "https://example.com/v1") == "hi"
    assert len(server.questions) == 1


def test_usage_is_asked_for(repo_path: Path) -> None:
    with service(completion("hi")) as server:
        ask(repo_path, server.url)
    assert server.questions[0].body["stream_options"] == {"include_usage": True}


def test_an_error_where_the_answer_was_to_come_is_told(repo_path: Path) -> None:
    broken = completion("hi")._replace(body=ERROR % (b"no such model", b"invalid"))
    with (
        service(broken) as server,
        pytest.raises(BackendError, match="openai says: no such model"),
    ):
        ask(repo_path, server.url)
    assert len(server.questions) == 1


def test_one_that_says_that_it_is_busy_is_tried_again(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "_PAUSE", 0.01)
    busy = completion("")._replace(body=ERROR % (b"too much", b"server_error"))
    with service(busy, completion("hi")) as server:
        assert ask(repo_path, server.url) == "hi"


def test_an_answer_that_is_not_streamed_is_none(repo_path: Path) -> None:
    whole = b'{"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}'
    with (
        service(Answer(whole, headers={"Content-Type": "application/json"})) as server,
        pytest.raises(BackendError, match="in the middle"),
    ):
        ask(repo_path, server.url)
