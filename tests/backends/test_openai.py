from __future__ import annotations

import json
import time
from email.utils import formatdate
from pathlib import Path

import pytest
from chat import Answer, Service, completion, service
from support import git, repository

from relay_git.backends.backend import MOST
from relay_git.backends.openai import OpenAI, configured
from relay_git.errors import BackendError
from relay_git.git.config import read_config

KEY = "sk-test-0123456789abcdefghijklmnop"
BUSY = Answer(b'{"error": {"message": "slow down"}}', 429, {"Retry-After": "0"})


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def backend(path: Path, url: str) -> OpenAI:
    git(path, "config", "relay.llmUrl", url)
    git(path, "config", "relay.llmModel", "small")
    found = configured(read_config(repository(path)), str(path))
    assert found
    return found


def unusable(path: Path, url: str) -> str:
    with pytest.raises(BackendError) as caught:
        backend(path, url)
    return told(caught.value)


def failure(path: Path, server: Service, timeout: float = 20) -> str:
    with pytest.raises(BackendError) as caught:
        backend(path, server.url).ask("Hello", timeout)
    return told(caught.value)


def told(error: BackendError) -> str:
    """All of an error, in which the key must never be."""
    assert KEY not in f"{error} {error!r} {error.__context__!r} {error.__cause__!r}"
    assert "\n" not in str(error)
    return str(error)


# Asking


def test_the_prompt_goes_out_and_the_answer_comes_back_as_they_are(repo_path: Path) -> None:
    prompt = "Say “é”.\r\n\x1b[1mlist[int] [/foo]\n"
    with service(completion(" As [/foo] is.\r\n")) as server:
        assert backend(repo_path, server.url).ask(prompt, 20) == " As [/foo] is.\r\n"
    (question,) = server.questions
    assert question.path == "/v1/chat/completions"
    assert question.prompt == prompt
    assert question.body["model"] == "small"
    assert question.headers["Authorization"] == f"Bearer {KEY}"
    assert question.headers["User-Agent"].startswith("git-relay/")


def test_a_busy_service_is_asked_again(repo_path: Path) -> None:
    with service(BUSY, BUSY._replace(status=503), completion("now")) as server:
        assert backend(repo_path, server.url).ask("Hello", 20) == "now"
    assert len(server.questions) == 3


def test_a_service_that_stays_busy_is_given_up(repo_path: Path) -> None:
    with service(BUSY) as server:
        assert "the service says HTTP 429: slow down" in failure(repo_path, server)
    assert len(server.questions) == 3


def test_an_error_of_the_service_is_tried_again_after_a_while(repo_path: Path) -> None:
    with service(Answer(b"oops", 500), completion("well")) as server:
        assert backend(repo_path, server.url).ask("Hello", 20) == "well"


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_it_waits_as_long_as_it_is_asked_to(repo_path: Path, form: str) -> None:
    after = "1" if form == "seconds" else formatdate(time.time() + 2, usegmt=True)
    busy = BUSY._replace(headers={"Retry-After": after})
    started = time.monotonic()
    with service(busy, completion("now")) as server:
        backend(repo_path, server.url).ask("Hello", 20)
    assert 0.9 < time.monotonic() - started < 10


def test_it_does_not_wait_for_longer_than_it_has(repo_path: Path) -> None:
    started = time.monotonic()
    with service(BUSY._replace(headers={"Retry-After": "3600"})) as server:
        assert "HTTP 429" in failure(repo_path, server)
    assert len(server.questions) == 1
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("answer", [Answer(b"nope", 400), Answer(b"", 404)])
def test_a_refusal_is_not_tried_again(repo_path: Path, answer: Answer) -> None:
    with service(answer) as server:
        assert f"the service says HTTP {answer.status}" in failure(repo_path, server)
    assert len(server.questions) == 1


# Answers


def test_a_slow_answer_is_not_waited_for(repo_path: Path) -> None:
    started = time.monotonic()
    with service(completion("late")._replace(wait=30)) as server:
        assert "did not answer in time" in failure(repo_path, server, timeout=0.5)
    assert time.monotonic() - started < 10


def test_a_cut_connection_is_no_answer(repo_path: Path) -> None:
    whole = completion("a long answer").body
    with service(Answer(whole[:40], length=len(whole))) as server:
        assert "no whole chat completion" in failure(repo_path, server)


def test_an_answer_cut_at_the_token_limit_is_none(repo_path: Path) -> None:
    with service(completion('[{"candidate": 1, "cl', "length")) as server:
        assert "cut its answer short (length)" in failure(repo_path, server)


