"""A finished run goes into the history: the same effort however much is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import histories
from histories import Size
from measure import Row, against, interleaved
from scratch import Stage, python, relay

from relay_git.chain import chain, history
from relay_git.git.repo import discover
from relay_git.names import RunId, run_ref
from relay_git.workspace import Workspace

ROUNDS = 20
_BAR = 1.5
_PASS = "python -c pass"


def rows(stage: Stage) -> list[Row]:
    rounds = stage.rounds(ROUNDS)
    filers: dict[str, Callable[[], object]] = {}
    settlers: dict[str, Callable[[], object]] = {_PASS: lambda: python("-c", "pass")}
    for runs in (stage.small, stage.medium, stage.large):
        path = stage.repository(f"filing-{runs}", Size(runs))
        late = histories.finish(path, range(2 * rounds))
        filers[f"filing a run among {runs:,}"] = _filer(path, iter(late[:rounds]))
        settlers[f"git relay settle, among {runs:,}"] = _settler(path, iter(late[rounds:]))
    filed = interleaved(filers, rounds)
    settled = interleaved(settlers, rounds)
    base = settled.pop(_PASS)
    return [
        *_grown(filed),
        *_grown(settled),
        against(_PASS, {_PASS: base, "git relay settle": next(iter(settled.values()))}, {})[1],
    ]


def _grown(samples: dict[str, list[float]]) -> list[Row]:
    first, *_, last = samples
    return against(first, samples, {last: _BAR})


def _filer(path: Path, late: Iterator[RunId]) -> Callable[[], None]:
    """In process: the filing commit and the end of the run's ref, on the disk."""
    ws = Workspace(discover(str(path)))

    def file() -> None:
        run = next(late)
        tip = ws.store.ref(run_ref(run))
        assert tip
        step = chain.read_step(ws.store, tip)
        filing = history.filing_move(ws.store, step, "done")
        ending = history.run_ref_deletion(ws.store, run, tip)
        assert filing and ending
        ws.store.move(filing, ending)

    return file


def _settler(path: Path, late: Iterator[RunId]) -> Callable[[], object]:
    """The command: filing, note, lessons."""
    return lambda: relay(path, "settle", next(late))
