"""History: one ref a month, whose tree holds every finished run under `<DD>/<run-id>/`.

Each filing commit has the history before it as its first parent and the run's tip as its second,
so every step ever made stays reachable. A month begins with the same empty root commit in every
clone, and filing commits carry the identity and time of the run's last step: the same run filed
on the same history is the same commit wherever it is done. A merge of two histories has both as
its parents. A run can be filed again, with a later tip, and it can be hidden behind a tombstone.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterable, Iterator, Mapping

from relay_git import names
from relay_git.chain.chain import Step
from relay_git.chain.union import MERGED, lateness, tombstone, winner
from relay_git.errors import Corrupt, InvalidName, RelayError
from relay_git.git.open import GitStore
from relay_git.git.refs import retrying
from relay_git.git.revisions import Revision, last_change, reaches, revisions
from relay_git.git.store import TREE, Commit, Ident, Move, Store, TreeEntry
from relay_git.git.trees import edit_tree, read_path
from relay_git.names import Oid, RefName, RunId
from relay_git.output import count
from relay_git.record import Record

_NAME, _EMAIL = "git-relay", "history@git-relay.invalid"


class Filing(Record):
    """One filing commit: which run, and its last step."""

    oid: Oid
    run: RunId
    tip: Oid


# Filing and hiding


def filing_move(store: GitStore, tip: Step, status: str) -> Move | None:
    """Write the filing of a finished run; the ref move that makes it so, None if it is filed.

    A month that has a later tip of the run, or hides it, keeps its entry: such a filing only
    makes the run's steps reachable.
    """
    run = tip.envelope.run
    ref = names.history_ref(run.month)
    before = store.ref(ref)
    parent = before or store.put_commit(_root(store, run.month))
    tree = store.commit(parent).tree
    known = read_path(store, tree, names.history_path(run))
    entry = TreeEntry(TREE, run, tip.commit.tree)
    if known and known != entry:
        entry = winner(store, known, entry)
    if known == entry and reaches(store.repo, parent, tip.oid):
        return None
    edited = edit_tree(store, tree, {names.history_path(run): (entry.mode, entry.oid)})
    if edited is None:
        raise AssertionError("a month with a run in it is not empty")
    who = tip.commit.committer
    message = f"file {run}: {status}\n\n{names.TRAILER_RUN}: {run}\n"
    filing = Commit(edited, (parent, tip.oid), who, who, message)
    return Move(ref, before, store.put_commit(filing))


def hiding_move(store: Store, month: str, runs: Iterable[RunId]) -> Move | None:
    """Write the commit that hides these runs of a month; None if they are hidden already.

    It has nobody's identity and the date of the commit before it: who hides the same runs of the
    same history makes the same commit.
    """
    ref = names.history_ref(month)
    before = store.ref(ref)
    edits = {names.history_path(run): tombstone(store, run) for run in runs}
    if before is None or not edits:
        return None
    tip = store.commit(before)
    edited = edit_tree(store, tip.tree, edits)
    if edited is None or edited == tip.tree:
        return None
    who = Ident(_NAME, _EMAIL, tip.committer.time)
    message = f"hide {count(len(edits), 'run')}\n"
    return Move(ref, before, store.put_commit(Commit(edited, (before,), who, who, message)))


def run_ref_deletion(store: Store, run: RunId, tip: Oid) -> Move | None:
    ref: RefName = names.run_ref(run)
    return Move(ref, tip, None) if store.ref(ref) == tip else None


def file(store: GitStore, tip: Step, status: str, *also: Callable[[], Move | None]) -> None:
    """File a finished run and end its ref, in one transaction: history first, then what `also`
    gives, then the ref goes, so that every prefix is a valid state."""
    run = tip.envelope.run

    def attempt() -> None:
        moves = [filing_move(store, tip, status), *(move() for move in also)]
        moves.append(run_ref_deletion(store, run, tip.oid))
        if wanted := [move for move in moves if move]:
            store.move(*wanted)

    retrying(attempt)


# What is there


def months(store: Store) -> dict[str, Oid]:
    """The tip of each month's history, oldest first."""
    found = store.refs(names.HISTORY)
    return {ref.removeprefix(names.HISTORY): tip for ref, tip in found.items()}


def filed_runs(store: Store) -> list[RunId]:
    """Every filed run that is not hidden, oldest first."""
    return sorted(run for run, entry in _all_entries(store) if entry.is_tree)


