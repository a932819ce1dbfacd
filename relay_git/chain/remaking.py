"""Make the commits of a history again, in memory, to see that they hold nothing else.

A history is trusted for what it says of itself no more than a chain is: a filing must hold the
tree of the commit before it with one run put in, a hiding one with tombstones, a merge the union.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from relay_git import names
from relay_git.chain import history
from relay_git.chain.chain import read_step
from relay_git.chain.union import MERGED, merge_histories
from relay_git.errors import Corrupt, InvalidName, RelayError
from relay_git.git.revisions import Revision
from relay_git.git.wary import WaryStore
from relay_git.names import Oid, RefName, RunId

T = TypeVar("T")

Commits = Sequence[Revision]


class Past(WaryStore):
    """The store as it was when a month's history stood where `standing` says."""

    standing: Mapping[RefName, Oid] = {}

    def ref(self, name: RefName) -> Oid | None:
        of_history = name.startswith(names.HISTORY)
        return self.standing.get(name) if of_history else super().ref(name)


def histories(listed: Mapping[Oid, Revision], tip: Oid) -> Iterator[Revision]:
    """The commits of a history among those that its tip reaches: a run's steps are none."""
    ours = {tip}
    for oid, commit in listed.items():
        if oid in ours:
            yield commit
            ours.update(commit.parents[:1] if _run_of(commit) else commit.parents)


def filed(commits: Commits) -> Iterator[tuple[RunId, Oid]]:
    """The runs that these commits file, with their tips."""
    for commit in commits:
        if run := _run_of(commit):
            yield run, commit.parents[1]


def hold_trees(store: WaryStore, commits: Commits) -> None:
    """Everything that making them again will read, but for the runs themselves."""
    there = store.fetch({oid for commit in commits for oid in (commit.oid, *commit.parents)})
    roots = store.fetch({commit.tree for commit in _read(store.commit, there)})
    days = {run.day for run, _ in filed(commits)}
    trees = _read(store.tree, roots)
    store.fetch({entry.oid for tree in trees for entry in tree if entry.name in days})


def remade(store: Past, month: str, commit: Revision) -> str | None:
    """What is wrong with one commit of a month's history; None when it is as it has to be."""
    try:
        made = _tree(store, month, commit)
    except RelayError as error:
        return error.what
    return None if made == commit.tree else "holds other runs than it files, hides or joins"


def _tree(store: Past, month: str, commit: Revision) -> Oid:
    """1. the root is empty   2. one parent: it hides   3. two: it joins, or files a run"""
    if not commit.parents:
        return store.put_tree(())
    store.standing = {names.history_ref(month): commit.parents[0]}
    if len(commit.parents) == 1:
        move = history.hiding_move(store, month, _hidden(store, commit))
    elif commit.message == MERGED:
        return store.commit(merge_histories(store, *commit.parents)).tree
    elif len(commit.parents) == 2 and (run := _run_of(commit)) and run.month == month:
        tip = read_step(store, commit.parents[1])
        move = history.filing_move(store, tip, "")
    else:
        raise Corrupt("neither files a run nor hides some nor joins two histories")
    return store.commit(move.new).tree if move and move.new else commit.parents[0]


def _hidden(store: WaryStore, commit: Revision) -> list[RunId]:
    """The runs in whose place it has a file, and the commit before it has not."""
    before = store.tree(store.commit(commit.parents[0]).tree)
    days = [day for day in store.tree(commit.tree) if day not in before and day.is_tree]
    entries = [entry for day in days for entry in store.tree(day.oid)]
    return [RunId(entry.name) for entry in entries if not entry.is_tree]


def _run_of(commit: Revision) -> RunId | None:
    """The run that a commit of a history says it files."""
    if len(commit.parents) != 2 or commit.message == MERGED:
        return None
    trailer = commit.message.rstrip("\n").rpartition("\n")[2]
    key, _, value = trailer.partition(": ")
    try:
        return RunId(value) if key == names.TRAILER_RUN else None
    except InvalidName:
        return None


def _read(read: Callable[[Oid], T], oids: Iterable[Oid]) -> list[T]:
    """Those that can be read: the others are named when they are needed."""
    found = []
    for oid in oids:
        with suppress(RelayError):
            found.append(read(oid))
    return found
