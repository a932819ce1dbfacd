from __future__ import annotations

from pathlib import Path

import pytest
from chat import failure, message, service
from support import git, repository

from relay_git.backends import service as asking
from relay_git.backends.registry import open_backend
from relay_git.drive.asking import Nobody, Question
from relay_git.drive.choice import Choice
from relay_git.errors import BackendError
from relay_git.git.config import read_config


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """It pauses for a moment where it has to choose how long."""
    monkeypatch.setattr(asking, "_PAUSE", 0.01)


def ask(path: Path, url: str) -> str:
    git(path, "config", "relay.anthropic.url", url)
    backend = open_backend(Choice("anthropic", "small", ""), read_config(repository(path)))
    return backend.ask(Question("Hello", str(path)), Nobody()).text


def test_the_most_tokens_can_be_set(repo_path: Path) -> None:
    with service(message("hi")) as server:
        ask(repo_path, server.root)
        git(repo_path, "config", "relay.anthropic.maxTokens", "2k")
        ask(repo_path, server.root)
    assert [question.body["max_tokens"] for question in server.questions] == [16384, 2048]


def test_an_answer_that_was_too_long_names_the_setting(repo_path: Path) -> None:
    with (
        service(message("hi", "max_tokens")) as server,
        pytest.raises(BackendError, match=r"allow it more than 16384 with relay\.anthropic\.max"),
    ):
        ask(repo_path, server.root)


def test_a_refusal_is_no_answer(repo_path: Path) -> None:
    with (
        service(message("I would rather not", "refusal")) as server,
        pytest.raises(BackendError, match=r"ended its answer early \(refusal\)"),
    ):
        ask(repo_path, server.root)


def test_an_error_in_the_middle_is_told(repo_path: Path) -> None:
    half = message("a long answer " * 20)
    broken = half._replace(body=half.body[:300] + b"\n\n" + failure("invalid_request_error", "no"))
    with service(broken) as server, pytest.raises(BackendError, match="anthropic"):
        ask(repo_path, server.root)
    assert len(server.questions) == 1


def test_one_that_is_overloaded_is_tried_again(repo_path: Path) -> None:
    busy = message("")._replace(body=failure("overloaded_error", "Overloaded"))
    with service(busy, message("hi")) as server:
        assert ask(repo_path, server.root) == "hi"


def test_one_that_stays_overloaded_is_told(repo_path: Path) -> None:
    busy = message("")._replace(body=failure("overloaded_error", "Overloaded"))
    with service(busy) as server, pytest.raises(BackendError, match="anthropic says: Overloaded"):
        ask(repo_path, server.root)
    assert len(server.questions) == 3
