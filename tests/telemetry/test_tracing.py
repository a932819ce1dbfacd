"""Traces of pipelines, made by the real SDK."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    SimpleSpanProcessor,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanContext, StatusCode
from pipelining import WRITER, saying

from relay_git.pipeline import (
    Code,
    Failure,
    Fork,
    JoinStrategy,
    Manifest,
    Pipeline,
    PipelineError,
    RolledBack,
    Slice,
    memory_steps,
    pinned,
    retry,
)
from relay_git.telemetry import otel

CONTENT = "ivory-lighthouse"


class Traced:
    """A provider that keeps what it is given."""

    def __init__(self) -> None:
        self.kept = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.kept))
        self.tracer = self.provider.get_tracer("tests")

    def pipeline(self, **options: Any) -> Pipeline:
        options = {"payload": {"FACTS": [CONTENT]}, "observers": [otel(self.provider)], **options}
        return Pipeline.open(memory_steps(), "demo", **options)

    def named(self, name: str) -> ReadableSpan:
        [span] = [span for span in self.kept.get_finished_spans() if span.name == name]
        return span

    def agent(self, given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        """An agent that makes a span of its own."""
        with self.tracer.start_as_current_span(f"model of {manifest.agent_id}"):
            return {"FACTS": [*given["FACTS"], manifest.agent_id]}

    async def coroutine(self, given: Slice, manifest: Manifest) -> Mapping[str, Any]:
        with self.tracer.start_as_current_span(f"model of {manifest.agent_id}"):
            await asyncio.sleep(0)
            return {"FACTS": [*given["FACTS"], manifest.agent_id]}


@pytest.fixture
def traced() -> Traced:
    return Traced()


def context_of(span: ReadableSpan) -> SpanContext:
    context: SpanContext | None = span.context
    assert context
    return context


def is_child(span: ReadableSpan, parent: ReadableSpan) -> bool:
    return (
        span.parent is not None
        and span.parent.span_id == context_of(parent).span_id
        and context_of(span).trace_id == context_of(parent).trace_id
    )


def test_a_pipeline_is_a_trace_and_a_step_a_span_of_it(traced: Traced) -> None:
    with traced.pipeline() as pipeline:
        head = pipeline.step_sync(WRITER, saying(FACTS=[CONTENT, "b"])).unwrap()
    root, step = traced.named("pipeline demo"), traced.named("step writer")
    assert root.parent is None and is_child(step, root)
    assert step.attributes == {
        "relay.pipeline": "demo",
        "relay.run": head.run,
        "relay.step": 2,
        "relay.agent": "writer",
        "relay.sections": ("FACTS",),
        "relay.tokens": head.event.slice_tokens + head.event.output_tokens,
        "relay.confidence": 1.0,
        "relay.outcome": "step_accepted",
    }
    assert step.attributes and {type(value) for value in step.attributes.values()} == {
        *(str, int, float, tuple),
    }
    assert step.status.status_code is StatusCode.UNSET
    assert root.attributes and root.attributes["relay.run"] == head.run


def how_to_step() -> dict[str, Callable[[Pipeline, Any], object]]:
    return {
        "sync": lambda pipeline, agent: pipeline.step_sync(WRITER, agent),
        "async": lambda pipeline, agent: asyncio.run(pipeline.step(WRITER, agent)),
    }


@pytest.mark.parametrize("agent", ["agent", "coroutine", "lazy"])
@pytest.mark.parametrize("how", ["sync", "async"])
def test_spans_of_an_agent_are_children_of_its_step(traced: Traced, how: str, agent: str) -> None:
    agents: dict[str, Any] = {
        "agent": traced.agent,
        "coroutine": traced.coroutine,
        "lazy": lambda given, manifest: traced.coroutine(given, manifest),
    }
    with traced.pipeline() as pipeline:
        how_to_step()[how](pipeline, agents[agent])
        assert pipeline.head.step == 2
        assert not trace.get_current_span().get_span_context().is_valid
    assert is_child(traced.named("model of writer"), traced.named("step writer"))


def test_a_step_inside_a_trace_of_the_caller_is_linked_to_it(traced: Traced) -> None:
    pipeline = traced.pipeline()
    with traced.tracer.start_as_current_span("request") as request:
        pipeline.step_sync(WRITER, traced.agent)
        assert trace.get_current_span() is request
    step = traced.named("step writer")
    assert [link.context for link in step.links] == [request.get_span_context()]
    with traced.tracer.start_as_current_span("job"), traced.pipeline() as inside:
        inside.step_sync(Manifest("other", writes=["FACTS"]), saying(FACTS=["x"]))
    assert is_child(traced.named("pipeline demo"), traced.named("job"))
    assert not traced.named("step other").links


def test_errors_have_their_code_and_no_content(traced: Traced) -> None:
    def broken(given: Slice, manifest: Manifest) -> Any:
        raise ValueError(given["FACTS"][0])

    pipeline = traced.pipeline(rules=[pinned("FACTS")])
    assert isinstance(pipeline.step_sync(WRITER, broken), Failure)
    rejected = Manifest("forgetful", writes=["FACTS"])
    assert isinstance(pipeline.step_sync(rejected, saying(FACTS=[])), RolledBack)
    told = []
    for name, code, words in (
        ("step writer", "AGENT_FAILED", "ValueError"),
        ("step forgetful", "PIN_DROPPED", "PIN_DROPPED in FACTS"),
    ):
        span = traced.named(name)
        assert span.attributes and span.attributes["error.type"] == code
        assert span.status.status_code is StatusCode.ERROR
        assert span.status.description == words
        told.append(span.to_json())
    assert CONTENT not in "".join(told)


def test_every_try_has_a_span_and_what_has_no_length_is_an_event(traced: Traced) -> None:
    answers: Iterator[dict[str, Any]] = iter([{"PLAN": 1}, {"FACTS": ["a"]}])
    with traced.pipeline(on_reject=retry(1)) as pipeline:
        pipeline.step_sync(WRITER, lambda given, manifest: next(answers)).unwrap()
        pipeline.rollback(1).unwrap()
        pipeline.step_sync(Manifest("dear", max_output=10_000), saying())
    tries = [span for span in traced.kept.get_finished_spans() if span.name == "step writer"]
    outcomes = [span.attributes and span.attributes["relay.outcome"] for span in tries]
    assert outcomes == ["step_rejected", "step_accepted"]
    [back] = traced.named("pipeline demo").events
    assert back.name == "rolled_back"
    assert back.attributes and back.attributes["relay.rolled_back_to"] == 1
    [refused] = traced.named("step dear").events
    assert refused.name == "budget_refused"


def test_what_is_not_sampled_costs_no_export_and_no_step(traced: Traced) -> None:
    provider = TracerProvider(sampler=ALWAYS_OFF)
    provider.add_span_processor(SimpleSpanProcessor(traced.kept))
    with traced.pipeline(observers=[otel(provider)]) as pipeline:
        pipeline.step_sync(WRITER, saying(FACTS=[])).unwrap()
    assert traced.kept.get_finished_spans() == ()


# Forks


def forks(**agents: Any) -> list[Fork]:
    return [
        Fork(name, Manifest(name, reads=["FACTS"], writes=["FACTS"], max_output=200), agent)
        for name, agent in agents.items()
    ]


@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("agent", ["agent", "coroutine"])
def test_a_fork_is_a_child_of_its_step_and_current_for_its_agent(
    traced: Traced, how: str, agent: str
) -> None:
    call = getattr(traced, agent)
    some = forks(a=call, b=call, c=call)
    with traced.pipeline() as pipeline:
        if how == "sync":
            pipeline.fork_sync(some, JoinStrategy.VOTE).unwrap()
        else:
            asyncio.run(pipeline.fork(some, JoinStrategy.VOTE)).unwrap()
    step = traced.named("join")
    assert is_child(step, traced.named("pipeline demo"))
    assert step.attributes and step.attributes["relay.outcome"] == "joined"
    for name in "abc":
        fork = traced.named(f"fork {name}")
        assert is_child(fork, step)
        assert is_child(traced.named(f"model of {name}"), fork)
        assert fork.attributes and fork.attributes["relay.fork"] == name


def test_of_forks_the_one_that_failed_is_an_error(traced: Traced) -> None:
    def broken(given: Slice, manifest: Manifest) -> Any:
        raise ValueError(CONTENT)

    some = forks(a=traced.agent, b=broken)
    traced.pipeline().fork_sync(some, JoinStrategy.VOTE).unwrap()
    good, bad = traced.named("fork a"), traced.named("fork b")
    assert good.status.status_code is traced.named("join").status.status_code is StatusCode.UNSET
    assert bad.status.status_code is StatusCode.ERROR
    assert bad.attributes and bad.attributes["error.type"] == "AGENT_FAILED"
    assert CONTENT not in "".join(span.to_json() for span in traced.kept.get_finished_spans())


WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
from relay_git.pipeline import Manifest, Pipeline, memory_steps
from relay_git.telemetry import otel
pipeline = Pipeline.open(memory_steps(), "demo")
print(pipeline.step_sync(Manifest("a", writes=["A"]), lambda *given: {"A": 1}).unwrap().step)
try:
    otel()
except Exception as error:
    print(type(error).__name__, error)
"""


def test_without_the_extra_all_is_silent_until_it_is_asked_for() -> None:
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    step, refusal = done.stdout.splitlines()
    assert step == "2" and done.stderr == ""
    assert refusal.startswith("PipelineError ")
    assert refusal.endswith("pip install 'git-relay[otel]'")


def test_what_is_no_provider_is_refused() -> None:
    with pytest.raises(PipelineError, match="str is no tracer provider") as refused:
        otel("http://localhost:4317")  # type: ignore[arg-type]
    assert refused.value.code == Code.INVALID_SETTING


def test_pipelines_import_nothing_of_it() -> None:
    program = "import relay_git.pipeline, sys; print('opentelemetry' in sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
