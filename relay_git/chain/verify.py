"""Judge every step of a chain: ok, tampered, unknown signer, stale nonce or broken parent.

What a step is by itself (its signature and its files) never changes with its commit id, so it is
judged once and remembered in a cache; who signed it and how it follows its parent are judged
every time. A merge is nobody's: it is computed again from the two tips that it joins.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, Protocol

from relay_git.chain.chain import Step, joins, read_step
from relay_git.chain.inspection import Signers, inspect, inspect_alone
from relay_git.chain.merge import check_merge
from relay_git.errors import MissingObject, OutOfReach, RelayError
from relay_git.git.store import Store
from relay_git.names import STEP_RECORD, Oid
from relay_git.record import Record

Status = Literal["ok", "purged", "tampered", "unknown signer", "stale nonce", "broken parent"]


class Cache(Protocol):
    """Remembers, by commit id, the key that a sound step was signed with."""

    def get(self, oid: Oid) -> str | None: ...

    def put(self, oid: Oid, fingerprint: str) -> None: ...


class Past(Record):
    """What a step comes after. `parent` is the step before it, None for the first; `known` are
    the steps by commit id, of which some lie before it; at `grafts` a shallow clone was cut off.
    """

    parent: Step | None
    known: Mapping[Oid, Step]
    grafts: Collection[str]

    def is_cut(self) -> bool:
        """Whether there were more steps than are there."""
        return any(step.oid in self.grafts for step in self.steps())

    def steps(self) -> list[Step]:
        """Every step before it, merges too."""
        found = [self.parent] if self.parent else []
        met = {step.oid for step in found}
        for step in found:
            above = [oid for oid in step.parents if oid in self.known and oid not in met]
            met.update(above)
            found += [self.known[oid] for oid in above]
        return found


Rule = Callable[[Past, Step], str | None]
"""What is wrong with a step's state after the steps before it, or None."""


class Judgement(Record):
    """`detail` names the signer of a sound step, the files that were purged from one that is sound
    otherwise, else the file or field that is wrong."""

    oid: Oid
    step: int | None
    status: Status
    detail: str

    @property
    def ok(self) -> bool:
        return self.status in ("ok", "purged")


def verify_chain(
    store: Store,
    run: str,
    tip: Oid,
    signers: Signers,
    cache: Cache,
    rule: Rule | None = None,
    grafts: Collection[str] = (),
) -> Iterator[Judgement]:
    """One judgement a step of `run`, each after its parents, the tip last. Raises nothing for a
    bad chain.

    A step at one of the `grafts` is judged by itself where a shallow clone lacks its parent.
    """
    judge = _Judge(store, run, signers, cache, rule, grafts)
    for oid, parents in _lineage(store, tip).items():
        yield judge(oid, parents)


