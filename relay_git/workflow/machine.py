"""The state machine: `transition(workflow, state, event)` without I/O and without a clock.

A run is the fold of its steps' events, so `verify` can fold them again and compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from relay_git.canonical import integer, text, text_or_none
from relay_git.errors import Corrupt, InvalidName, Refused
from relay_git.names import Word
from relay_git.record import EMPTY, Record, as_dict
from relay_git.workflow.model import Stage, Workflow

Status = Literal["open", "halted", "done", "abandoned", "diverged"]
Action = Literal["settle"]

STATUSES: tuple[Status, ...] = ("open", "halted", "done", "abandoned", "diverged")
FINISHED: tuple[Status, ...] = ("done", "abandoned")


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


class Rollback(Record):
    """The run stands again where step number `to` left it."""

    to: int


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


Event = Start | Advance | Rollback | Reset | Abandon | Commit


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
    earlier: Mapping[int, State] | None = None,
) -> tuple[State, tuple[Action, ...]]:
    """The next state and what is to be done about it.

    `files` maps artifact names to their sha256 as the new step records them; `earlier` maps the
    numbers of the steps so far to their states, for a rollback. Raises `Refused`.
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
        case Rollback():
            moved = _rollback(state, event, earlier or {})
        case Reset():
            begun = _begin(workflow, event)
            moved = begun.replace(metadata=state.metadata)
        case Abandon():
            moved = state.replace(status="abandoned", event=event, halt=None)
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
    if (event.stage, event.visit) != (state.stage, state.visit):
        raise Refused(
            f"the run is at {state.stage} (visit {state.visit}), "
            f"not at {event.stage} (visit {event.visit})",
            hint="see `git relay status`",
        )
    if state.status == "diverged":
        raise Refused("the run has diverged", hint="choose a step with `git relay resolve`")
    target = _forced_target(state, event) or target_of(workflow.stages[state.stage], event.branch)
    return _move(workflow, state, event, target)


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


def _rollback(state: State, event: Rollback, earlier: Mapping[int, State]) -> State:
    if event.to not in earlier:
        raise Refused(f"the run has no step {event.to}", hint="see `git relay log`")
    return earlier[event.to].replace(event=event, metadata=state.metadata)


def _entered(workflow: Workflow, state: State, files: Mapping[str, str]) -> State:
    writes = workflow.writes_of(state.stage)
    return state.replace(entered={name: files.get(name) for name in writes})


# The record of a state


_EVENTS: dict[str, Callable[..., Event]] = {
    "start": Start,
    "advance": Advance,
    "rollback": Rollback,
    "reset": Reset,
    "abandon": Abandon,
    "commit": Commit,
}


def event_name(event: Event) -> str:
    return type(event).__name__.lower()


def state_to_json(state: State) -> dict[str, Any]:
    halt = state.halt
    return {
        "stage": state.stage,
        "status": state.status,
        "visits": dict(state.visits),
        "event": {"kind": event_name(state.event), **_fields(state.event)},
        "entered": dict(state.entered),
        "halt": halt and {"target": halt.target, "branch": halt.branch, "reason": halt.reason},
        "metadata": dict(state.metadata),
    }


def state_from_json(data: Mapping[str, Any], where: str) -> State:
    try:
        halt = data["halt"]
        if data["status"] not in STATUSES:
            raise ValueError(f"unknown status {data['status']!r}")
        return State(
            stage=Word(text(data["stage"])),
            status=data["status"],
            visits={stage: integer(count) for stage, count in data["visits"].items()},
            event=_event_from_json(data["event"]),
            entered={name: text_or_none(digest) for name, digest in data["entered"].items()},
            halt=_halt_from_json(halt) if halt else None,
            metadata={key: text(value) for key, value in data["metadata"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError, InvalidName) as error:
        raise Corrupt(f"not the state of a run: {error!r}", where=where) from None


def _event_from_json(data: Mapping[str, Any]) -> Event:
    """Every field of the event, each of its type, and no other."""
    fields = dict(data)
    kind = _EVENTS[text(fields.pop("kind"))]
    return kind(**{name: _READERS[name](value) for name, value in fields.items()})


def _halt_from_json(data: Mapping[str, Any]) -> Halt:
    return Halt(Word(text(data["target"])), text_or_none(data["branch"]), text(data["reason"]))


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


_READERS: dict[str, Callable[[Any], Any]] = {
    "stage": lambda value: Word(text(value)),
    "visit": integer,
    "branch": text_or_none,
    "force": _flag,
    "shown": lambda value: tuple(text(lesson) for lesson in value),
    "to": integer,
    "clean": _flag,
    "code": text,
    "paths": lambda value: tuple(text(path) for path in value),
    "left_out": integer,
}


def _fields(event: Event) -> dict[str, Any]:
    return as_dict(event)
