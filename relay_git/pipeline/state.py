"""What a pipeline's step says of itself in the signed record, beside its sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from relay_git.canonical import integer, text, text_or_none
from relay_git.chain.chain import Step
from relay_git.errors import Corrupt, InvalidName
from relay_git.names import STEP_RECORD, Word
from relay_git.pipeline.codes import Code
from relay_git.pipeline.join import JoinStrategy
from relay_git.pipeline.rules import Finding
from relay_git.record import Record, as_dict

Kind = Literal["start", "step", "output", "rollback", "fork", "join", "end", "abandon"]
KINDS: tuple[Kind, ...] = (
    *("start", "step", "output", "rollback", "fork", "join"),
    *("end", "abandon"),
)
BESIDE: tuple[Kind, ...] = ("output", "fork")
"""Of these there are outputs beside the chain, and no steps of it."""
OPEN = "open"
ENDS: dict[Kind, str] = {"end": "done", "abandon": "abandoned"}
"""The status that a last step leaves the run in."""


Outcome = Literal["accepted", "rejected", "failed", "cancelled"]
OUTCOMES: tuple[Outcome, ...] = ("accepted", "rejected", "failed", "cancelled")


class Receipt(Record):
    """What became of one fork. `output` is the digest of the step that keeps its output, None
    where there is none; `code` and `reason` say why it was not accepted."""

    fork: str
    agent: str
    manifest: str
    outcome: Outcome
    output: str | None = None
    confidence: int = 0
    slice_tokens: int = 0
    output_tokens: int = 0
    code: Code | None = None
    reason: str = ""


class Joined(Record):
    """How forks were joined: `chosen` are those whose output, or a part of it, was taken."""

    strategy: JoinStrategy
    chosen: tuple[str, ...]
    forks: tuple[Receipt, ...]


class Event(Record):
    """`step` has an accepted output, `join` those of several forks; `output` has one that was not
    accepted, `fork` that of a fork, and no chain leads through either; `rollback` stands again
    where step `to` left the payload; `end` and `abandon` are last.

    A rollback names the digest of the output that it `rejected` and the `findings`, or neither.
    `manifest` is a digest too; `sliced_at` is the step that the agent saw; tokens are those of its
    slice and of what it wrote; `confidence` is in thousandths. `masked` are sections. The last step
    names in `waiting` the outputs of forks that no step joined, and keeps them.
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
    fork: str | None = None
    join: Joined | None = None
    waiting: tuple[str, ...] = ()


class PipelineState(Record):
    """`status` is `open`, `diverged` where two tips were joined, or one of `ENDS`."""

    pipeline: Word
    status: str
    event: Event

    @property
    def finished(self) -> bool:
        return self.status in ENDS.values()


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
            **_forks_to_json(event),
        },
    }


def _forks_to_json(event: Event) -> dict[str, Any]:
    """Of a step that has to do with forks."""
    told: dict[str, Any] = {"fork": event.fork} if event.fork else {}
    if event.waiting:
        told["waiting"] = list(event.waiting)
    if event.join:
        forks = [as_dict(receipt) for receipt in event.join.forks]
        told["join"] = {**as_dict(event.join), "chosen": list(event.join.chosen), "forks": forks}
    return told


def state_of(step: Step) -> PipelineState:
    """Raises `Corrupt` for a step of anything else."""
    data, where = step.envelope.state, f"{step.oid[:12]}:{STEP_RECORD}"
    if not is_pipeline(step):
        raise Corrupt("not a step of a pipeline", where=where)
    try:
        status = text(data["status"])
        if status not in (OPEN, "diverged", *ENDS.values()):
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
        fork=text_or_none(data.get("fork")),
        join=_joined(data["join"]) if "join" in data else None,
        waiting=tuple(map(text, data.get("waiting", ()))),
    )


def _joined(data: Mapping[str, Any]) -> Joined:
    chosen, forks = data["chosen"], data["forks"]
    strategy = JoinStrategy(data["strategy"])
    return Joined(strategy, tuple(map(text, chosen)), tuple(map(_receipt, forks)))


def _receipt(data: Mapping[str, Any]) -> Receipt:
    if data["outcome"] not in OUTCOMES:
        raise ValueError(f"unknown outcome {data['outcome']!r}")
    return Receipt(
        fork=text(data["fork"]),
        agent=text(data["agent"]),
        manifest=text(data["manifest"]),
        outcome=data["outcome"],
        output=text_or_none(data["output"]),
        confidence=integer(data["confidence"]),
        slice_tokens=integer(data["slice_tokens"]),
        output_tokens=integer(data["output_tokens"]),
        code=None if data["code"] is None else Code(data["code"]),
        reason=text(data["reason"]),
    )


def _finding(data: Mapping[str, Any]) -> Finding:
    return Finding(Code(data["code"]), text_or_none(data["section"]), text(data["reason"]))


def _number(value: object) -> int | None:
    return None if value is None else integer(value)
