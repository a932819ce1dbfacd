"""What holds for every service, asked by its official client over a real connection."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from chat import STREAM, Answer, Service, completion, message, service
from support import git, repository

from relay_git import clock
from relay_git.backends import service as asking
from relay_git.backends.backend import Setup
from relay_git.backends.registry import open_backend
from relay_git.drive.asking import MOST, Backend, Nobody, Question
from relay_git.drive.asking import Answer as Said
from relay_git.drive.choice import Choice
from relay_git.errors import BackendError
from relay_git.git.config import read_config

KEY = "sk-test-0123456789abcdefghijklmnop"
BUSY = Answer(b'{"error": {"message": "slow down"}}', 429, {"Retry-After": "0"})
NOON = 1777377600
PROMPT = "Say “é”.\r\n\x1b[1mlist[int] [/foo]\n"


class Kind(NamedTuple):
    """A protocol: its backend, how it answers, where its questions go, and where its key is."""

    name: str
    reply: Callable[..., Answer]
    path: str
    variable: str
    cut_short: str

    def url(self, server: Service) -> str:
        return server.url if self.name == "openai" else server.root


KINDS = [
    Kind("openai", completion, "/v1/chat/completions", "OPENAI_API_KEY", "length"),
    Kind("anthropic", message, "/v1/messages", "ANTHROPIC_API_KEY", "max_tokens"),
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kind:
    found: Kind = request.param
    monkeypatch.setenv(found.variable, KEY)
    return found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """It pauses for a moment where it has to choose how long."""
    monkeypatch.setattr(asking, "_PAUSE", 0.01)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has a third of a second for an answer; the setting is in whole seconds."""
    monkeypatch.setattr(Setup, "timeout", lambda self, default: 0.3)


class Listener(Nobody):
    def __init__(self) -> None:
        self.heard = ""

    def hear(self, fragment: str) -> None:
        self.heard += fragment


def backend(path: Path, kind: Kind, url: str | None = None) -> Backend:
    if url:
        git(path, "config", f"relay.{kind.name}.url", url)
    return open_backend(Choice(kind.name, "small", ""), read_config(repository(path)))


def ask(path: Path, kind: Kind, server: Service, **fields: Any) -> Said:
    question = Question(**({"prompt": "Hello", "directory": str(path)} | fields))
    return backend(path, kind, kind.url(server)).ask(question, Nobody())


def failure(path: Path, kind: Kind, server: Service, **fields: Any) -> str:
    git(path, "config", f"relay.{kind.name}.timeout", "20")
    with pytest.raises(BackendError) as caught:
        ask(path, kind, server, **fields)
    return told(caught.value)


def unusable(path: Path, kind: Kind, url: str) -> str:
    with pytest.raises(BackendError) as caught:
        backend(path, kind, url)
    return told(caught.value)


def told(error: BackendError) -> str:
    """All of an error, in which the key must never be."""
    assert KEY not in f"{error} {error!r} {error.__cause__!r}"
    assert "\n" not in str(error)
    return str(error)


# Asking


def test_prompt_and_answer_pass_unchanged(repo_path: Path, kind: Kind) -> None:
    answer = " As [/foo] is.\r\n\x1b[0m“é” " + "x" * 100
    with service(kind.reply(answer, tokens=31)) as server:
        said = ask(repo_path, kind, server, prompt=PROMPT, system="You are [/foo].\r\n")
    assert said == Said(answer, 15, 16)
    assert said.tokens == 31
    (question,) = server.questions
    assert question.path == kind.path
    assert (question.prompt, question.system) == (PROMPT, "You are [/foo].\r\n")
    assert question.body["model"] == "small"
    assert question.key == f"Bearer {KEY}"


def test_without_a_system_prompt_none_is_sent(repo_path: Path, kind: Kind) -> None:
    with service(kind.reply("hi")) as server:
        ask(repo_path, kind, server)
    assert "system" not in json.dumps(server.questions[0].body)


def test_it_is_heard_as_it_comes(repo_path: Path, kind: Kind) -> None:
    listener = Listener()
    text = "word " * 50
    with service(kind.reply(text)) as server:
        question = Question("Hello", str(repo_path))
        backend(repo_path, kind, kind.url(server)).ask(question, listener)
    assert listener.heard == text


def test_a_busy_service_is_asked_again(repo_path: Path, kind: Kind) -> None:
    with service(BUSY, BUSY._replace(status=503), kind.reply("now")) as server:
        assert ask(repo_path, kind, server).text == "now"
    assert len(server.questions) == 3


