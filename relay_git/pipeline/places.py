"""Where steps belong: a signed one is not therefore the last of a run, or what a fork said."""

from __future__ import annotations

from relay_git import names
from relay_git.names import RefName, RunId, Word
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import BESIDE


def checked_last(last: Snapshot, run: RunId) -> Snapshot:
    """What the ref of that run names. Raises `PipelineError` (BROKEN_PARENT)."""
    if last.run != run:
        raise _misplaced(f"it belongs to the run {last.run}", names.run_ref(run))
    if last.event.kind in BESIDE:
        raise _misplaced(
            f"no run ends with {last.event.kind}, beside its steps", names.run_ref(run)
        )
    return last


def checked_fork(output: Snapshot, ref: RefName) -> Snapshot:
    """What the ref of a fork names. Raises `PipelineError` (BROKEN_PARENT)."""
    if output.event.kind != "fork" or fork_ref(output) != ref:
        raise _misplaced("it is no output of that fork of that step", ref)
    return output


def fork_ref(fork: Snapshot) -> RefName:
    """What keeps it until it is joined."""
    event, base = fork.event, fork.record.commit.parents[0]
    return names.fork_ref(fork.run, base, Word(event.fork or ""), event.manifest or "")


def _misplaced(what: str, ref: RefName) -> PipelineError:
    return PipelineError(Code.BROKEN_PARENT, what, where=ref)
