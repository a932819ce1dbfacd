"""Hide old runs: a tombstone takes the place of each in the history, and frees nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from itertools import groupby

from relay_git.chain import history
from relay_git.git.refs import retrying
from relay_git.names import RunId
from relay_git.record import Record
from relay_git.workflow import runs
from relay_git.workspace import Workspace

Choose = Callable[[Sequence[RunId]], Sequence[RunId]]
"""Which of these runs, oldest first, are to be hidden."""


class Pruned(Record):
    """What was hidden, oldest first, and how many finished runs the lists still show."""

    hidden: tuple[RunId, ...]
    left: int


def all_but(newest: int) -> Choose:
    return lambda filed: filed[: max(0, len(filed) - newest)]


def begun_before(day: date) -> Choose:
    """By the date of their ids."""
    first = day.isoformat().replace("-", "")
    return lambda filed: [run for run in filed if run < first]


def prune(ws: Workspace, choose: Choose) -> Pruned:
    """Hide the chosen runs, in every month at once. Runs that are open again are no choice."""

    def attempt() -> Pruned:
        chosen = preview(ws, choose)
        by_month = groupby(chosen.hidden, key=lambda run: run.month)
        moves = [history.hiding_move(ws.store, month, of_it) for month, of_it in by_month]
        ws.store.move(*(move for move in moves if move))
        return chosen

    return retrying(attempt)


def preview(ws: Workspace, choose: Choose) -> Pruned:
    """What `prune` would do."""
    opened = runs.open_runs(ws)
    filed = [run for run in history.filed_runs(ws.store) if run not in opened]
    chosen = tuple(choose(filed))
    return Pruned(chosen, len(filed) - len(chosen))
