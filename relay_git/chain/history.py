"""History: one ref a month, whose tree holds every finished run under `<DD>/<run-id>/`.

Each filing commit has the history before it as its first parent and the run's tip as its second,
so every step ever made stays reachable. A month begins with the same empty root commit in every
clone, and filing commits carry the identity and time of the run's last step: the same run filed
on the same history is the same commit wherever it is done.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator

from relay_git import names
from relay_git.chain.chain import Step
from relay_git.errors import Corrupt, InvalidName, RelayError
from relay_git.git.store import TREE, Commit, Ident, Move, Store, TreeEntry
from relay_git.git.trees import edit_tree, read_path
from relay_git.names import Oid, RefName, RunId
from relay_git.record import Record

_NAME, _EMAIL = "git-relay", "history@git-relay.invalid"


class Filing(Record):
    """One filing commit: which run, and its last step."""

    oid: Oid
    run: RunId
    tip: Oid


def filing_move(store: Store, tip: Step, status: str) -> Move | None:
    """Write the filing of a finished run; the ref move that makes it so, None if it is filed."""
    run = tip.envelope.run
    ref = names.history_ref(run.month)
    before = store.ref(ref)
    parent = before or store.put_commit(_root(store, run.month))
    tree = store.commit(parent).tree
    path = names.history_path(run)
    if read_path(store, tree, path):
        return None
    edited = edit_tree(store, tree, {path: (TREE, tip.commit.tree)})
    if edited is None:
        raise AssertionError("a month with a run in it is not empty")
    who = tip.commit.committer
    message = f"file {run}: {status}\n\n{names.TRAILER_RUN}: {run}\n"
    filing = Commit(edited, (parent, tip.oid), who, who, message)
    return Move(ref, before, store.put_commit(filing))


def months(store: Store) -> dict[str, Oid]:
    """The tip of each month's history, oldest first."""
    found = store.refs(names.HISTORY)
    return {ref.removeprefix(names.HISTORY): tip for ref, tip in found.items()}


def filed_runs(store: Store) -> list[RunId]:
    """Every filed run, oldest first."""
    runs = []
    for tip in months(store).values():
        for day in store.tree(store.commit(tip).tree):
            if day.is_tree:
                runs += [_run_id(entry) for entry in store.tree(day.oid) if entry.is_tree]
    return sorted(run for run in runs if run)


def filings(store: Store, tip: Oid, since: Oid | None = None) -> Iterator[Filing]:
    """The filing commits of a month, newest first, back to `since` (left out) or to its root."""
    oid: Oid | None = tip
    while oid is not None and oid != since:
        commit = store.commit(oid)
        if len(commit.parents) > 1:
            yield Filing(oid, _filed_run(oid, commit), commit.parents[1])
        oid = commit.parents[0] if commit.parents else None


def tip_of(store: Store, run: RunId) -> Oid:
    """The last step of a filed run."""
    month = store.ref(names.history_ref(run.month))
    for filing in filings(store, month) if month else ():
        if filing.run == run:
            return filing.tip
    raise RelayError(f"the run {run} is not in the history", hint="see `git relay runs --all`")


def is_filed(store: Store, run: RunId) -> bool:
    month = store.ref(names.history_ref(run.month))
    if month is None:
        return False
    return read_path(store, store.commit(month).tree, names.history_path(run)) is not None


def run_ref_deletion(store: Store, run: RunId, tip: Oid) -> Move | None:
    ref: RefName = names.run_ref(run)
    return Move(ref, tip, None) if store.ref(ref) == tip else None


def _root(store: Store, month: str) -> Commit:
    year, number = (int(part) for part in month.split("-"))
    start = calendar.timegm((year, number, 1, 0, 0, 0))
    who = Ident(_NAME, _EMAIL, start)
    return Commit(store.put_tree(()), (), who, who, f"history of {month}\n")


def _filed_run(oid: Oid, commit: Commit) -> RunId:
    last = commit.message.rstrip("\n").rpartition("\n")[2]
    key, _, value = last.partition(": ")
    if key != names.TRAILER_RUN:
        raise Corrupt("not a filing commit: it names no run", where=str(oid))
    return RunId(value)


def _run_id(entry: TreeEntry) -> RunId | None:
    try:
        return RunId(entry.name)
    except InvalidName:
        return None
