"""What a pipeline's step says of itself in the signed record, beside its sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from relay_git.canonical import integer, text, text_or_none
from relay_git.chain.chain import Step
from relay_git.errors import Corrupt, InvalidName
from relay_git.names import STEP_RECORD, Word
from relay_git.pipeline.codes import Code
from relay_git.pipeline.rules import Finding
from relay_git.record import Record

Kind = Literal["start", "step", "output", "rollback"]
KINDS: tuple[Kind, ...] = ("start", "step", "output", "rollback")
OPEN = "open"


class Event(Record):
    """`step` has an accepted output, `output` one that was not and that no chain leads through;
    `rollback` stands again where step `to` left the payload.

    A rollback names the digest of the output that it `rejected` and the `findings`, or neither.
    `manifest` is a digest too; `sliced_at` is the step that the agent saw; tokens are those of its
    slice and of what it wrote; `confidence` is in thousandths. `masked` are sections.
    """

    kind: Kind
    agent: str | None = None
    manifest: str | None = None
    sliced_at: int | None = None
    slice_tokens: int = 0
    output_tokens: int = 0
    confidence: int = 0
    masked: tuple[str, ...] = ()
    to: int | None = None
    rejected: str | None = None
    findings: tuple[Finding, ...] = ()


class PipelineState(Record):
    """`status` is `open`, or `diverged` where two tips were joined."""

    pipeline: Word
    status: str
    event: Event


def is_pipeline(step: Step) -> bool:
    """Whether it is a step of a pipeline's run, and not of a workflow's."""
    return step.envelope.state.get("kind") == "pipeline"


def state_to_json(state: PipelineState) -> dict[str, Any]:
    event = state.event
    return {
        "kind": "pipeline",
        "pipeline": state.pipeline,
        "status": state.status,
        "event": {
            "kind": event.kind,
            "agent": event.agent,
            "manifest": event.manifest,
            "sliced_at": event.sliced_at,
            "slice_tokens": event.slice_tokens,
            "output_tokens": event.output_tokens,
            "confidence": event.confidence,
            "masked": list(event.masked),
            "to": event.to,
            "rejected": event.rejected,
            "findings": [
                {"code": f.code, "section": f.section, "reason": f.reason} for f in event.findings
            ],
        },
    }


def state_of(step: Step) -> PipelineState:
    """Raises `Corrupt` for a step of anything else."""
    data, where = step.envelope.state, f"{step.oid[:12]}:{STEP_RECORD}"
    if not is_pipeline(step):
        raise Corrupt("not a step of a pipeline", where=where)
    try:
        status = text(data["status"])
        if status not in (OPEN, "diverged"):
            raise ValueError(f"unknown status {status!r}")
        return PipelineState(Word(text(data["pipeline"])), status, _event(data["event"]))
    except (KeyError, TypeError, ValueError, AttributeError, InvalidName) as error:
        raise Corrupt(f"not the state of a pipeline: {error!r}", where=where) from None


def _event(data: Mapping[str, Any]) -> Event:
    if data["kind"] not in KINDS:
        raise ValueError(f"unknown event {data['kind']!r}")
    return Event(
        kind=data["kind"],
        agent=text_or_none(data["agent"]),
        manifest=text_or_none(data["manifest"]),
        sliced_at=_number(data["sliced_at"]),
        slice_tokens=integer(data["slice_tokens"]),
        output_tokens=integer(data["output_tokens"]),
        confidence=integer(data["confidence"]),
        masked=tuple(text(name) for name in data["masked"]),
        to=_number(data["to"]),
        rejected=text_or_none(data["rejected"]),
        findings=tuple(map(_finding, data["findings"])),
    )


def _finding(data: Mapping[str, Any]) -> Finding:
    return Finding(Code(data["code"]), text_or_none(data["section"]), text(data["reason"]))


def _number(value: object) -> int | None:
    return None if value is None else integer(value)