def test_a_service_that_stays_busy_is_given_up(repo_path: Path, kind: Kind) -> None:
    with service(BUSY) as server:
        assert f"{kind.name} says HTTP 429: slow down" in failure(repo_path, kind, server)
    assert len(server.questions) == 3


def test_an_error_of_the_service_is_tried_again_after_a_while(repo_path: Path, kind: Kind) -> None:
    with service(Answer(b"oops", 500), kind.reply("well")) as server:
        assert ask(repo_path, kind, server).text == "well"


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_it_waits_as_long_as_it_is_asked_to(
    repo_path: Path,
    kind: Kind,
    form: str,
    at: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(clock, "sleep", waited.append)
    at(NOON)
    after = "90" if form == "seconds" else formatdate(NOON + 90, usegmt=True)
    busy = BUSY._replace(headers={"Retry-After": after})
    with service(busy, kind.reply("now")) as server:
        assert ask(repo_path, kind, server).text == "now"
    assert waited == [90]


def test_it_does_not_wait_for_longer_than_it_has(repo_path: Path, kind: Kind) -> None:
    started = time.monotonic()
    with service(BUSY._replace(headers={"Retry-After": "3600"})) as server:
        assert "HTTP 429" in failure(repo_path, kind, server)
    assert len(server.questions) == 1
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("answer", [Answer(b"nope", 400), Answer(b"", 404)])
def test_a_refusal_is_not_tried_again(repo_path: Path, kind: Kind, answer: Answer) -> None:
    with service(answer) as server:
        assert f"says HTTP {answer.status}" in failure(repo_path, kind, server)
    assert len(server.questions) == 1


# Answers


@pytest.mark.usefixtures("impatient")
def test_a_slow_answer_is_not_waited_for(repo_path: Path, kind: Kind) -> None:
    started = time.monotonic()
    with service(kind.reply("late")._replace(wait=30)) as server:
        assert "did not answer in time" in failure(repo_path, kind, server)
    assert time.monotonic() - started < 10


@pytest.mark.usefixtures("impatient")
def test_a_service_that_trickles_gains_no_time(repo_path: Path, kind: Kind) -> None:
    started = time.monotonic()
    with service(kind.reply("late")._replace(trickle=0.05)) as server:
        assert "did not answer in time" in failure(repo_path, kind, server)
    assert time.monotonic() - started < 10


def test_an_answer_cut_in_the_middle_is_none(repo_path: Path, kind: Kind) -> None:
    whole = kind.reply("a long answer " * 20)
    with service(whole.cut(len(whole.body) // 2)) as server:
        said = failure(repo_path, kind, server)
    assert "stopped in the middle" in said or "cannot be asked" in said


def test_an_answer_without_an_end_is_none(repo_path: Path, kind: Kind) -> None:
    with service(kind.reply("a long answer", None)) as server:
        assert "stopped in the middle of its answer" in failure(repo_path, kind, server)


def test_an_answer_cut_at_the_token_limit_is_none(repo_path: Path, kind: Kind) -> None:
    with service(kind.reply('[{"candidate": 1, "cl', kind.cut_short)) as server:
        assert f"cut its answer short ({kind.cut_short})" in failure(repo_path, kind, server)


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_answer_is_none(repo_path: Path, kind: Kind, text: str) -> None:
    with service(kind.reply(text)) as server:
        assert "answered nothing" in failure(repo_path, kind, server)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"data: []\n\n", b"data: {}\n\n", b'data: {"choices": [1]}\n\n', b"\xff"],
    ids=range(6),
)
def test_what_is_no_answer_is_refused(repo_path: Path, kind: Kind, body: bytes) -> None:
    event = b"event: message_start\n" if kind.name == "anthropic" else b""
    with service(Answer(event + body, headers=STREAM)) as server:
        said = failure(repo_path, kind, server)
    assert "no whole answer" in said or "in the middle" in said


def test_an_endless_answer_is_refused(repo_path: Path, kind: Kind) -> None:
    with service(kind.reply("x" * 10_001)) as server:
        assert "more than 10000 bytes" in failure(repo_path, kind, server, most=10_000)
    assert Question("Hello", "/").most == MOST


def test_nobody_there_is_told(repo_path: Path, kind: Kind) -> None:
    with service(kind.reply("")) as server:
        pass
    assert "refused" in failure(repo_path, kind, server)


# The key


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(repo_path: Path, kind: Kind, status: int) -> None:
    with service(kind.reply("stolen")) as other:
        away = Answer(b"", status, {"Location": f"{other.url}/{KEY}"})
        with service(away) as server:
            assert f"redirects to {other.url}/" in failure(repo_path, kind, server)
    assert other.questions == []


def test_a_service_that_repeats_the_key_does_not_spread_it(repo_path: Path, kind: Kind) -> None:
    wrong = {"error": {"message": f"Incorrect API key: {KEY}"}}
    with service(Answer(json.dumps(wrong).encode(), 401)) as server:
        said = failure(repo_path, kind, server)
    assert "Incorrect API key: [redacted:" in said
    assert kind.variable in said


def test_a_short_key_is_not_spread_either(
    repo_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(kind.variable, "hunter2")
    with service(Answer(b"not hunter2", 400)) as server:
        said = failure(repo_path, kind, server)
    assert "hunter2" not in said


@pytest.mark.parametrize("bad", ["two\nlines", "two words", "sch\u00e4dlich"])
def test_what_is_no_key_is_not_said(
    repo_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    monkeypatch.setenv(kind.variable, f"{KEY}{bad}")
    assert f"{kind.variable}: not a key" in unusable(repo_path, kind, "https://example.com/v1")


def test_no_key_is_sent_in_the_clear(
    repo_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "in the clear" in unusable(repo_path, kind, "http://example.com/v1")
    git(repo_path, "config", f"relay.{kind.name}.keyVariable", "")
    assert backend(repo_path, kind, "http://example.com/v1")


def test_a_missing_key_is_named_by_its_variable(
    repo_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(kind.variable)
    said = f"there is no key in the environment variable {kind.variable}"
    with pytest.raises(BackendError, match=said):
        backend(repo_path, kind)
    assert said in unusable(repo_path, kind, "https://example.com/v1")


def test_a_service_on_this_machine_needs_no_key(
    repo_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(kind.variable)
    with service(kind.reply("hi")) as server:
        assert ask(repo_path, kind, server).text == "hi"
    assert server.questions[0].key is None


def test_the_key_may_be_in_another_variable(
    repo_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repo_path, "config", f"relay.{kind.name}.keyVariable", "MY_KEY")
    with service(kind.reply("hi")) as server:
        url = kind.url(server)
        assert "no key in the environment variable MY_KEY" in unusable(repo_path, kind, url)
        monkeypatch.setenv("MY_KEY", "another")
        ask(repo_path, kind, server)
    assert server.questions[0].key == "Bearer another"


def test_what_is_on_this_machine_is_not_asked_through_a_proxy(
    repo_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service(kind.reply("proxied")) as proxy, service(kind.reply("direct")) as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert ask(repo_path, kind, server).text == "direct"
    assert proxy.questions == []


# Configuration


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.com", "example.com/v1", "https://", "https://a b"]
)
def test_what_is_no_service_is_refused(repo_path: Path, kind: Kind, url: str) -> None:
    said = unusable(repo_path, kind, url)
    assert f"git config relay.{kind.name}.url: not the URL of a service" in said


def test_a_password_in_the_url_is_refused_and_not_said(repo_path: Path, kind: Kind) -> None:
    said = unusable(repo_path, kind, "https://me:geheim@example.com/v1")
    assert "name or password" in said
    assert "geheim" not in said


def test_a_service_needs_a_model(repo_path: Path, kind: Kind) -> None:
    choice = Choice(kind.name, None, "")
    with pytest.raises(BackendError, match=rf"no model .*relay\.{kind.name}\.model"):
        open_backend(choice, read_config(repository(repo_path)))
    git(repo_path, "config", f"relay.{kind.name}.model", "large")
    assert open_backend(choice, read_config(repository(repo_path))).model == "large"


def test_without_its_client_it_says_what_to_install(
    repo_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, kind.name, None)
    with pytest.raises(BackendError) as caught:
        backend(repo_path, kind)
    assert caught.value.hint == f"install it: pip install 'git-relay[{kind.name}]'"


@pytest.mark.parametrize("timeout", ["0", "-5", "soon"])
def test_a_timeout_is_some_seconds(repo_path: Path, kind: Kind, timeout: str) -> None:
    git(repo_path, "config", f"relay.{kind.name}.timeout", timeout)
    with pytest.raises(Exception, match=rf"relay\.{kind.name}\.timeout"):
        backend(repo_path, kind)
