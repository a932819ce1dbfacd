"""The rule by which `verify` judges a workflow's run: its states must be the fold of its events."""

from __future__ import annotations

from relay_git import canonical, names
from relay_git.chain import chain
from relay_git.chain.chain import Step
from relay_git.chain.verify import Past, Rule
from relay_git.errors import RelayError
from relay_git.git.store import Store
from relay_git.workflow import divergence, runs
from relay_git.workflow.machine import Advance, Rerun, Resolve, Rollback, State, transition
from relay_git.workflow.model import Workflow, workflow_from_json

_PREFIX = names.artifact_path("")


def rule(store: Store) -> Rule:
    """What is wrong with a step's state or role, or None."""
    workflows: dict[str, Workflow] = {}

    def check(past: Past, step: Step) -> str | None:
        try:
            workflow = _workflow(store, step, workflows)
            return _state(workflow, past, step) or _role(workflow, past, step)
        except RelayError as error:
            return f"{names.STEP_RECORD}: {error.what}"

    return check


def _workflow(store: Store, step: Step, known: dict[str, Workflow]) -> Workflow:
    digest = step.envelope.files.get(names.WORKFLOW_RECORD, "")
    if digest not in known:
        data = chain.read_file(store, step, names.WORKFLOW_RECORD) or b""
        record = canonical.loads(data, names.WORKFLOW_RECORD)
        known[digest] = workflow_from_json(record, names.WORKFLOW_RECORD)
    return known[digest]


def _state(workflow: Workflow, past: Past, step: Step) -> str | None:
    if past.parent and _frozen(step) != _frozen(past.parent):
        return "its definition is not the one that the run started with"
    said = runs.state_of(step)
    last = runs.state_of(past.parent) if past.parent else None
    earlier = _earlier(past, said)
    if earlier is None:
        return None
    artifacts = {
        path.removeprefix(_PREFIX): digest
        for path, digest in step.envelope.files.items()
        if path.startswith(_PREFIX)
    }
    folded, _ = transition(workflow, last, said.event, artifacts, earlier)
    return None if folded == said else f"{names.STEP_RECORD}: its state does not follow"


def _earlier(past: Past, said: State) -> dict[int | str, State] | None:
    """The states that the step could go back to; None where a shallow clone lacks the one."""
    if not isinstance(said.event, Rollback | Resolve):
        return {}
    known = divergence.by_name(past.steps())
    if said.event.to not in known and past.is_cut():
        return None
    return {name: runs.state_of(step) for name, step in known.items()}


def _frozen(step: Step) -> dict[str, str]:
    return {p: d for p, d in step.envelope.files.items() if not p.startswith(_PREFIX)}


def _role(workflow: Workflow, past: Past, step: Step) -> str | None:
    """The role that acted is the one whose stage the step left."""
    acted = None
    if past.parent and isinstance(runs.state_of(step).event, Advance | Rerun):
        acted = workflow.role_of(runs.state_of(past.parent).stage)
    if step.envelope.role != (acted.name if acted else None):
        return f"{names.STEP_RECORD}: names another role than the stage's"
    return None