@pytest.mark.parametrize("text", ["", " \n", None])
def test_an_empty_answer_is_none(repo_path: Path, text: str | None) -> None:
    with service(completion(text)) as server:
        assert "answered nothing" in failure(repo_path, server)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"{}", b'{"choices": []}', b'{"choices": [1]}', b"\xff", b"[" * 99999],
    ids=range(8),
)
def test_what_is_no_completion_is_refused(repo_path: Path, body: bytes) -> None:
    with service(Answer(body)) as server:
        assert "no whole chat completion" in failure(repo_path, server)


def test_an_endless_answer_is_refused(repo_path: Path) -> None:
    with service(completion("x" * MOST)) as server:
        assert f"more than {MOST} bytes" in failure(repo_path, server)


def test_nobody_there_is_told(repo_path: Path) -> None:
    with service(completion("")) as server:
        url = server.url
    with pytest.raises(BackendError, match="refused"):
        backend(repo_path, url).ask("Hello", 5)


# The key


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(repo_path: Path, status: int) -> None:
    with service(completion("stolen")) as other:
        away = Answer(b"", status, {"Location": f"{other.url}/{KEY}"})
        with service(away) as server:
            assert f"redirects to {other.url}/" in failure(repo_path, server)
    assert other.questions == []


def test_a_service_that_repeats_the_key_does_not_spread_it(repo_path: Path) -> None:
    wrong = {"error": {"message": f"Incorrect API key: {KEY}"}}
    with service(Answer(json.dumps(wrong).encode(), 401)) as server:
        said = failure(repo_path, server)
    assert "Incorrect API key: [redacted:" in said
    assert "OPENAI_API_KEY" in said


def test_a_short_key_is_not_spread_either(repo_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "hunter2")
    with service(Answer(b"not hunter2", 400)) as server:
        said = failure(repo_path, server)
    assert "hunter2" not in said


@pytest.mark.parametrize("bad", ["two\nlines", "two words", "sch\u00e4dlich"])
def test_what_is_no_key_is_not_said(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}{bad}")
    assert "OPENAI_API_KEY: not a key" in unusable(repo_path, "https://example.com/v1")


def test_no_key_is_sent_in_the_clear(repo_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "in the clear" in unusable(repo_path, "http://example.com/v1")
    git(repo_path, "config", "relay.llmKeyVariable", "")
    assert backend(repo_path, "http://example.com/v1")
    git(repo_path, "config", "--unset", "relay.llmKeyVariable")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert backend(repo_path, "http://example.com/v1")


def test_the_key_may_be_in_another_variable(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repo_path, "config", "relay.llmKeyVariable", "MY_KEY")
    with service(completion("hi")) as server:
        assert "no key in the environment variable MY_KEY" in unusable(repo_path, server.url)
        monkeypatch.setenv("MY_KEY", "another")
        backend(repo_path, server.url).ask("Hello", 20)
        git(repo_path, "config", "relay.llmKeyVariable", "")
        backend(repo_path, server.url).ask("Hello", 20)
    first, second = server.questions
    assert first.headers["Authorization"] == "Bearer another"
    assert "Authorization" not in second.headers


def test_what_is_on_this_machine_is_not_asked_through_a_proxy(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with service(completion("proxied")) as proxy, service(completion("direct")) as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert backend(repo_path, server.url).ask("Hello", 20) == "direct"
    assert proxy.questions == []


# Configuration


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
        backend(repo_path, server.url + base).ask("Hello", 20)
    assert server.questions[0].path == path


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://example.com", "example.com/v1", "https://", "https://a b"]
)
def test_what_is_no_service_is_refused(repo_path: Path, url: str) -> None:
    assert "git config relay.llmUrl: not the URL of a service" in unusable(repo_path, url)


def test_a_password_in_the_url_is_refused_and_not_said(repo_path: Path) -> None:
    said = unusable(repo_path, "https://me:geheim@example.com/v1")
    assert "name or password" in said
    assert "geheim" not in said


def test_a_service_needs_a_model(repo_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repo_path, "config", "relay.llmUrl", "https://example.com/v1")
    with pytest.raises(BackendError, match=r"relay\.llmModel: no model is named"):
        configured(read_config(repository(repo_path)), str(repo_path))
    monkeypatch.setenv("GIT_RELAY_LLM_MODEL", "large")
    assert configured(read_config(repository(repo_path)), str(repo_path))
