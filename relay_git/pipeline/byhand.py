"""What a person does to a pipeline's run from the command line, whatever its agents and rules."""

from __future__ import annotations

from contextlib import suppress

from relay_git.chain.chain import Step
from relay_git.errors import Corrupt, Refused
from relay_git.names import RunId
from relay_git.pipeline.driver import run_sync
from relay_git.pipeline.gitsteps import steps_of
from relay_git.pipeline.packers import Recency
from relay_git.pipeline.state import state_of
from relay_git.pipeline.stepping import Stepper
from relay_git.pipeline.stepstore import StepStore
from relay_git.pipeline.tokens import HeuristicCounter
from relay_git.workspace import Workspace


def adopt(ws: Workspace, tip: Step) -> RunId | None:
    """Let the pipeline of this clone go on with the run that ends at `tip`. The run that it had,
    if it had another: that one stays open."""
    _refuse_finished(tip)
    store, name = steps_of(ws), state_of(tip).pipeline
    before = None
    with suppress(Corrupt):
        before = store.head(name)
    store.adopt(name, tip.envelope.run)
    return before.run if before and before.run != tip.envelope.run else None


def roll_back(ws: Workspace, tip: Step, target: Step) -> Step:
    """The step that stands again where `target` left the run that ends at `tip`.

    Raises `Refused` for a run that has ended, and for one that is not this clone's own.
    """
    stepper = _stepper(ws, tip)
    return run_sync(stepper.rollback(stepper.store.load(stepper.name, target.oid))).value.record


def resolve(ws: Workspace, tip: Step, target: Step) -> Step:
    """As `roll_back`, of a run that has diverged. Raises `Refused` for another."""
    if state_of(tip).status != "diverged":
        raise Refused("the run has not diverged", hint="`git relay rollback` goes back to a step")
    return roll_back(ws, tip, target)


def abandon(ws: Workspace, tip: Step) -> Step:
    """The last step of the run, which is then filed. Raises `Refused` as `roll_back` does."""
    return run_sync(_stepper(ws, tip).end("abandon")).value.record


def _stepper(ws: Workspace, tip: Step) -> Stepper:
    _refuse_finished(tip)
    store: StepStore = steps_of(ws)
    name, run = state_of(tip).pipeline, tip.envelope.run
    head = store.head(name)
    if head is None or head.run != run:
        raise Refused(
            f"{run} is not the run of {name} in this clone",
            hint=f"`git relay switch {run}` makes it that",
        )
    return Stepper(name, store, Recency(), HeuristicCounter(), (), tries=1)


def _refuse_finished(tip: Step) -> None:
    state = state_of(tip)
    if state.finished:
        hint = f"the next `Pipeline.open` of {state.pipeline} begins another"
        raise Refused(f"the run {tip.envelope.run} is {state.status}", hint=hint)
