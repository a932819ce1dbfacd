"""What observers of a pipeline are told. Nothing but the fields named here ever gets out."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from relay_git.pipeline.codes import Code
from relay_git.record import Record


class Moment(StrEnum):
    """What can happen. Some need a word more:

    `HISTORY_REFUSED`: what the store holds is not to be trusted, as the code says
    `ROLLED_BACK`: by hand; after a rejected output it is `STEP_REJECTED`
    `FORK_FINISHED`: with a code if there is no output of it to be joined
    `JOINED`: how the step of several forks ends well
    """

    PIPELINE_OPENED = "pipeline_opened"
    PIPELINE_RESUMED = "pipeline_resumed"
    PIPELINE_CLOSED = "pipeline_closed"
    PIPELINE_ENDED = "pipeline_ended"
    STEP_STARTED = "step_started"
    AGENT_CALLED = "agent_called"
    AGENT_ANSWERED = "agent_answered"
    STEP_ACCEPTED = "step_accepted"
    STEP_REJECTED = "step_rejected"
    STEP_FAILED = "step_failed"
    BUDGET_REFUSED = "budget_refused"
    HISTORY_REFUSED = "history_refused"
    ROLLED_BACK = "rolled_back"
    FORK_STARTED = "fork_started"
    FORK_FINISHED = "fork_finished"
    JOINED = "joined"
    KEY_ROTATED = "key_rotated"


STARTS = frozenset(
    (
        *(Moment.PIPELINE_OPENED, Moment.PIPELINE_RESUMED),
        *(Moment.STEP_STARTED, Moment.FORK_STARTED),
    )
)
"""After one of these comes one of `ENDS` with the same `id`."""

ENDS = frozenset(
    (
        *(Moment.PIPELINE_CLOSED, Moment.STEP_ACCEPTED, Moment.STEP_REJECTED),
        *(Moment.STEP_FAILED, Moment.FORK_FINISHED, Moment.JOINED),
    )
)


class Notice(Record):
    """Something happened to a pipeline, at `ts` (`2026-04-28T09:30:00Z`).

    `id` is the same on all that is told of one step or fork, or of one pipeline from opening to
    closing, and `within` is the id of what it is a part of. `sections` are the names of those that
    were changed, never what is in them; `tokens` those of slice and output; `confidence` is from 0
    to 1.
    `reason` is in words of this library: of what an agent, a rule or a packer raised it has the
    type alone.
    """

    event: Moment
    pipeline: str
    ts: str
    id: str
    within: str | None = None
    run: str | None = None
    step: int | None = None
    fork: str | None = None
    agent: str | None = None
    code: Code | None = None
    reason: str | None = None
    sections: tuple[str, ...] | None = None
    tokens: int | None = None
    confidence: float | None = None
    rolled_back_to: int | None = None


Observer: TypeAlias = Callable[[Notice], None]
"""Called where the pipeline runs, and an agent's moments where the agent runs, so at times from
several threads at once. The step waits for it; what it raises is logged once and ignored."""
