"""The rule by which `verify` judges a pipeline's run: each step does what its event says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relay_git import names
from relay_git.chain.chain import Step, read_step
from relay_git.chain.inspection import check_content
from relay_git.chain.verify import Past, Rule
from relay_git.errors import MissingObject, RelayError
from relay_git.git.store import Store
from relay_git.pipeline.join import Candidate, JoinStrategy, decide
from relay_git.pipeline.state import BESIDE, ENDS, OPEN, Event, Joined, Receipt, state_of


def rule(store: Store) -> Rule:
    """What is wrong with a step's state, or None."""

    def check(past: Past, step: Step) -> str | None:
        try:
            wrong = _state(past, step) or _kept(store, step)
        except MissingObject as error:
            wrong = None if past.is_cut() else error.what
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
    if (event.kind == "start") is not (parent is None) or event.kind in BESIDE:
        return f"a {event.kind} where none can be"
    if state.status != ENDS.get(event.kind, OPEN):
        return f"is {state.status} with the event {event.kind}"
    if step.envelope.role != event.agent:
        return "names another role than its agent"
    if parent is None:
        return "a run starts with nothing used" if step.envelope.budget_used else None
    if state_of(parent).pipeline != state.pipeline:
        return "belongs to another pipeline"
    if state_of(parent).finished:
        return "follows the last step of its run"
    return _budget(parent, step, event) or _sections(past, step, event)


def _budget(parent: Step, step: Step, event: Event) -> str | None:
    used, total = parent.envelope.budget_used + _cost(event), parent.envelope.budget_total
    if (step.envelope.budget_used, step.envelope.budget_total) != (used, total):
        return "its budget does not follow"
    return "over the budget" if total is not None and used > total else None


def _cost(event: Event) -> int:
    if event.join and event.kind == "join":
        accepted = (receipt for receipt in event.join.forks if receipt.outcome == "accepted")
        return sum(receipt.slice_tokens + receipt.output_tokens for receipt in accepted)
    return event.slice_tokens + event.output_tokens if event.kind == "step" else 0


def _sections(past: Past, step: Step, event: Event) -> str | None:
    if event.kind in ENDS and past.parent and _files(past.parent) != _files(step):
        return "changes a section where the run ends"
    if event.kind != "rollback":
        return None
    target = [known for known in past.steps() if known.envelope.step == event.to]
    if not target and past.is_cut():
        return None
    if any(_files(known) == _files(step) for known in target if not known.is_merge):
        return None
    return f"its sections are not those of step {event.to}"


def _kept(store: Store, step: Step) -> str | None:
    """What hangs beside it are the outputs that it names, and a join is what they give."""
    event = state_of(step).event
    receipts = [receipt for receipt in event.join.forks if receipt.output] if event.join else []
    named = [event.rejected] if event.rejected else []
    joined = [*named, *(receipt.output for receipt in receipts)]
    found = [read_step(store, oid) for oid in step.commit.parents[1:]]
    if [kept.digest for kept in found] != [*joined, *event.waiting]:
        return "keeps another output than it names"
    forks = found[len(named) : len(joined)]
    if wrong := _beside(step, found, found[len(named) :], forks) or _told(step, forks, receipts):
        return wrong
    for kept in found:
        check_content(store, kept)
    if event.kind == "join" and event.join:
        return _joined(store, step, event.join, dict(zip(receipts, found, strict=True)))
    return None


def _beside(
    step: Step, found: Sequence[Step], forks: Sequence[Step], joined: Sequence[Step]
) -> str | None:
    """Each is the output of an agent of this run, and forks that are joined started from one
    step."""
    kinds = [*("output" for _ in found[len(forks) :]), *("fork" for _ in forks)]
    if [state_of(kept).event.kind for kept in found] != kinds:
        return "keeps what is no output"
    if any(kept.envelope.run != step.envelope.run for kept in found):
        return "keeps the output of another run"
    return (
        "joins forks of different steps" if len({f.envelope.parent for f in joined}) > 1 else None
    )


def _told(step: Step, forks: Sequence[Step], receipts: Sequence[Receipt]) -> str | None:
    """The receipts say what the forks say of themselves; whether they still hold, and how far,
    can be another thing where others made steps meanwhile."""
    for fork, receipt in zip(forks, receipts, strict=True):
        event = state_of(fork).event
        straight = fork.envelope.parent == step.envelope.parent
        same = ("agent", "manifest", "slice_tokens", "output_tokens", *["confidence"] * straight)
        if receipt.fork != event.fork or any(
            getattr(receipt, field) != getattr(event, field) for field in same
        ):
            return f"says otherwise of the fork {receipt.fork} than its output does"
    return None


def _joined(store: Store, step: Step, join: Joined, outputs: Mapping[Receipt, Step]) -> str | None:
    """Its sections are those of the step before it, with the changes that its strategy takes."""
    first = join.strategy is JoinStrategy.FIRST_WINS
    candidates = [
        Candidate(receipt.fork, _files(output), receipt.confidence)
        for receipt, output in outputs.items()
        if receipt.outcome == "accepted" and (not first or receipt.fork in join.chosen)
    ]
    if not candidates:
        return "joins no output that was accepted"
    base = _files(read_step(store, next(iter(outputs.values())).parents[0]))
    decision = decide(join.strategy, base, candidates)
    after = {**_files(read_step(store, step.parents[0])), **decision.changes}
    wanted = {path: digest for path, digest in after.items() if digest is not None}
    if decision.conflicts or decision.chosen != join.chosen or wanted != _files(step):
        return f"its sections are not what {join.strategy} gives of its forks"
    return None


def _files(step: Step) -> Mapping[str, str]:
    return step.envelope.files
