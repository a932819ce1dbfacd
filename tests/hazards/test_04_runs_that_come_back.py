"""Hazard 4: a merge neither drops what one side has nor brings back what the other has hidden."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from flow import call, done, make_project, tips
from support import git, repository

from relay_git.chain.union import merge_histories
from relay_git.git.notes_merge import merge_notes
from relay_git.git.open import GitStore, open_store
from relay_git.git.revisions import reaches
from relay_git.git.store import Move
from relay_git.lessons.provenance import combine
from relay_git.names import HISTORY, NOTES, Oid, RefName

NOON = 1777377600
"""2026-04-28T12:00:00Z."""

DAY = 86400
THEIRS = "refs/theirs/"


class Clones:
    """Two clones in which the same run was finished a day before."""

    def __init__(self, folder: Path, at: Callable[[int], None]) -> None:
        self.at = at
        origin = make_project(folder / "origin")
        self.old = finish(origin, at, NOON)
        for name in ("a", "b"):
            git(folder, "clone", "-q", str(origin), name)
            git(folder / name, "fetch", "-q", "origin", "refs/relay/*:refs/relay/*")
            git(folder / name, "fetch", "-q", "origin", "refs/notes/relay/*:refs/notes/relay/*")
        self.a, self.b = folder / "a", folder / "b"

    def finish(self, clone: Path, at: int) -> str:
        return finish(clone, self.at, at)


@pytest.fixture
def clones(tmp_path: Path, at: Callable[[int], None]) -> Clones:
    return Clones(tmp_path, at)


def finish(path: Path, at: Callable[[int], None], seconds: int) -> str:
    """A run that is begun and given up at that time; its id."""
    at(seconds)
    before = set(listed(path))
    done(path, "start")
    done(path, "abandon")
    (run,) = set(listed(path)) - before
    return run


def listed(path: Path) -> list[str]:
    return [item["run"] for item in json.loads(done(path, "runs", "--all", "--json"))]


def take(clone: Path, other: Path) -> None:
    """Merge into a clone what the other has, as fetching does."""
    refspecs = ["+refs/relay/*", "+refs/notes/relay/*"]
    mirrored = [f"{spec}:{THEIRS}{spec.removeprefix('+refs/')}" for spec in refspecs]
    git(clone, "fetch", "-q", str(other), *mirrored)
    store = open_store(repository(clone))
    for ref, theirs in store.refs(THEIRS).items():
        ours = RefName("refs/" + ref.removeprefix(THEIRS))
        if ours.startswith((HISTORY, NOTES)):
            before = store.ref(ours)
            store.move(Move(ours, before, merged(store, ours, before, theirs)))
    store.close()


def merged(store: GitStore, ref: RefName, ours: Oid | None, theirs: Oid) -> Oid:
    if ours is None or reaches(store.repo, theirs, ours):
        return theirs
    if reaches(store.repo, ours, theirs):
        return ours
    if ref.startswith(HISTORY):
        return merge_histories(store, ours, theirs)
    return merge_notes(store, ours, theirs, combine)


def shared(path: Path) -> dict[str, str]:
    return {ref: tip for ref, tip in tips(path).items() if ref.startswith((HISTORY, NOTES))}


@pytest.mark.parametrize("first", ["a", "b"])
def test_what_each_added_and_hid_is_there_in_both_in_either_order(
    clones: Clones, first: str
) -> None:
    a, b = (clones.a, clones.b) if first == "a" else (clones.b, clones.a)
    mine = clones.finish(clones.a, NOON + DAY)
    theirs = clones.finish(clones.b, NOON + 2 * DAY)
    assert f"hid {clones.old}" in done(clones.b, "prune", "--keep", "1")
    take(a, b)
    take(b, a)
    assert shared(a) == shared(b)
    for clone in (a, b):
        assert listed(clone) == [mine, theirs]
        git(clone, "fsck", "--strict", "--no-dangling")
    before = shared(a)
    take(a, b)
    take(b, a)
    assert shared(a) == shared(b) == before


def test_a_week_offline_brings_nothing_back(clones: Clones) -> None:
    """The clone that was away still has the run, and merges its own on top of it."""
    done(clones.a, "prune", "--keep", "0")
    new = [clones.finish(clones.b, NOON + number * DAY) for number in range(1, 8)]
    take(clones.b, clones.a)
    take(clones.a, clones.b)
    assert shared(clones.a) == shared(clones.b)
    assert listed(clones.a) == listed(clones.b) == sorted(new)
    assert f"the run {clones.old} is pruned" in call(clones.b, "show", clones.old).err


def test_both_merging_at_once_make_one_commit_and_no_merge_of_merges(clones: Clones) -> None:
    clones.finish(clones.a, NOON + DAY)
    clones.finish(clones.b, NOON + DAY + 60)
    git(clones.a, "fetch", "-q", str(clones.b), "+refs/relay/history/*:refs/theirs/relay/history/*")
    before = git(clones.a, "for-each-ref", "--format=%(objectname)", "refs/theirs")
    take(clones.b, clones.a)
    store = open_store(repository(clones.a))
    (ref,) = store.refs(HISTORY)
    ours = store.ref(ref)
    assert ours
    assert merge_histories(store, ours, Oid(before)) == shared(clones.b)[ref]
    store.close()
