from __future__ import annotations

from typing import Any

import pytest
from answering import EXTRACTOR, PAYLOAD, WRITER, failed
from chat import Answer, service, whole

from relay_git.pipeline import Code, Pipeline, PipelineError, Success, memory_steps
from relay_git.runners import openai_runner

KEY = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client asks again after a moment."""
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline.open(memory_steps(), "demo", payload=PAYLOAD)


def test_model_messages_and_key_are_sent(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with service(whole("x")) as server:
        for key in (None, "", "another"):
            runner = openai_runner("small", f"{server.url}?version=2", api_key=key)
            pipeline.step_sync(WRITER, runner).unwrap()
    assert [question.key for question in server.questions] == [
        f"Bearer {KEY}",
        None,
        "Bearer another",
    ]
    assert server.questions[0].path == "/v1/chat/completions?version=2"
    assert server.questions[0].body["model"] == "small"


def test_messages_of_a_prompt_are_sent_as_they_are(pipeline: Pipeline) -> None:
    own = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    with service(whole("x")) as server:
        runner = openai_runner("small", server.url, prompt=lambda given, manifest: own)
        pipeline.step_sync(WRITER, runner).unwrap()
    assert server.questions[0].body["messages"] == own


def test_a_service_that_is_busy_is_asked_again(pipeline: Pipeline) -> None:
    busy = Answer(b"{}", status=503, headers={"Retry-After": "0"})
    with service(busy, whole("x")) as server:
        pipeline.step_sync(WRITER, openai_runner("small", server.url)).unwrap()
    assert len(server.questions) == 2


def test_calls_of_tools_are_told(pipeline: Pipeline) -> None:
    with service(whole(None, calls={"search": '{"q": "timer"}'})) as server:
        result = pipeline.step_sync(WRITER, openai_runner("small", server.url))
    assert isinstance(result, Success) and result.said
    assert result.said.tool_calls == [{"name": "search", "args": {"q": "timer"}}]
    assert result.value.payload == PAYLOAD


JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(b'{"error": {"message": "no such model"}}', 404, JSON), "no such model"),
        (Answer(b"", 307, {"Location": "http://127.0.0.1:1/v1"}), "307"),
        (whole("x", "length"), "cut short (length)"),
        (whole("x", "content_filter"), "cut short (content_filter)"),
        (whole("x", calls={"search": "{"}), "no whole answer"),
        (Answer(b'{"choices": []}', headers=JSON), "no whole answer"),
        (Answer(b'{"choices": null}', headers=JSON), "no whole answer"),
        (Answer(b"[1]", headers=JSON), "no whole answer"),
        (Answer(b"<html>", headers={"Content-Type": "text/html"}), "no whole answer"),
        (Answer(b'{"choices": [{"message": {"content": 5}}]}', headers=JSON), "replied with int"),
        (whole(None), "openai answered nothing"),
        (Answer(b'{"choices": [', headers=JSON), ""),
        (whole("x").cut(20), ""),
    ],
)
def test_an_answer_that_is_none_fails(pipeline: Pipeline, answer: Answer, said: str) -> None:
    with service(answer) as server:
        failed(pipeline.step_sync(WRITER, openai_runner("small", server.url)), said)
    assert pipeline.head.step == 1


def test_what_is_on_this_machine_is_asked_through_no_proxy(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with service(whole("x")) as server:
        pipeline.step_sync(WRITER, openai_runner("small", server.url)).unwrap()


def test_a_service_that_is_not_there_fails(pipeline: Pipeline) -> None:
    with service() as server:
        url = server.url
    failed(pipeline.step_sync(WRITER, openai_runner("small", url)), url, "Connection")


def test_a_key_that_is_echoed_is_not_told(pipeline: Pipeline) -> None:
    echo = Answer(b'{"error": {"message": "bad key %s"}}' % KEY.encode(), 401, JSON)
    with service(echo) as server:
        result = pipeline.step_sync(WRITER, openai_runner("small", server.url, api_key=KEY))
    failed(result, "bad key")
    assert KEY not in str(result)


@pytest.mark.parametrize(
    ("url", "options", "wrong"),
    [
        ("localhost:11434", {}, "not the URL of a service"),
        ("ftp://localhost/v1", {}, "not the URL of a service"),
        ("http://me:pw@localhost/v1", {}, "name or password"),
        ("http://models.example.com/v1", {"api_key": KEY}, "in the clear"),
        ("https://models.example.com/v1", {"api_key": "two words"}, "not a key"),
        ("https://models.example.com/v1", {"timeout": 0}, "timeout"),
        (None, {}, "base_url is None, not text"),
        ("http://localhost/v1", {"api_key": 7_219}, "api_key is int, not text"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(
    url: Any, options: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(PipelineError, match=wrong) as found:
        openai_runner("small", url, **options)
    assert found.value.code == Code.INVALID_SETTING
    assert KEY not in str(found.value) and "two words" not in str(found.value)


def test_steps_of_one_runner_are_asked_one_by_one_in_loops_of_their_own(pipeline: Pipeline) -> None:
    with service(whole('{"FACTS": 1}'), whole('{"FACTS": 2}')) as server:
        runner = openai_runner("small", server.url)
        steps = [pipeline.step_sync(EXTRACTOR, runner).unwrap() for _ in range(2)]
    assert [step.payload["FACTS"] for step in steps] == [1, 2]
