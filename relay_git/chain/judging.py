"""Judge the chains and histories that somebody else wrote, before they become ours.

A chain is read level by level through a wary store, so that many cost few questions, and then
verified. A history is made again: each of its commits must hold what filing, hiding or merging
makes of the commits before it, so that none can bring in, change or drop anything beside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import TypeVar

from relay_git.chain.chain import Step, read_step
from relay_git.chain.remaking import Commits, Past, filed, histories, hold_trees, remade
from relay_git.chain.signers import KnownSigners, VerifiedCache
from relay_git.chain.verify import Judgement, Rule, verify_chain
from relay_git.errors import Corrupt, MissingObject, RelayError
from relay_git.git.revisions import revisions
from relay_git.git.store import Store, TreeEntry
from relay_git.git.wary import WaryStore
from relay_git.names import STEP_RECORD, Oid, RunId
from relay_git.workspace import Workspace

T = TypeVar("T")

Named = tuple[RunId, Oid]
"""A run by the name that it goes by, and its tip."""

_FOLDERS = 8
"""Deep in folders as no file of ours lies."""

_AT_ONCE = 200
"""Chains, or commits of a history, that are held in memory together."""


class Judging:
    """For all that is judged together. `rule` gives what a step's state must be, for the steps of
    a store; `tell` is told of each run that was judged; only a run that `ends` may be filed."""

    def __init__(
        self,
        ws: Workspace,
        rule: Callable[[Store], Rule],
        tell: Callable[[], None],
        ends: Callable[[Step], bool] = lambda step: True,
    ) -> None:
        self._ws, self._rule, self._tell, self._ends = ws, rule, tell, ends
        self._signers = _Vouchers(KnownSigners(ws))
        self._cache = VerifiedCache(ws.cache_dir)
        self._grafts = ws.repo.grafts()

    def chains(self, runs: Iterable[Named]) -> dict[Named, str]:
        """What is wrong with these runs. One that is sound is not named."""
        found: dict[Named, str] = {}
        for some in _batches(runs):
            with closing(self._store()) as store:
                found |= self._judge(store, some)
        return found

    def history(self, month: str, tip: Oid, known: Oid | None) -> list[str]:
        """What is wrong with the commits of a month's history that `known` does not reach."""
        listed = {revision.oid: revision for revision in revisions(self._ws.repo, tip, known)}
        found: list[str] = []
        for some in _batches(histories(listed, tip)):
            with closing(self._store()) as store:
                found += self._judge_commits(store, month, some)
        return found

    def _judge_commits(self, store: Past, month: str, commits: Commits) -> list[str]:
        hold_trees(store, commits)
        found = []
        for commit in commits:
            is_cut = not commit.parents and commit.oid in self._grafts
            if not is_cut and (problem := remade(store, month, commit)):
                found.append(f"{commit.oid[:12]}: {problem}")
        runs = list(filed(commits))
        wrong = self._judge(store, runs)
        for run, tip in runs:
            if (run, tip) not in wrong and not self._ends(read_step(store, tip)):
                wrong[run, tip] = "filed before its end"
        return found + [f"{run}: {problem}" for (run, _), problem in wrong.items()]

    def _judge(self, store: WaryStore, runs: Collection[Named]) -> dict[Named, str]:
        odd = self._not_plain(store, {tip for _, tip in runs})
        found: dict[Named, str] = {}
        for run, tip in runs:
            if problem := odd.get(tip) or self._verify(store, run, tip):
                found[run, tip] = problem
            self._tell()
        return found

    def _verify(self, store: Store, run: RunId, tip: Oid) -> str | None:
        judged = verify_chain(
            store, run, tip, self._signers, self._cache, self._rule(store), self._grafts
        )
        wrong = next((judgement for judgement in judged if not judgement.ok), None)
        return _told(wrong) if wrong else None

    def _not_plain(self, store: WaryStore, tips: Collection[Oid]) -> dict[Oid, str]:
        """Hold all steps of these chains, but for those that were found sound before. What is
        wrong with each tip that leads to a commit which is no plain step, by any parent."""
        found: dict[Oid, str] = {}
        ahead, met = {tip: tip for tip in tips}, set(tips)
        while ahead:
            new = {oid for oid in ahead if self._cache.get(oid) is None}
            _hold_steps(store, ahead, new)
            above: dict[Oid, Oid] = {}
            for oid, tip in ahead.items():
                try:
                    above |= dict.fromkeys(_plain_step(store, oid, oid in new).commit.parents, tip)
                except MissingObject:
                    continue
                except RelayError as error:
                    found.setdefault(tip, _named(oid, tip, error))
            ahead = {oid: tip for oid, tip in above.items() if oid not in met and tip not in found}
            met.update(ahead)
        return found

    def _store(self) -> Past:
        return Past(self._ws.store, self._ws.max_artifact)


