"""Roll a pipeline's run back from the command line, whatever its agents and rules are."""

from __future__ import annotations

from relay_git.chain.chain import Step
from relay_git.errors import Refused
from relay_git.pipeline.driver import run_sync
from relay_git.pipeline.gitsteps import steps_of
from relay_git.pipeline.packers import Recency
from relay_git.pipeline.state import state_of
from relay_git.pipeline.stepping import Stepper
from relay_git.pipeline.tokens import HeuristicCounter
from relay_git.workspace import Workspace


def roll_back(ws: Workspace, tip: Step, target: Step) -> Step:
    """The step that stands again where `target` left the run that ends at `tip`.

    Raises `Refused` for the run of another clone, which this one has only fetched.
    """
    store, name = steps_of(ws), state_of(tip).pipeline
    head = store.head(name)
    if head is None or head.run != tip.envelope.run:
        raise Refused(
            f"{tip.envelope.run} is another clone's: it is not the run of {name} here",
            hint="roll it back where it was made",
        )
    stepper = Stepper(name, store, Recency(), HeuristicCounter(), (), tries=1)
    return run_sync(stepper.rollback(store.load(name, target.oid))).value.record
