"""A step's commit message: a subject that reads as a story, then the trailers."""

from __future__ import annotations

from relay_git import names
from relay_git.names import Oid, RunId
from relay_git.workflow.machine import (
    Abandon,
    Advance,
    Commit,
    Event,
    Rerun,
    Reset,
    Resolve,
    Rollback,
    Start,
    State,
)
from relay_git.workflow.model import Workflow


def subject(workflow: Workflow, before: State | None, after: State, back_to: str = "") -> str:
    """`plan_review: reject → fix_plan (visit 2)`; `back_to` tells which step is stood at again."""
    match after.event:
        case Start():
            return f"start {workflow.name} at {after.stage}"
        case Advance() as event:
            return _advanced(event, after)
        case Rerun(stage=stage):
            return f"{stage}: rerun → {stage} (visit {after.visit})"
        case Rollback() | Resolve():
            kind = type(after.event).__name__.lower()
            return f"{kind} to {back_to}: {after.stage} (visit {after.visit})"
        case Reset(clean=clean):
            return f"reset → {after.stage}" + (" with the seeds alone" if clean else "")
        case Commit(code=code):
            return f"commit {code[:12]} at {after.stage} (visit {after.visit})"
        case Abandon():
            return f"abandon at {before.stage if before else after.stage}"


def _advanced(event: Advance, after: State) -> str:
    choice = f"{event.stage}: {event.branch}" if event.branch else event.stage
    if after.halt:
        return f"{choice}, halted: {after.halt.reason}"
    again = f" (visit {after.visit})" if after.visit > 1 else ""
    forced = " by force" if event.force else ""
    return f"{choice} → {after.stage}{again}{forced}"


def message(
    subject: str,
    body: str | None,
    run: RunId,
    step: int,
    event: Event,
    after: State,
    role: str | None,
    code: Oid | None,
) -> str:
    """The whole commit message. `code` is the user's HEAD, kept as text and never a parent."""
    lines = [
        f"{names.TRAILER_RUN}: {run}",
        f"{names.TRAILER_STEP}: {step}",
        f"{names.TRAILER_STAGE}: {stage_of(event, after)}",
    ]
    if role:
        lines.append(f"{names.TRAILER_ROLE}: {role}")
    if isinstance(event, Advance) and event.branch:
        lines.append(f"{names.TRAILER_VERDICT}: {event.branch}")
    if code:
        lines.append(f"{names.TRAILER_CODE}: {code}")
    paragraphs = [subject, *([body.strip()] if body and body.strip() else []), "\n".join(lines)]
    return "\n\n".join(paragraphs) + "\n"


def stage_of(event: Event, after: State) -> str:
    """The stage that a step belongs to: the one whose work it records."""
    return event.stage if isinstance(event, Advance | Rerun) else after.stage
