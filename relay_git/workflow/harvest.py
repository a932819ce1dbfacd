"""What many runs taught, read by several processes where there is enough to do.

A share of them is read in a few bulk reads. Who reads it does not matter, for the lessons
of a run depend on nothing but the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from relay_git.git.bulk import BulkStore
from relay_git.git.open import open_store
from relay_git.git.repo import Repository
from relay_git.lessons.model import Lesson
from relay_git.names import TRAILER_VERDICT, Oid
from relay_git.parallel import by_shares
from relay_git.record import Record
from relay_git.workflow import reviews

Progress = Callable[[int], None]
"""Told how many runs have been read so far."""

_SHARE = 250


class Taught(Record):
    """The lessons of a run, and the paths that its code commits touched."""

    lessons: tuple[Lesson, ...]
    touched: tuple[str, ...]


def harvest(repo: Repository, tips: Iterable[Oid], progress: Progress) -> list[Taught]:
    """What each run taught, by the last steps of the runs, in their order."""
    found: list[Taught] = []
    for taught in by_shares(partial(_read, repo), tips, _SHARE):
        found += taught
        progress(len(found))
    return found


def _read(repo: Repository, tips: Sequence[Oid]) -> list[Taught]:
    store = BulkStore(open_store(repo))
    try:
        _fetch_chains(store, tips)
        outlines = [reviews.outline(store, tip) for tip in tips]
        store.fetch(text for outline in outlines for text in outline.texts)
        return [Taught(reviews.lessons_of(store, it), it.touched) for it in outlines]
    finally:
        store.close()


def _fetch_chains(store: BulkStore, tips: Sequence[Oid]) -> None:
    """Each step's record and the workflow, and the trees of the artifacts that will be looked at:
    those that a run began with, and those that came with a verdict."""
    commits = [store.commit(oid) for oid in store.fetch_ancestry(tips)]
    trees = set(store.fetch(commit.tree for commit in commits))
    store.fetch(
        entry.oid
        for commit in commits
        if commit.tree in trees
        for entry in store.tree(commit.tree)
        if not entry.is_tree or not commit.parents or TRAILER_VERDICT in commit.message
    )
