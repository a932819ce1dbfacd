"""The kinds of refs that travel, and how what a remote has of each becomes ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing

from relay_git import clock, names
from relay_git.chain import history
from relay_git.chain.chain import Step
from relay_git.chain.judging import Judging
from relay_git.chain.merge import merge_chains
from relay_git.chain.union import merge_histories
from relay_git.chain.verify import Past
from relay_git.chain.verify import Rule as StepRule
from relay_git.errors import Corrupt, InvalidName, Late, NewerFormat, RelayError
from relay_git.git.notes import check_places
from relay_git.git.notes_merge import dropped, merge_notes
from relay_git.git.store import Store
from relay_git.git.trees import read_path
from relay_git.git.wary import WaryStore
from relay_git.lessons import provenance
from relay_git.names import Oid, RefName, RunId
from relay_git.sync import graph
from relay_git.sync.banning import PurgedRule
from relay_git.sync.rules import Incoming, Rule
from relay_git.workflow import pending, runs
from relay_git.workflow.consistency import rule as workflow_rule
from relay_git.workspace import Workspace

_VERSION = re.compile(rb'"v":(\d+)')
"""Never inside a JSON text, where quotes are escaped."""

_AT_ONCE = 500
"""Objects of notes that are held in memory together."""

Tell = Callable[[int], None]
"""Told how many runs have been judged so far."""


def rules(tell: Tell = lambda done: None, seconds: float | None = None) -> tuple[Rule, ...]:
    """In the order in which refs are taken in and sent: what is filed before what is open.

    What cannot be judged within so many seconds is left for later.
    """
    count = _Count(tell, seconds)
    return PurgedRule(), HistoryRule(count), NotesRule(), RunsRule(count)


def run_rule(store: Store) -> StepRule:
    """What is wrong with the state of a step, of a workflow's run or of a pipeline's."""
    of_workflows = workflow_rule(store)

    def check(past: Past, step: Step) -> str | None:
        if runs.is_workflow(step):
            return of_workflows(past, step)
        from relay_git.pipeline.consistency import rule as pipeline_rule

        return pipeline_rule(store)(past, step)

    return check


class _Count:
    """Counts what has been judged, for as long as there is time."""

    def __init__(self, tell: Tell, seconds: float | None) -> None:
        self._tell, self._done = tell, 0
        self._end = None if seconds is None else clock.monotonic() + seconds

    def __call__(self) -> None:
        self._done += 1
        self._tell(self._done)
        if self._end is not None and clock.monotonic() > self._end:
            raise Late("left for later", hint="`git relay fetch` takes its time")


class RunsRule(Rule):
    """Open runs, each a chain of signed steps. One whose last step is filed needs no ref."""

    prefix = names.RUNS
    together = False
    monthly = False

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def misnamed(self, ref: RefName) -> str | None:
        return None if _run_at(ref) else "not the name of a run"

    def problems(
        self, ws: Workspace, incoming: Sequence[Incoming]
    ) -> Mapping[RefName, Sequence[str]]:
        named = {(run, item.tip): item.ref for item in incoming if (run := _run_at(item.ref))}
        wrong = Judging(ws, run_rule, self._tell).chains(named)
        return {named[run]: [problem] for run, problem in wrong.items()}

    def merge(self, ws: Workspace, ref: RefName, ours: Oid, theirs: Oid) -> Oid:
        return merge_chains(ws.store, ours, theirs)

    def ended(
        self, ws: Workspace, tips: Collection[tuple[RefName, Oid]], refs: Mapping[RefName, Oid]
    ) -> Collection[Oid]:
        """Those that the month of a run reaches, which then has the run."""
        filed = [(month, tip) for ref, tip in tips if (month := _filed_in(ws, ref, refs))]
        return graph.reached(ws.repo, {tip for _, tip in filed}, {month for month, _ in filed})

    def elsewhere(
        self, ws: Workspace, opened: Mapping[RefName, Oid], refs: Mapping[RefName, Oid]
    ) -> Mapping[RefName, Oid]:
        """The last step of a run that was filed and is open all the same."""
        found = {}
        for ref in opened:
            run = _run_at(ref)
            if run and _filed_in(ws, ref, refs):
                hidden = history.hidden_tip_of(ws.store, run)
                found[ref] = hidden or history.tip_of(ws.store, run)
        return found

    def taking(self, ws: Workspace, ref: RefName, tip: Oid) -> None:
        """A run that has ended is to be settled here, if nobody does it first."""
        run = _run_at(ref)
        if run and runs.has_ended(ws.store, tip):
            pending.mark(ws, run)


class HistoryRule(Rule):
    """Finished runs, a ref a month."""

    prefix = names.HISTORY
    together = True
    monthly = True

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def misnamed(self, ref: RefName) -> str | None:
        return _no_month(ref)

    def problems(
        self, ws: Workspace, incoming: Sequence[Incoming]
    ) -> Mapping[RefName, Sequence[str]]:
        judging = Judging(ws, run_rule, self._tell, runs.is_finished)
        found = {item.ref: _wrong_with_history(judging, item) for item in incoming}
        return {ref: problems for ref, problems in found.items() if problems}

    def merge(self, ws: Workspace, ref: RefName, ours: Oid, theirs: Oid) -> Oid:
        return merge_histories(ws.store, ours, theirs)


class NotesRule(Rule):
    """Provenance, a ref a month."""

    prefix = names.NOTES
    together = True
    monthly = True

    def misnamed(self, ref: RefName) -> str | None:
        return _no_month(ref)

    def problems(
        self, ws: Workspace, incoming: Sequence[Incoming]
    ) -> Mapping[RefName, Sequence[str]]:
        wrong = ((item.ref, _wrong_with_notes(ws, item)) for item in incoming)
        return {ref: [problem] for ref, problem in wrong if problem}

    def merge(self, ws: Workspace, ref: RefName, ours: Oid, theirs: Oid) -> Oid:
        return merge_notes(ws.store, ours, theirs, provenance.combine)

    def lacking(self, ws: Workspace, ref: RefName, before: Oid, after: Oid) -> str | None:
        note = dropped(ws.store, before, after, provenance.combine)
        return f"the note on {note[:12]} has lost something" if note else None

    def taking(self, ws: Workspace, ref: RefName, tip: Oid) -> None:
        pending.mark_noted(ws)


def _run_at(ref: RefName) -> RunId | None:
    try:
        return RunId(ref.removeprefix(names.RUNS))
    except InvalidName:
        return None


def _month(ref: RefName) -> str:
    return ref.rpartition("/")[2]


def _no_month(ref: RefName) -> str | None:
    is_month = names.is_month(ref.removeprefix(names.HISTORY).removeprefix(names.NOTES))
    return None if is_month else "not the name of a month"


def _filed_in(ws: Workspace, ref: RefName, refs: Mapping[RefName, Oid]) -> Oid | None:
    """The history that has the run of a ref, if it was filed. A history that cannot be read tells
    nothing, and keeps no run from being open."""
    run = _run_at(ref)
    month = refs.get(names.history_ref(run.month)) if run else None
    if run is None or month is None:
        return None
    try:
        entry = read_path(ws.store, ws.store.commit(month).tree, names.history_path(run))
    except RelayError:
        return None
    return month if entry else None


def _wrong_with_history(judging: Judging, item: Incoming) -> Sequence[str]:
    """A month that cannot even be read hides no other."""
    try:
        return judging.history(_month(item.ref), item.tip, item.known)
    except Late:
        raise
    except RelayError as error:
        return [error.what]


def _wrong_with_notes(ws: Workspace, item: Incoming) -> str | None:
    """The first of its new objects that is no part of notes, or of a newer format."""
    try:
        new = list(graph.new_objects(ws.repo, item.tip, item.known))
        for start in range(0, len(new), _AT_ONCE):
            some = new[start : start + _AT_ONCE]
            with closing(WaryStore(ws.store, ws.max_artifact)) as store:
                store.fetch(some)
                for oid in some:
                    _check_part_of_notes(store, oid)
        with closing(WaryStore(ws.store, ws.max_artifact)) as store:
            check_places(store, store.commit(item.tip).tree, set(new))
    except RelayError as error:
        return f"{error.what}; {error.hint}" if error.hint else error.what
    return None


def _check_part_of_notes(store: WaryStore, oid: Oid) -> None:
    kind = store.kind(oid)
    if kind == "blob":
        found = [int(version) for version in _VERSION.findall(store.blob(oid))]
        if max(found, default=0) > provenance.FORMAT:
            what = f"note format {max(found)} is newer than this git-relay reads"
            raise NewerFormat(f"{what} ({provenance.FORMAT})", hint="upgrade git-relay")
    elif kind == "tree":
        store.tree(oid)
    elif kind == "commit":
        store.commit(oid)
    else:
        raise Corrupt(f"a {kind} among the notes")