class _Vouchers:
    """Without a signers file that says who may sign, whoever signed; and nobody is remembered
    for it yet."""

    def __init__(self, known: KnownSigners) -> None:
        self._known = known

    def verify(self, armored: str, message: bytes, namespace: str) -> str:
        return self._known.verify(armored, message, namespace)

    def who(self, fingerprint: str, step: Step) -> str | None:
        return self._known.who(fingerprint, step) if self._known.strict else fingerprint


def _plain_step(store: WaryStore, oid: Oid, new: bool) -> Step:
    step = read_step(store, oid)
    for path, entry in _files(store, step) if new else ():
        store.check_size(path, entry.oid)
    return step


def _files(store: WaryStore, step: Step) -> Iterator[tuple[str, TreeEntry]]:
    """Its files. Raises `Corrupt` for a tree that leads to far more than the record names: a small
    one whose folders hold each other's may lead to more than any computer can list."""
    ahead, left = [("", step.commit.tree)], _most(step)
    while ahead:
        prefix, tree = ahead.pop()
        entries = store.tree(tree)
        left -= len(entries)
        if left < 0:
            raise Corrupt("holds far more files than it records")
        for entry in entries:
            if entry.is_tree:
                ahead.append((f"{prefix}{entry.name}/", entry.oid))
            else:
                yield prefix + entry.name, entry


def _most(step: Step) -> int:
    """How many entries the trees of a step can have: a file may need folders of its own."""
    return _FOLDERS * len(step.envelope.files) + _AT_ONCE


def _hold_steps(store: WaryStore, oids: Iterable[Oid], new: Collection[Oid]) -> None:
    """Commits and their records, and of the new ones all files. A tree without a record is not
    looked into: it may be anybody's."""
    held = [oid for oid in store.fetch(oids) if _readable(store.commit, oid)]
    roots = {oid: store.commit(oid).tree for oid in held}
    store.fetch(roots.values())
    listed = {oid: _readable(store.tree, root) or () for oid, root in roots.items()}
    store.fetch(e.oid for entries in listed.values() for e in entries if e.name == STEP_RECORD)
    steps = (_readable(partial(read_step, store), oid) for oid in held if oid in new)
    ahead: dict[Oid, tuple[int, Sequence[TreeEntry]]] = {
        step.oid: (_most(step), listed[step.oid]) for step in steps if step
    }
    while ahead:
        store.fetch(entry.oid for _, entries in ahead.values() for entry in entries)
        ahead = {
            oid: (left - len(entries), _below(store, entries, left))
            for oid, (left, entries) in ahead.items()
            if 0 < len(entries) <= left
        }


def _below(store: WaryStore, entries: Sequence[TreeEntry], most: int) -> Sequence[TreeEntry]:
    """What lies in the folders among these; no more of it than needed to see that it is more."""
    trees = (_readable(store.tree, entry.oid) or () for entry in entries if entry.is_tree)
    return list(islice((entry for tree in trees for entry in tree), most + 1))


def _readable(read: Callable[[Oid], T], oid: Oid) -> T | None:
    """What cannot be read is named when it is judged."""
    try:
        return read(oid)
    except RelayError:
        return None


def _named(oid: Oid, tip: Oid, error: RelayError) -> str:
    where = "" if oid == tip else f"{oid[:12]}: "
    return f"{where}{error.what}" + (f"; {error.hint}" if error.hint else "")


def _told(wrong: Judgement) -> str:
    which = wrong.oid[:12] if wrong.step is None else f"step {wrong.step}"
    return f"{which}: {wrong.status}: {wrong.detail}"


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    every = list(items)
    for start in range(0, len(every), _AT_ONCE):
        yield every[start : start + _AT_ONCE]