class _Judge:
    """Judges steps one by one, each after its parents."""

    def __init__(
        self,
        store: Store,
        run: str,
        signers: Signers,
        cache: Cache,
        rule: Rule | None,
        grafts: Collection[str],
    ) -> None:
        self._store, self._run = store, run
        self._signers, self._cache = signers, cache
        self._rule, self._grafts = rule, grafts
        self._known: dict[Oid, Step] = {}
        self._nonces: dict[Oid, int] = {}
        """The greatest so far on the way to each commit."""

    def __call__(self, oid: Oid, parents: Sequence[Oid]) -> Judgement:
        above = max((self._nonces.get(parent, 0) for parent in parents), default=0)
        self._nonces[oid] = above
        try:
            step = read_step(self._store, oid)
        except OutOfReach:
            raise
        except RelayError as error:
            return Judgement(oid, None, "tampered", f"{STEP_RECORD}: {error.what}")
        self._known[oid] = step
        self._nonces[oid] = max(above, step.envelope.nonce)
        found = self._merge(step, parents) if step.is_merge else self._signed(step, parents, above)
        return Judgement(oid, step.envelope.step, *found)

    def _signed(self, step: Step, parents: Sequence[Oid], above: int) -> tuple[Status, str]:
        """The first thing that is wrong, in this order.

        1. the step by itself: its signature, its commit, its files
        2. its place in the run   3. its nonce   4. its state, as the rule sees it   5. its signer
        """
        try:
            key, purged = self._look_at(step)
        except OutOfReach:
            raise
        except RelayError as error:
            return "tampered", error.what
        parent = self._known.get(parents[0]) if parents else None
        cut = step.oid in self._grafts and parent is None
        if wrong := misplaced(step, parent, self._run, cut):
            return "broken parent", wrong
        if step.envelope.nonce <= above:
            return "stale nonce", f"nonce {step.envelope.nonce}"
        if self._rule and not cut:
            past = Past(parent, self._known, self._grafts)
            if wrong := self._rule(past, step):
                return "tampered", wrong
        who = self._signers.who(key, step)
        if who is None:
            return "unknown signer", key
        return ("purged", ", ".join(purged)) if purged else ("ok", who)

    def _merge(self, step: Step, parents: Sequence[Oid]) -> tuple[Status, str]:
        if step.envelope.run != self._run:
            return "broken parent", f"belongs to the run {step.envelope.run}"
        there = all(parent in self._nonces for parent in parents)
        if not there and step.oid not in self._grafts:
            return "broken parent", "a step that it joins is missing"
        try:
            self._compute(step)
        except OutOfReach:
            raise
        except RelayError as error:
            return "tampered", error.what
        return "ok", "merge"

    def _compute(self, step: Step) -> None:
        """Compute a merge again; where what that needs was cut off, look at it alone. Any other
        step that is missing is named where it is missed."""
        try:
            check_merge(self._store, step, self._known)
        except MissingObject:
            inspect_alone(self._store, step, self._signers)

    def _look_at(self, step: Step) -> tuple[str, tuple[str, ...]]:
        """The key of a step that is sound by itself, and what was purged from it. Raises
        `Corrupt`."""
        known = self._cache.get(step.oid)
        if known is not None:
            return known, ()
        key, purged = inspect(self._store, step, self._signers)
        if not purged:
            self._cache.put(step.oid, key)
        return key, purged


def misplaced(step: Step, parent: Step | None, run: str, cut: bool = False) -> str | None:
    """How a step does not follow its parent in the run, or None. `cut`: where a shallow clone
    ends."""
    envelope = step.envelope
    if envelope.run != run:
        return f"belongs to the run {envelope.run}"
    if parent is None:
        return None if cut or envelope.parent is None else "the step before it is missing"
    if envelope.parent != parent.digest:
        return f"does not follow step {parent.envelope.step}"
    if envelope.first != (parent.envelope.first or parent.digest):
        return "belongs to a run that began otherwise"
    if envelope.step != parent.envelope.step + 1:
        return f"numbered {envelope.step} after step {parent.envelope.step}"
    return None


def _lineage(store: Store, tip: Oid) -> dict[Oid, tuple[Oid, ...]]:
    """Commits with their parents, each after its parents, by git's own word: the records are not
    believed yet.

    Ends early where a commit is missing, and at what cannot be read as one.
    """
    ordered: dict[Oid, tuple[Oid, ...]] = {}
    parents: dict[Oid, tuple[Oid, ...] | None] = {}
    ahead = [tip]
    while ahead:
        oid = ahead[-1]
        if oid not in parents:
            parents[oid] = _parents(store, oid)
            ahead += [above for above in reversed(parents[oid] or ()) if above not in parents]
            continue
        above = parents[ahead.pop()]
        if above is not None or oid == tip:
            ordered[oid] = above or ()
    return ordered


def _parents(store: Store, oid: Oid) -> tuple[Oid, ...] | None:
    """None for a commit that is missing."""
    try:
        commit = store.commit(oid)
    except MissingObject:
        return None
    except OutOfReach:
        raise
    except RelayError:
        return ()
    return commit.parents if joins(commit) else commit.parents[:1]
