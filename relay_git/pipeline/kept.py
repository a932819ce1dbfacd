"""Outputs that hang beside a step: second parents of its commit, which its record names."""

from __future__ import annotations

from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.stepstore import StepStore


def rejected_of(store: StepStore, step: Snapshot) -> Snapshot:
    """The output that a rollback step keeps. Raises `PipelineError` (NO_SUCH_STEP, TAMPERED)."""
    digest = step.event.rejected
    if digest is None:
        raise PipelineError(Code.NO_SUCH_STEP, f"step {step.step} keeps no rejected output")
    kept = store.load(step.state.pipeline, step.record.commit.parents[1])
    if kept.record.digest != digest:
        raise PipelineError(Code.TAMPERED, f"step {step.step} keeps another output than it says")
    return kept


def forks_of(store: StepStore, step: Snapshot) -> dict[str, Snapshot]:
    """The outputs that a join is made of, by fork. Raises `PipelineError` (NO_SUCH_STEP,
    TAMPERED)."""
    if step.event.join is None:
        raise PipelineError(Code.NO_SUCH_STEP, f"step {step.step} joins no forks")
    receipts = [receipt for receipt in step.event.join.forks if receipt.output]
    parents = step.record.commit.parents[2 if step.event.rejected else 1 :]
    kept = [store.load(step.state.pipeline, oid) for oid in parents]
    if [one.record.digest for one in kept] != [receipt.output for receipt in receipts]:
        raise PipelineError(Code.TAMPERED, f"step {step.step} keeps other outputs than it says")
    return {receipt.fork: one for receipt, one in zip(receipts, kept, strict=True)}