def hidden_runs(store: Store) -> list[RunId]:
    """Every run that a tombstone hides, oldest first."""
    return sorted(run for run, entry in _all_entries(store) if not entry.is_tree)


def is_filed(store: Store, run: RunId) -> bool:
    """Whether it was filed. It may be hidden since."""
    month = store.ref(names.history_ref(run.month))
    return month is not None and _entry(store, month, run) is not None


def tip_of(store: GitStore, run: RunId) -> Oid:
    """The last step of a filed run, the one that its entry shows; for a hidden run `RelayError`."""
    month = store.ref(names.history_ref(run.month))
    entry = _entry(store, month, run) if month else None
    if month is None or entry is None:
        raise RelayError(f"the run {run} is not in the history", hint="see `git relay runs --all`")
    if not entry.is_tree:
        raise RelayError(f"the run {run} is pruned")
    filing = last_change(store.repo, month, names.history_path(run)) or month
    if filing in store.repo.grafts():
        what = f"this shallow clone was cut off before the steps of {run}"
        raise RelayError(what, hint="run `git fetch --unshallow`")
    commit = store.commit(filing)
    if len(commit.parents) < 2 or _filed_run(filing, commit.message) != run:
        raise Corrupt(f"it changes {names.history_path(run)} and does not file it", where=filing)
    return commit.parents[1]


def hidden_tip_of(store: GitStore, run: RunId) -> Oid | None:
    """The last step of a hidden run, the latest of those that were filed; None if it is none."""
    month = store.ref(names.history_ref(run.month))
    entry = _entry(store, month, run) if month else None
    if month is None or entry is None or entry.is_tree:
        return None
    listed = {revision.oid: revision for revision in revisions(store.repo, month)}
    tips = {filing.tip for filing in _filings(listed, month) if filing.run == run}
    return max(tips, key=lambda tip: lateness(store, listed[tip].tree), default=None)


def filings(store: GitStore, tip: Oid, since: Oid | None = None) -> Iterator[Filing]:
    """The runs that a month shows at `tip` and `since` does not reach, newest first, each once.

    A run that was filed again is listed with its latest tip. Where the repository is shallow,
    those whose steps are not there are left out.
    """
    shown = {run: entry.oid for run, entry in entries(store, tip) if entry.is_tree}
    listed = {revision.oid: revision for revision in revisions(store.repo, tip, since)}
    for filing in _filings(listed, tip):
        last = listed.get(filing.tip)
        if last and shown.get(filing.run) == last.tree:
            del shown[filing.run]
            yield filing


def _filings(listed: Mapping[Oid, Revision], tip: Oid) -> Iterator[Filing]:
    """The filing commits of a history, found through histories alone: a run's steps are none."""
    histories = {tip}
    for oid, commit in listed.items():
        if oid not in histories:
            continue
        run = _filed_run(oid, commit.message) if len(commit.parents) > 1 else None
        if run:
            yield Filing(oid, run, commit.parents[1])
        histories.update(commit.parents[:1] if run else commit.parents)


def entries(store: Store, month: Oid) -> Iterator[tuple[RunId, TreeEntry]]:
    """What the month has of each run: its tree, or the tombstone that hides it."""
    for day in store.tree(store.commit(month).tree):
        for entry in store.tree(day.oid) if day.is_tree else ():
            run = _run_id(entry)
            if run and run.day == day.name:
                yield run, entry


def _all_entries(store: Store) -> Iterator[tuple[RunId, TreeEntry]]:
    for month, tip in months(store).items():
        yield from ((run, entry) for run, entry in entries(store, tip) if run.month == month)


def _entry(store: Store, month: Oid, run: RunId) -> TreeEntry | None:
    return read_path(store, store.commit(month).tree, names.history_path(run))


def _root(store: Store, month: str) -> Commit:
    year, number = (int(part) for part in month.split("-"))
    start = calendar.timegm((year, number, 1, 0, 0, 0))
    who = Ident(_NAME, _EMAIL, start)
    return Commit(store.put_tree(()), (), who, who, f"history of {month}\n")


def _filed_run(oid: Oid, message: str) -> RunId | None:
    """The run that a commit with two parents files; None for a merge of two histories."""
    if message == MERGED:
        return None
    last = message.rstrip("\n").rpartition("\n")[2]
    key, _, value = last.partition(": ")
    if key != names.TRAILER_RUN:
        raise Corrupt("not a filing commit: it names no run", where=oid)
    return RunId(value)


def _run_id(entry: TreeEntry) -> RunId | None:
    try:
        return RunId(entry.name)
    except InvalidName:
        return None
