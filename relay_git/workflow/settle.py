"""Settle a finished run: file it in history, note its provenance, distil and deliver its lessons.

Filing, note and the end of the run's own ref are one transaction, ordered so that a crash inside
it leaves the history first. The mark in `pending` outlives it until the lessons are delivered.
"""

from __future__ import annotations

from relay_git import names
from relay_git.chain import chain, history
from relay_git.chain.chain import Step
from relay_git.errors import Refused, RelayError
from relay_git.git.notes import note_move
from relay_git.git.store import Move
from relay_git.lessons import provenance
from relay_git.lessons.distill import DISTILLER
from relay_git.lessons.model import Lesson
from relay_git.lessons.shelf import Delivery
from relay_git.names import RunId
from relay_git.record import Record
from relay_git.upkeep import upkeep
from relay_git.workflow import pending, reviews, runs
from relay_git.workflow.delivery import deliver_here
from relay_git.workflow.runs import Run
from relay_git.workspace import Workspace

_STALE = 60
"""Seconds after which a mark belongs to no command that is still about to write its step."""


class Settled(Record):
    """What became of a run. `delivery` is None where its lessons are not for this worktree."""

    run: RunId
    status: str
    lessons: tuple[Lesson, ...]
    delivery: Delivery | None


def settle(ws: Workspace, run: RunId, *, adopt: bool = False, render: bool = True) -> Settled:
    """Settle a run that is done or abandoned. Doing it again changes nothing.

    Lessons are delivered in the worktree and on the branch that ended the run; `adopt` delivers
    them here. A pipeline's run has none.
    """
    tip = _finished(ws, run)
    lessons = reviews.lessons_of(ws.store, reviews.outline(ws.store, tip.oid))
    history.file(ws.store, tip, runs.status_of(tip), lambda: _note_move(ws, tip, lessons))
    mine = adopt or _is_mine(ws, run)
    taught = mine and runs.is_workflow(tip)
    delivery = deliver_here(ws, run, lessons, render=render) if taught else None
    if mine:
        pending.clear(ws, run)
    runs.clear_current(ws, run)
    upkeep(ws)
    return Settled(run, runs.status_of(tip), lessons, delivery)


def settle_ended(ws: Workspace, run: Run) -> Settled:
    """Settle a run whose last step has just been made: whatever goes wrong now, that step is."""
    try:
        return settle(ws, run.id)
    except RelayError as error:
        what = f"{run.id} is {run.state.status}, but cannot be settled yet: {error.what}"
        hint = "; ".join(filter(None, (error.hint, "`git relay settle` completes it")))
        raise RelayError(what, where=error.where, hint=hint) from None


def settle_pending(ws: Workspace, *, render: bool = True) -> list[Settled]:
    """Complete what an earlier command could not; marks of runs that go on are dropped."""
    settled = []
    for run in pending.all_pending(ws):
        if _is_mine(ws, run):
            settled += _complete(ws, run, render)
    return settled


def _finished(ws: Workspace, run: RunId) -> Step:
    """The last step. Raises `Refused` if the run goes on."""
    tip = ws.store.ref(names.run_ref(run))
    if tip is None:
        tip = history.hidden_tip_of(ws.store, run) or history.tip_of(ws.store, run)
    last = chain.read_step(ws.store, tip)
    if runs.is_finished(last):
        return last
    way = "`git relay advance`" if runs.is_workflow(last) else "`Pipeline.end`"
    hint = f"finish it with {way}, or give it up with `git relay abandon`"
    if runs.status_of(last) == "diverged":
        hint = f"choose a step with `git relay resolve {run} STEP`; see `git relay log {run}`"
    raise Refused(f"the run {run} is {runs.status_of(last)}, not finished", hint=hint)


def _note_move(ws: Workspace, tip: Step, lessons: tuple[Lesson, ...]) -> Move | None:
    """A run that has been settled keeps its note: nobody distils it twice."""
    run = tip.envelope.run
    content = provenance.note_lines(run, lessons, DISTILLER)
    return note_move(
        ws.store,
        names.notes_ref(run.month),
        tip.oid,
        lambda before: provenance.settled_once(before, content),
        tip.commit.committer,
        f"settle {run}\n",
    )


def _is_mine(ws: Workspace, run: RunId) -> bool:
    mark = pending.read(ws, run)
    if mark is None:
        return False
    return (mark.worktree, mark.branch) == pending.here(ws)


def _complete(ws: Workspace, run: RunId, render: bool) -> list[Settled]:
    tip = ws.store.ref(names.run_ref(run))
    if tip is None:
        ended = history.is_filed(ws.store, run)
    else:
        ended = runs.has_ended(ws.store, tip)
    if ended:
        return [settle(ws, run, render=render)]
    if pending.age(ws, run) > _STALE:
        pending.clear(ws, run)
    return []
