"""Distil the lessons of history: what is new since the last time, or everything.

`refs/relay-local/distilled/<YYYY-MM>` remembers how far this clone has come in each month, so
that a second time costs reading two sets of refs, however long the history is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

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
from relay_git.workflow import reviews
from relay_git.workflow.delivery import render_index
from relay_git.workflow.settle import lessons_of
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.workflow.rewording import Rewording

Progress = Callable[[int], None]
"""Told how many runs have been read so far."""

Read = tuple[Filing, tuple[Lesson, ...]]
"""A run that was read, and its lessons."""


class Distilled(Record):
    """`runs` were read; `lessons` are theirs; `changed` names the files that differ now."""

    runs: int
    lessons: tuple[Lesson, ...]
    delivery: Delivery
    index_changed: bool

    @property
    def changed(self) -> tuple[str, ...]:
        return self.delivery.written + ((names.LESSONS_INDEX,) if self.index_changed else ())


def distil_history(
    ws: Workspace,
    *,
    everything: bool,
    progress: Progress,
    rewording: Rewording | None = None,
) -> Distilled:
    """Write the lessons of new runs (of all, on request) and bring LESSONS.md up to date.

    A run that somebody has settled is not distilled again unless everything is: its lessons came
    with a pull request, and may have gone with one. `rewording` words the claims of lessons that
    have no file yet; which lessons there are is the same with and without it.
    """
    tips = history.months(ws.store)
    filings = list(_all(ws, tips) if everything else _unsettled(ws, tips))
    shelf = Shelf.load(ws.worktree, ws.cache_dir)
    found = _distil(ws, filings, progress)
    if rewording:
        found = [_worded(ws, rewording, shelf, *read) for read in found]
    for filing, lessons in () if everything else found:
        _note(ws, filing, lessons)
    delivery = deliver(ws.worktree, _all_of(found), shelf)
    _remember(ws, tips)
    return Distilled(len(filings), _all_of(found), delivery, render_index(ws))


def preview(ws: Workspace, *, everything: bool, progress: Progress) -> Distilled:
    """What `distil_history` would do, without doing it."""
    tips = history.months(ws.store)
    filings = list(_all(ws, tips) if everything else _unsettled(ws, tips))
    lessons = _all_of(_distil(ws, filings, progress))
    shelf = Shelf.load(ws.worktree, ws.cache_dir)
    missing = [lesson for lesson in lessons if not shelf.knows(lesson)]
    counts = provenance.occurrences(ws.store, ws.cache_dir).counts
    stale = bool(missing) or index.index_would_change(ws.worktree, shelf, counts)
    paths = tuple(sorted({lesson_path(lesson) for lesson in missing}))
    return Distilled(len(filings), lessons, Delivery(written=paths), stale)


def _distil(ws: Workspace, filings: Iterable[Filing], progress: Progress) -> list[Read]:
    found = []
    for done, filing in enumerate(filings, start=1):
        found.append((filing, lessons_of(ws, filing.tip)))
        progress(done)
    return found


def _worded(
    ws: Workspace,
    rewording: Rewording,
    shelf: Shelf,
    filing: Filing,
    lessons: tuple[Lesson, ...],
) -> Read:
    """A lesson that has a file is not asked about: files are written once."""
    new = [lesson for lesson in lessons if not shelf.knows(lesson)]
    better = rewording.lessons(new, reviews.touched(ws.store, filing.tip))
    by_id = {lesson.id: lesson for lesson in better}
    return filing, tuple(by_id.get(lesson.id, lesson) for lesson in lessons)


def _all_of(found: Iterable[Read]) -> tuple[Lesson, ...]:
    return tuple(lesson for _, lessons in found for lesson in lessons)


def _all(ws: Workspace, tips: dict[str, Oid]) -> Iterator[Filing]:
    for tip in tips.values():
        yield from reversed(list(history.filings(ws.store, tip)))


def _unsettled(ws: Workspace, tips: dict[str, Oid]) -> Iterator[Filing]:
    """Filed since the last time and settled by nobody."""
    for month, tip in tips.items():
        since = ws.store.ref(names.distilled_ref(month))
        if tip == since:
            continue
        for filing in reversed(list(history.filings(ws.store, tip, since))):
            if not provenance.is_settled(read_note(ws.store, names.notes_ref(month), filing.tip)):
                yield filing


def _note(ws: Workspace, filing: Filing, lessons: Iterable[Lesson]) -> None:
    content = provenance.note_lines(filing.run, lessons, DISTILLER)
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
