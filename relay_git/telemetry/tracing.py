"""An observer that makes spans of what it is told."""

from __future__ import annotations

from contextvars import Token
from typing import TYPE_CHECKING, Any

from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.notice import ENDS, STARTS, Moment, Notice, Observer
from relay_git.pipeline.settings import having
from relay_git.record import as_dict

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Link, Span, TracerProvider

_NAME = "git-relay"
_TOLD_OTHERWISE = ("event", "ts", "id", "within")


def otel(provider: TracerProvider | None = None) -> Observer:
    """For `Pipeline.open(..., observers=[otel()])`; one serves any number of pipelines.

    `provider` is the global one if left out. Raises `PipelineError` (INVALID_SETTING) for another
    thing, and without the extra.
    """
    if provider is not None:
        having("get_tracer", provider, "tracer provider")
    try:
        return Tracing(provider)
    except ImportError as error:
        what = f"traces need a package that is not here ({error})"
        how = "install it: pip install 'git-relay[otel]'"
        raise PipelineError(Code.INVALID_SETTING, f"{what}; {how}") from error


class Tracing:
    """It is told in several threads at once: each key is written by one of them."""

    def __init__(self, provider: TracerProvider | None) -> None:
        from opentelemetry import trace

        self._tracer = trace.get_tracer(_NAME, tracer_provider=provider)
        self._spans: dict[str, Span] = {}
        self._running: dict[str, Token[Context]] = {}

    def __call__(self, notice: Notice) -> None:
        if notice.event in STARTS:
            self._spans[notice.id] = self._started(notice)
        elif notice.event is Moment.AGENT_CALLED:
            self._enter(notice)
        elif notice.event is Moment.AGENT_ANSWERED:
            self._leave(notice)
        elif notice.event in ENDS:
            span = self._spans.pop(notice.id, None) or self._started(notice)
            _finish(span, notice)
        else:
            self._mention(notice)

    def _started(self, notice: Notice) -> Span:
        """A step that failed before it could start has a span as well."""
        from opentelemetry import trace

        parent = self._spans.get(notice.within or "")
        around = trace.set_span_in_context(parent) if parent else None
        links = _links(parent) if parent and not notice.fork else None
        return self._tracer.start_span(
            _title(notice), around, attributes=_attributes(notice), links=links
        )

    def _enter(self, notice: Notice) -> None:
        from opentelemetry import context, trace

        if span := self._spans.get(notice.id):
            self._running[notice.id] = context.attach(trace.set_span_in_context(span))

    def _leave(self, notice: Notice) -> None:
        from opentelemetry import context

        if token := self._running.pop(notice.id, None):
            context.detach(token)

    def _mention(self, notice: Notice) -> None:
        """Of what has no duration: an event of the step, else of the pipeline, if that is open."""
        if span := self._spans.get(notice.id):
            span.add_event(str(notice.event), _attributes(notice))


def _title(notice: Notice) -> str:
    """Few different ones, as backends group spans by them."""
    if notice.within is None:
        return f"pipeline {notice.pipeline}"
    if notice.fork:
        return f"fork {notice.fork}"
    return f"step {notice.agent}" if notice.agent else "join"


def _attributes(notice: Notice) -> dict[str, Any]:
    said = {name: value for name, value in as_dict(notice).items() if value is not None}
    return {f"relay.{name}": _plain(said[name]) for name in said if name not in _TOLD_OTHERWISE}


def _plain(value: Any) -> Any:
    """Exporters may look at the type itself, and know none of ours."""
    return str(value) if isinstance(value, str) else value


def _links(parent: Span) -> list[Link]:
    """To the span that is current where a step is made, if that belongs to another trace."""
    from opentelemetry import trace

    here = trace.get_current_span().get_span_context()
    apart = here.is_valid and here.trace_id != parent.get_span_context().trace_id
    return [trace.Link(here)] if apart else []


def _finish(span: Span, notice: Notice) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_attributes(_attributes(notice))
    span.set_attribute("relay.outcome", str(notice.event))
    if notice.code or notice.event is Moment.STEP_FAILED:
        span.set_attribute("error.type", str(notice.code or "_OTHER"))
        span.set_status(Status(StatusCode.ERROR, notice.reason or notice.code))
    span.end()
