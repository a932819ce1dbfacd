"""The state machine: `transition(workflow, state, event)` without I/O and without a clock.

A run is the fold of its steps' events, so `verify` can fold them again and compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from relay_git.errors import Refused
from relay_git.names import Word
from relay_git.record import EMPTY, Record
from relay_git.workflow.model import Stage, Workflow

Status = Literal["open", "halted", "done", "abandoned", "diverged"]
Action = Literal["settle"]

STATUSES: tuple[Status, ...] = ("open", "halted", "done", "abandoned", "diverged")
FINISHED: tuple[Status, ...] = ("done", "abandoned")

CONCERNS = "concerns"
"""In a state's metadata: what was wrong with the last visit, for whoever makes it again."""


class Halt(Record):
    """A move that the limit of its target forbade: kept, so that a person can force it."""

    target: Word
    branch: str | None
    reason: str


class Start(Record):
    """The run begins in the initial stage."""


class Advance(Record):
    """The role of `stage` has finished its visit number `visit`, choosing `branch` if it can.

    `shown` are the ids of the lessons that the role's prompt held.
    """

    stage: Word
    visit: int
    branch: str | None = None
    force: bool = False
    shown: tuple[str, ...] = ()


class Rerun(Record):
    """The role of `stage` is to make its visit number `visit` again, as another visit, for the
    sake of the `concerns`, which stay with the run until it moves on."""

    stage: Word
    visit: int
    concerns: str
    shown: tuple[str, ...] = ()


class Rollback(Record):
    """The run stands again where step `to` left it: its number, or where two steps have that
    number the digest of its record."""

    to: int | str


class Resolve(Record):
    """A diverged run stands where step `to` left it: the digest of its record."""

    to: str

    def __post_init__(self) -> None:
        if not isinstance(self.to, str):
            raise TypeError(f"{self.to!r} is no digest")


class Reset(Record):
    """Back to the initial stage; `clean` drops every artifact but the seeds."""

    clean: bool = False


class Abandon(Record):
    """The run is given up. What it taught is kept."""


class Commit(Record):
    """The user committed code meanwhile; the run stays where it is.

    `code` is the id of that commit, as text; `paths` are those it touched, `left_out` how many
    more there were.
    """

    code: str
    paths: tuple[str, ...] = ()
    left_out: int = 0


Event = Start | Advance | Rerun | Rollback | Resolve | Reset | Abandon | Commit


class State(Record):
    """Where a run stands. The ids, the number and the time of the step are in its envelope.

    `entered` holds the sha256 of each artifact that the stage is for as it was when the stage
    was entered, None for one that did not exist: what must change before the next move.
    """

    stage: Word
    status: Status
    visits: Mapping[str, int]
    event: Event
    entered: Mapping[str, str | None] = EMPTY
    halt: Halt | None = None
    metadata: Mapping[str, str] = EMPTY

    @property
    def visit(self) -> int:
        """The number of the present visit to the present stage, from 1."""
        return self.visits.get(self.stage, 0)

    @property
    def finished(self) -> bool:
        return self.status in FINISHED


def transition(
    workflow: Workflow,
    state: State | None,
    event: Event,
    files: Mapping[str, str],
    earlier: Mapping[int | str, State] | None = None,
) -> tuple[State, tuple[Action, ...]]:
    """The next state and what is to be done about it.

    `files` maps artifact names to their sha256 as the new step records them; `earlier` maps what
    an event may call the steps so far to their states. Raises `Refused`.
    """
    if isinstance(event, Start) and state is None:
        return _entered(workflow, _begin(workflow, event), files), ()
    if state is None:
        raise Refused("the run has not started")
    if state.finished:
        raise Refused(f"the run is {state.status}", hint="start another with `git relay start`")
    match event:
        case Commit():
            return state.replace(event=event), ()
        case Start():
            raise Refused("the run has started already")
        case Advance():
            moved = _advance(workflow, state, event)
        case Rerun():
            return _entered(workflow, _rerun(workflow, state, event), files), ()
        case Rollback():
            moved = _back(state, event, earlier or {})
        case Resolve():
            moved = _resolve(state, event, earlier or {})
        case Reset():
            begun = _begin(workflow, event)
            moved = begun.replace(metadata=state.metadata)
        case Abandon():
            moved = state.replace(status="abandoned", event=event, halt=None)
    moved = _unburdened(moved)
    if moved.status == "open":
        moved = _entered(workflow, moved, files)
    return moved, ("settle",) if moved.finished else ()


