"""Merge steps: what two diverged tips of one run are together, computed and signed by nobody.

The heads of a tip are the real steps that it joins and that none of the others follows. What a
merge holds is a function of its heads alone: of one head its very tree, of several the files and
the state of the winner, the newest, with status `diverged` and a record that lists them. So
any clones that merge in any order end with the same tree, and the same pair is the same commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol

from relay_git import names
from relay_git.chain.chain import Step, read_step
from relay_git.chain.envelope import derive
from relay_git.errors import Corrupt, Refused
from relay_git.git import codec
from relay_git.git.merging import MERGER
from relay_git.git.store import BLOB, Commit, Ident, Store, TreeEntry
from relay_git.git.trees import walk
from relay_git.names import STEP_RECORD, Oid

_MESSAGE = "merge what was done apart\n"


def merge_chains(store: Store, ours: Oid, theirs: Oid) -> Oid:
    """The tip that joins two of one run: one of them where it follows the other.

    Raises `Refused` for two runs that go by one name.
    """
    read = partial(read_step, store)
    tips = _last(read, map(read, {ours, theirs}))
    return tips[0].oid if len(tips) == 1 else store.put_commit(_joined(store, read, store, tips))


def heads_of(store: Store, *tips: Oid) -> list[Step]:
    """The real steps that these tips come to together, the newest first."""
    return _heads(partial(read_step, store), tips)


def check_merge(store: Store, step: Step, known: Mapping[Oid, Step]) -> None:
    """Compute a merge step again. Raises `Corrupt` naming what is not as its parents give it.

    Steps that are `known` are not read again.
    """

    def read(oid: Oid) -> Step:
        return known.get(oid) or read_step(store, oid)

    tips = _last(read, map(read, step.commit.parents))
    if len(tips) == 1:
        raise Corrupt("the commit: one of its parents follows the other")
    naming = _Naming(step.oid)
    made = _joined(store, read, naming, tips)
    if naming.put_commit(made) == step.oid:
        return
    if made.tree == step.commit.tree:
        raise Corrupt("the commit: not as merging its parents makes it")
    winner = _heads(read, step.parents)[0]
    raise Corrupt(f"{_changed(store, winner, step)}: not as merging its parents makes it")


_Read = Callable[[Oid], Step]


class _Writer(Protocol):
    """Gives objects their ids, and may keep them."""

    def put_blob(self, data: bytes) -> Oid: ...

    def put_tree(self, entries: Iterable[TreeEntry]) -> Oid: ...

    def put_commit(self, commit: Commit) -> Oid: ...


class _Naming:
    """Says what ids objects have in the repository of another, and writes none."""

    def __init__(self, like: Oid) -> None:
        self._format = "sha1" if len(like) == 40 else "sha256"

    def put_blob(self, data: bytes) -> Oid:
        return codec.object_id("blob", data, self._format)

    def put_tree(self, entries: Iterable[TreeEntry]) -> Oid:
        return codec.object_id("tree", codec.encode_tree(entries), self._format)

    def put_commit(self, commit: Commit) -> Oid:
        return codec.object_id("commit", codec.encode_commit(commit), self._format)


def _joined(store: Store, read: _Read, writer: _Writer, tips: Sequence[Step]) -> Commit:
    """Parents in the order of their ids, the later one's date."""
    heads = _heads(read, [tip.oid for tip in tips])
    _check_one_run(heads)
    tree = heads[0].commit.tree if len(heads) == 1 else _tree(store, writer, heads)
    who = Ident(*MERGER, max(tip.commit.committer.time for tip in tips))
    return Commit(tree, tuple(sorted(tip.oid for tip in tips)), who, who, _MESSAGE)


def _tree(store: Store, writer: _Writer, heads: Sequence[Step]) -> Oid:
    """The winner's, with the record of the merge in place of its own."""
    kept = [entry for entry in store.tree(heads[0].commit.tree) if entry.name != STEP_RECORD]
    record = writer.put_blob(_record(heads))
    return writer.put_tree([*kept, TreeEntry(BLOB, STEP_RECORD, record)])


def _record(heads: Sequence[Step]) -> bytes:
    winner = heads[0].envelope
    return derive(
        winner.replace(
            parent=None,
            step=max(head.envelope.step for head in heads) + 1,
            nonce=winner.nonce + 1,
            timestamp=max(head.envelope.timestamp for head in heads),
            role=None,
            state={**winner.state, "status": "diverged"},
            commit="",
            key="",
            heads=tuple(sorted(head.digest for head in heads)),
        )
    )


def _check_one_run(heads: Sequence[Step]) -> None:
    began = {(head.envelope.run, head.envelope.first or head.digest) for head in heads}
    if len(began) > 1:
        raise Refused(
            "two runs go by this name: they began otherwise",
            where=names.run_ref(heads[0].envelope.run),
            hint="they are kept apart",
        )


def _heads(read: _Read, tips: Sequence[Oid]) -> list[Step]:
    found: dict[str, Step] = {}
    ahead, met = list(tips), set(tips)
    while ahead:
        step = read(ahead.pop())
        if step.is_merge:
            ahead += set(step.parents) - met
            met.update(step.parents)
        elif step.digest not in found or step.oid < found[step.digest].oid:
            found[step.digest] = step
    return sorted(_last(read, found.values()), key=lambda step: step.order, reverse=True)


def _last(read: _Read, steps: Iterable[Step]) -> list[Step]:
    """Those that no other of them follows. Nonces tell where the search may end."""
    given = {step.oid: step for step in steps}
    least = min(step.envelope.nonce for step in given.values())
    ahead = [oid for step in given.values() for oid in _above(step, least)]
    followed: set[Oid] = set()
    while ahead:
        oid = ahead.pop()
        if oid not in followed:
            followed.add(oid)
            ahead += _above(read(oid), least)
    return [step for oid, step in given.items() if oid not in followed]


def _above(step: Step, least: int) -> tuple[Oid, ...]:
    """The parents of a step, if one of that nonce may be among them or before them. A merge may
    have the nonce of what it joins."""
    return step.parents if step.envelope.nonce + step.is_merge > least else ()


def _changed(store: Store, winner: Step, step: Step) -> str:
    """The first path whose file is not the winner's, else the record."""
    wanted = {path: (entry.mode, entry.oid) for path, entry in walk(store, winner.commit.tree)}
    found = {path: (entry.mode, entry.oid) for path, entry in walk(store, step.commit.tree)}
    odd = {path for path, _ in wanted.items() ^ found.items()} - {STEP_RECORD}
    return min(odd, default=STEP_RECORD)
