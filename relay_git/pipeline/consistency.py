"""The rule by which `verify` judges a pipeline's run: each step does what its event says."""

from __future__ import annotations

from collections.abc import Mapping

from relay_git import names
from relay_git.chain.chain import Step, read_step
from relay_git.chain.verify import Past, Rule
from relay_git.errors import RelayError
from relay_git.git.store import Store
from relay_git.pipeline.state import Event, state_of


def rule(store: Store) -> Rule:
    """What is wrong with a step's state, or None."""

    def check(past: Past, step: Step) -> str | None:
        try:
            wrong = _state(past, step) or _rejected(store, step)
        except RelayError as error:
            wrong = error.what
        return f"{names.STEP_RECORD}: {wrong}" if wrong else None

    return check


def _state(past: Past, step: Step) -> str | None:
    """The first of these that does not hold.

    1. a run starts once, and a step of it stays with its pipeline, role and budget
    2. only an accepted output costs anything   3. a rollback has the sections of its target
    """
    state, parent, event = state_of(step), past.parent, state_of(step).event
    if (event.kind == "start") is not (parent is None) or event.kind == "output":
        return f"a {event.kind} where none can be"
    if step.envelope.role != event.agent:
        return "names another role than its agent"
    if parent is None:
        return "a run starts with nothing used" if step.envelope.budget_used else None
    if state_of(parent).pipeline != state.pipeline:
        return "belongs to another pipeline"
    return _budget(parent, step, event) or _sections(past, step, event)


def _budget(parent: Step, step: Step, event: Event) -> str | None:
    cost = event.slice_tokens + event.output_tokens if event.kind == "step" else 0
    used, total = parent.envelope.budget_used + cost, parent.envelope.budget_total
    if (step.envelope.budget_used, step.envelope.budget_total) != (used, total):
        return "its budget does not follow"
    return "over the budget" if total is not None and used > total else None


def _sections(past: Past, step: Step, event: Event) -> str | None:
    if event.kind != "rollback":
        return None
    target = [known for known in past.steps() if known.envelope.step == event.to]
    if not target and past.is_cut():
        return None
    if any(_files(known) == _files(step) for known in target if not known.is_merge):
        return None
    return f"its sections are not those of step {event.to}"


def _rejected(store: Store, step: Step) -> str | None:
    """What a rollback keeps is the output that it names."""
    kept, digest = step.commit.parents[1:], state_of(step).event.rejected
    found = [read_step(store, oid).digest for oid in kept]
    return None if found == ([digest] if digest else []) else "keeps another output than it names"


def _files(step: Step) -> Mapping[str, str]:
    return step.envelope.files