def target_of(stage: Stage, branch: str | None) -> Word:
    """Where a finished visit leads. Raises `Refused` for a branch that the stage has not."""
    if stage.next:
        if branch is not None:
            raise Refused(
                f"stage {stage.name} does not branch, so it takes no verdict",
                hint="leave the verdict out",
            )
        return stage.next
    if branch is None or branch not in stage.branches:
        raise Refused(
            f"stage {stage.name} has no branch {branch!r}" if branch else "no verdict",
            hint=f"known: {', '.join(stage.branches)}",
        )
    return stage.branches[branch]


def _begin(workflow: Workflow, event: Event) -> State:
    first = workflow.initial_stage
    return State(stage=first, status="open", visits={first: 1}, event=event)


def _advance(workflow: Workflow, state: State, event: Advance) -> State:
    _check_here(state, event)
    target = _forced_target(state, event) or target_of(workflow.stages[state.stage], event.branch)
    return _move(workflow, state, event, target)


def _rerun(workflow: Workflow, state: State, event: Rerun) -> State:
    _check_here(state, event)
    _forced_target(state, Advance(event.stage, event.visit))
    most = workflow.stages[state.stage].max_visits
    if most is not None and state.visit >= most:
        raise Refused(f"{state.stage} has had {state.visit} of {most} visits")
    return state.replace(
        visits={**state.visits, state.stage: state.visit + 1},
        event=event,
        metadata={**state.metadata, CONCERNS: event.concerns},
    )


def _unburdened(state: State) -> State:
    """Without concerns about a visit that is over."""
    if CONCERNS not in state.metadata:
        return state
    return state.replace(metadata={k: v for k, v in state.metadata.items() if k != CONCERNS})


def _check_here(state: State, event: Advance | Rerun) -> None:
    if state.status == "diverged":
        raise Refused("the run has diverged", hint="choose a step with `git relay resolve`")
    if (event.stage, event.visit) != (state.stage, state.visit):
        raise Refused(
            f"the run is at {state.stage} (visit {state.visit}), "
            f"not at {event.stage} (visit {event.visit})",
            hint="see `git relay status`",
        )


def _forced_target(state: State, event: Advance) -> Word | None:
    """A halted run moves only by force, and then to where it was held back."""
    if state.halt is None:
        return None
    if not event.force:
        raise Refused(
            f"the run is halted: {state.halt.reason}",
            hint="continue with `git relay advance --force` or go back with `git relay rollback`",
        )
    if event.branch != state.halt.branch:
        raise Refused(
            f"the run is halted on its way to {state.halt.target} by {state.halt.branch!r}",
            hint="leave the verdict out, or go back with `git relay rollback`",
        )
    return state.halt.target


def _move(workflow: Workflow, state: State, event: Advance, target: Word) -> State:
    stage = workflow.stages[target]
    visits = state.visits.get(target, 0)
    if stage.max_visits is not None and visits >= stage.max_visits and not event.force:
        reason = f"{target} has had {visits} of {stage.max_visits} visits"
        halt = Halt(target, event.branch, reason)
        return state.replace(status="halted", event=event, halt=halt)
    return state.replace(
        stage=target,
        status="done" if stage.terminal else "open",
        visits={**state.visits, target: visits + 1},
        event=event,
        entered={},
        halt=None,
    )


def _back(state: State, event: Rollback | Resolve, earlier: Mapping[int | str, State]) -> State:
    if event.to not in earlier:
        raise Refused(f"the run has no step {event.to}", hint="see `git relay log`")
    return earlier[event.to].replace(event=event, metadata=state.metadata)


def _resolve(state: State, event: Resolve, earlier: Mapping[int | str, State]) -> State:
    if state.status != "diverged":
        raise Refused("the run has not diverged", hint="go back with `git relay rollback`")
    resolved = _back(state, event, earlier)
    if resolved.status == "diverged":
        raise Refused("that step was made when the run had diverged", hint="choose an earlier one")
    return resolved


def _entered(workflow: Workflow, state: State, files: Mapping[str, str]) -> State:
    writes = workflow.writes_of(state.stage)
    return state.replace(entered={name: files.get(name) for name in writes})
