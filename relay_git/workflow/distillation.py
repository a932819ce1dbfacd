"""Distil the lessons of history: what is new since the last time, or everything.

`refs/relay-local/distilled/<YYYY-MM>` remembers how far this clone has come in each month, so
that a second time costs reading two sets of refs, however long the history is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from relay_git import names
from relay_git.chain import history
from relay_git.chain.history import Filing
from relay_git.errors import Conflict
from relay_git.git.notes import read_note, update_note
from relay_git.git.store import Move
from relay_git.lessons import index, provenance
from relay_git.lessons.distill import DISTILLER
from relay_git.lessons.keep import lesson_path
from relay_git.lessons.model import Lesson
from relay_git.lessons.shelf import Delivery, Shelf, deliver
from relay_git.names import Oid
from relay_git.record import Record
from relay_git.workflow.delivery import render_index
from relay_git.workflow.settle import lessons_of
from relay_git.workspace import Workspace

Progress = Callable[[int], None]
"""Told how many runs have been read so far."""


class Distilled(Record):
    """`runs` were read; `lessons` are theirs; `changed` names the files that differ now."""

    runs: int
    lessons: tuple[Lesson, ...]
    delivery: Delivery
    index_changed: bool

    @property
    def changed(self) -> tuple[str, ...]:
        return self.delivery.written + ((names.LESSONS_INDEX,) if self.index_changed else ())


def distil_history(ws: Workspace, *, everything: bool, progress: Progress) -> Distilled:
    """Write the lessons of new runs (of all, on request) and bring LESSONS.md up to date.

    A run that somebody has settled is not distilled again unless everything is: its lessons came
    with a pull request, and may have gone with one.
    """
    tips = history.months(ws.store)
    filings = list(_all(ws, tips) if everything else _unsettled(ws, tips))
    lessons = _distil(ws, filings, progress)
    delivery = deliver(ws.worktree, lessons, Shelf.load(ws.worktree, ws.cache_dir))
    _remember(ws, tips)
    return Distilled(len(filings), lessons, delivery, render_index(ws))


def preview(ws: Workspace, *, everything: bool, progress: Progress) -> Distilled:
    """What `distil_history` would do, without doing it."""
    tips = history.months(ws.store)
    filings = list(_all(ws, tips) if everything else _unsettled(ws, tips, note=False))
    lessons = _distil(ws, filings, progress)
    shelf = Shelf.load(ws.worktree, ws.cache_dir)
    missing = [lesson for lesson in lessons if not shelf.knows(lesson)]
    counts = provenance.occurrences(ws.store, ws.cache_dir).counts
    stale = bool(missing) or index.index_would_change(ws.worktree, shelf, counts)
    paths = tuple(sorted({lesson_path(lesson) for lesson in missing}))
    return Distilled(len(filings), lessons, Delivery(written=paths), stale)


def _distil(ws: Workspace, filings: list[Filing], progress: Progress) -> tuple[Lesson, ...]:
    found: list[Lesson] = []
    for done, filing in enumerate(filings, start=1):
        found += lessons_of(ws, filing.tip)
        progress(done)
    return tuple(found)


def _all(ws: Workspace, tips: dict[str, Oid]) -> Iterator[Filing]:
    for tip in tips.values():
        yield from reversed(list(history.filings(ws.store, tip)))


def _unsettled(ws: Workspace, tips: dict[str, Oid], note: bool = True) -> Iterator[Filing]:
    """Filed since the last time and settled by nobody; noted as settled now."""
    for month, tip in tips.items():
        since = ws.store.ref(names.distilled_ref(month))
        if tip == since:
            continue
        for filing in reversed(list(history.filings(ws.store, tip, since))):
            if provenance.is_settled(read_note(ws.store, names.notes_ref(month), filing.tip)):
                continue
            if note:
                _note(ws, filing)
            yield filing


def _note(ws: Workspace, filing: Filing) -> None:
    content = provenance.note_lines(filing.run, lessons_of(ws, filing.tip), DISTILLER)
    who = ws.store.commit(filing.tip).committer

    update_note(
        ws.store,
        names.notes_ref(filing.run.month),
        filing.tip,
        lambda before: provenance.settled_once(before, content),
        who,
        f"settle {filing.run}\n",
    )


def _remember(ws: Workspace, tips: dict[str, Oid]) -> None:
    """Another process that was quicker has come at least as far."""
    for month, tip in tips.items():
        ref = names.distilled_ref(month)
        before = ws.store.ref(ref)
        if before == tip:
            continue
        try:
            ws.store.move(Move(ref, before, tip))
        except Conflict:
            continue
