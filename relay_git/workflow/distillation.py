"""Distil the lessons of history: what is new since the last time, or everything.

`refs/relay-local/distilled/<YYYY-MM>` remembers how far this clone has come in each month, so
that a second time costs reading two sets of refs, however long the history is. What reads reviews
is imported where there are some: that takes longer than all else here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from relay_git import names
from relay_git.chain import history
from relay_git.chain.history import Filing
from relay_git.errors import Conflict
from relay_git.git.bulk import BulkStore, fetch_notes
from relay_git.git.notes import note_in, notes_move
from relay_git.git.refs import retrying
from relay_git.git.store import Move
from relay_git.lessons import index, provenance
from relay_git.lessons.keep import lesson_path
from relay_git.lessons.model import Lesson
from relay_git.lessons.occurrences import occurrences
from relay_git.lessons.shelf import Delivery, Shelf, deliver
from relay_git.names import Oid
from relay_git.record import Record
from relay_git.workflow.delivery import render_index
from relay_git.workspace import Workspace

if TYPE_CHECKING:
    from relay_git.workflow.harvest import Taught
    from relay_git.workflow.rewording import Rewording

Progress = Callable[[int], None]
"""Told how many runs have been read so far."""

Read: TypeAlias = "tuple[Filing, Taught]"
"""A run that was read, and what it taught."""


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
    months = _months(ws)
    found = _distil(ws, months, everything, progress)
    shelf = Shelf.load(ws.worktree, ws.cache_dir)
    if rewording:
        found = [(filing, _worded(rewording, shelf, taught)) for filing, taught in found]
    lessons = _all_of(found)
    delivery = deliver(ws.worktree, lessons, shelf)
    if not everything:
        _note(ws, found)
    _remember(ws, months)
    rendered = render_index(ws, None if delivery.written else shelf)
    return Distilled(len(found), lessons, delivery, rendered)


def preview(ws: Workspace, *, everything: bool, progress: Progress) -> Distilled:
    """What `distil_history` would do, without doing it."""
    found = _distil(ws, _months(ws), everything, progress)
    lessons = _all_of(found)
    shelf = Shelf.load(ws.worktree, ws.cache_dir)
    missing = [lesson for lesson in lessons if not shelf.knows(lesson)]
    counts = occurrences(ws.store, ws.cache_dir)
    stale = bool(missing) or index.index_would_change(ws.worktree, shelf, counts)
    paths = tuple(sorted({lesson_path(lesson) for lesson in missing}))
    return Distilled(len(found), lessons, Delivery(written=paths), stale)


class _Month(Record):
    """A month's history: where it stands, and how far this clone has distilled it."""

    name: str
    tip: Oid
    since: Oid | None


def _months(ws: Workspace) -> list[_Month]:
    refs = ws.store.refs(names.HISTORY, names.DISTILLED)
    tips = {ref.removeprefix(names.HISTORY): ref for ref in refs if ref.startswith(names.HISTORY)}
    return [
        _Month(name, refs[ref], refs.get(names.distilled_ref(name))) for name, ref in tips.items()
    ]


def _distil(
    ws: Workspace, months: Sequence[_Month], everything: bool, progress: Progress
) -> list[Read]:
    if not everything and all(month.tip == month.since for month in months):
        return []
    from relay_git.workflow.harvest import harvest

    filings: list[Filing] = []

    def found() -> Iterator[Oid]:
        for month in months:
            for filing in _filings(ws, month, everything):
                filings.append(filing)
                yield filing.tip

    taught = harvest(ws.repo, found(), progress)
    return list(zip(filings, taught, strict=True))


def _filings(ws: Workspace, month: _Month, everything: bool) -> list[Filing]:
    """Oldest first: all, or those filed since the last time and settled by nobody."""
    if everything:
        return list(history.filings(ws.store, month.tip))[::-1]
    if month.tip == month.since:
        return []
    filings = list(history.filings(ws.store, month.tip, month.since))[::-1]
    settled = _settled(ws, month, [filing.tip for filing in filings])
    return [filing for filing in filings if filing.tip not in settled]


def _worded(rewording: Rewording, shelf: Shelf, taught: Taught) -> Taught:
    """A lesson that has a file is not asked about: files are written once."""
    new = [lesson for lesson in taught.lessons if not shelf.knows(lesson)]
    by_id = {lesson.id: lesson for lesson in rewording.lessons(new, taught.touched)}
    better = tuple(by_id.get(lesson.id, lesson) for lesson in taught.lessons)
    return taught.replace(lessons=better)


def _all_of(found: Iterable[Read]) -> tuple[Lesson, ...]:
    return tuple(lesson for _, taught in found for lesson in taught.lessons)


def _settled(ws: Workspace, month: _Month, tips: Sequence[Oid]) -> set[Oid]:
    """Which of these runs have the note that says so."""
    notes = ws.store.ref(names.notes_ref(month.name))
    if notes is None:
        return set()
    store = BulkStore(ws.store)
    tree = store.commit(notes).tree
    fetch_notes(store, tree, tips)
    settled = {tip for tip in tips if provenance.is_settled(note_in(store, tree, tip))}
    store.close()
    return settled


def _note(ws: Workspace, found: Iterable[Read]) -> None:
    """One commit of notes a month."""
    for month, runs in groupby(found, key=lambda read: read[0].run.month):
        retrying(partial(_note_month, ws, month, list(runs)))


def _note_month(ws: Workspace, month: str, found: Sequence[Read]) -> None:
    from relay_git.lessons.distill import DISTILLER

    contents = {
        filing.tip: provenance.note_lines(filing.run, taught.lessons, DISTILLER)
        for filing, taught in found
    }
    changes = {tip: partial(_settle_once, content) for tip, content in contents.items()}
    last = found[-1][0]
    who = ws.store.commit(last.tip).committer
    message = f"settle {last.run}" + (f" and {len(found) - 1} more" if len(found) > 1 else "")
    store = BulkStore(ws.store)
    move = notes_move(store, names.notes_ref(month), changes, who, f"{message}\n")
    if move:
        ws.store.move(move)


def _settle_once(content: bytes, before: bytes | None) -> bytes:
    return provenance.settled_once(before, content)


def _remember(ws: Workspace, months: Iterable[_Month]) -> None:
    """Another process that was quicker has come at least as far."""
    moves = [
        Move(names.distilled_ref(month.name), month.since, month.tip)
        for month in months
        if month.tip != month.since
    ]
    if not moves:
        return
    try:
        ws.store.move(*moves)
    except Conflict:
        for move in moves:
            with suppress(Conflict):
                ws.store.move(move)
