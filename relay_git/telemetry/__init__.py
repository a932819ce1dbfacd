"""What happens to pipelines, as traces of OpenTelemetry: `pip install 'git-relay[otel]'`.

    from relay_git.telemetry import otel

    with Pipeline.open(".", "summarise-tickets", observers=[otel()]) as pipeline:
        result = await pipeline.step(facts, agent)

A pipeline is a span from its opening to its closing, its root unless another span is current where
it is opened; each step is a child of it, each fork a child of its step. While an agent runs, the
span of its step is current, so its own spans become children of that. Attributes, all `relay.*`,
are the fields of `Notice`: no content of a section is among them.

Spans go where the tracer provider of the program sends them. Use a `BatchSpanProcessor`: with a
`SimpleSpanProcessor` each step waits for the exporter, however long that takes.
"""

from relay_git.telemetry.tracing import otel

__all__ = ["otel"]
