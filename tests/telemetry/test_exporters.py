"""Exporters that raise or hang: whatever becomes of a trace, the step is made."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    SimpleSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from pipelining import WRITER, place, saying

from relay_git.pipeline import Pipeline
from relay_git.telemetry import otel


class Raising(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        raise ConnectionError("no collector")


class Hanging(SpanExporter):
    def __init__(self) -> None:
        self.called, self.released = threading.Event(), threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.called.set()
        self.released.wait()
        return SpanExportResult.SUCCESS


class Broken(SimpleSpanProcessor):
    """Raises out of the SDK itself."""

    def on_end(self, span: ReadableSpan) -> None:
        raise RuntimeError("the processor is broken")


@pytest.mark.parametrize("kind", ["git", "memory"])
@pytest.mark.parametrize("processor", [SimpleSpanProcessor, Broken])
def test_an_exporter_that_raises_fails_no_step(
    processor: type[SimpleSpanProcessor],
    kind: str,
    repo_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    provider = TracerProvider()
    provider.add_span_processor(processor(Raising()))
    here = place(kind, repo_path)
    with Pipeline.open(here.steps, "demo", observers=[otel(provider)]) as pipeline:
        for number in (2, 3):
            assert pipeline.step_sync(WRITER, saying(FACTS=number)).unwrap().step == number
        assert not trace.get_current_span().get_span_context().is_valid
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    ours = [line for line in said if line.startswith("an observer of the pipeline demo failed")]
    assert len(ours) == (1 if processor is Broken else 0)
    assert said


@pytest.mark.parametrize("kind", ["git", "memory"])
def test_an_exporter_that_hangs_holds_up_no_step(kind: str, repo_path: Path) -> None:
    """In the background, that is, where the SDK's own advice has it."""
    hanging = Hanging()
    batch = BatchSpanProcessor(hanging, schedule_delay_millis=1, max_export_batch_size=1)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(batch)
    here = place(kind, repo_path)
    try:
        with Pipeline.open(here.steps, "demo", observers=[otel(provider)]) as pipeline:
            pipeline.step_sync(WRITER, saying(FACTS=1)).unwrap()
            assert hanging.called.wait(20)
            for number in range(3, 8):
                assert pipeline.step_sync(WRITER, saying(FACTS=number)).unwrap().step == number
            assert not hanging.released.is_set()
        assert here.again().head(pipeline._stepper.name)
    finally:
        hanging.released.set()
        provider.shutdown()
