"""A store of steps on any store of objects and refs: each step is a signed commit of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from relay_git import clock, names
from relay_git.chain import chain
from relay_git.chain.chain import Draft, Step
from relay_git.chain.inspection import inspect
from relay_git.chain.merge import check_merge
from relay_git.chain.verify import misplaced
from relay_git.errors import Conflict, Corrupt, InvalidName, RelayError
from relay_git.git import codec
from relay_git.git.store import Move, Store
from relay_git.git.trees import RecentTrees
from relay_git.names import Oid, RefName, RunId, Word
from relay_git.pipeline import story
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.keys import Keys
from relay_git.pipeline.places import checked_fork, checked_last, fork_ref
from relay_git.pipeline.sections import applied
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import (
    ENDS,
    OPEN,
    Event,
    PipelineState,
    state_of,
    state_to_json,
)
from relay_git.pipeline.stepstore import NewStep


class ChainSteps:
    """A `StepStore` on any store of objects and refs: each step a signed commit of a run."""

    def __init__(self, store: Store, keys: Keys, literals: Callable[[], Sequence[str]]) -> None:
        self._store, self._keys, self._literals = store, keys, literals
        self.on_server = store.on_server
        self._runs: dict[Word, tuple[RunId, Move]] = {}
        """The run of each name, and the move that checks in a transaction that it is still that."""
        self._known: dict[Word, Snapshot] = {}
        """What was verified, or made here, is not read again while it is the head."""
        self._trees = RecentTrees(store)

    @property
    def literals(self) -> Sequence[str]:
        return self._literals()

    def head(self, name: Word) -> Snapshot | None:
        last = self._last(name)
        return last if last and not last.state.finished else None

    def append(self, name: Word, head: Snapshot | None, new: NewStep) -> Snapshot:
        try:
            made = self._follow(name, head, new) if head else self._begin(name, new)
        except Conflict:
            self._runs.pop(name, None)
            raise
        self._known[name] = made
        return made

    def beside(self, name: Word, base: Snapshot, output: NewStep) -> Snapshot:
        draft = self._draft(name, base.run, base.step + 1, output)
        made = chain.write(self._store, base.record, draft, self._keys.signer, self._trees)
        return _made(name, made, base.contents, output)

    def keep(self, name: Word, base: Snapshot, outputs: Sequence[Snapshot]) -> None:
        named = self._runs.get(name) or self._run(name)
        if not (outputs and named and named[0] == base.run):
            return
        try:
            self._store.move(*(Move(fork_ref(fork), None, fork.id) for fork in outputs))
        except Conflict:
            for fork in outputs:
                self._keep_one(base, fork)

    def kept(self, name: Word, base: Snapshot) -> list[Snapshot]:
        found = self._store.refs(names.forks_prefix(base.run, base.id))
        outputs = [checked_fork(self.load(name, oid), ref) for ref, oid in found.items()]
        return [output for output in outputs if output.purged <= base.purged]

    def waiting(self, name: Word, run: RunId) -> list[Snapshot]:
        found = []
        for ref, oid in self._store.refs(names.forks_prefix(run)).items():
            with suppress(RelayError):
                found.append(checked_fork(self.load(name, oid), ref))
        return found

    def load(self, name: Word, oid: Oid) -> Snapshot:
        step = chain.read_step(self._store, oid)
        purged = self._check(step)
        state = state_of(step)
        if state.pipeline != name:
            what = f"it belongs to the pipeline {state.pipeline}"
            raise PipelineError(Code.PIPELINE_MISMATCH, what, where=oid)
        return Snapshot(step, state, self._contents(step, purged))

    def list(self, name: Word) -> Iterator[Snapshot]:
        head = self.head(name)
        for step in chain.walk(self._store, head.id) if head else ():
            if not step.is_merge:
                yield self.load(name, step.oid)

    def delete(self, name: Word) -> None:
        ref = names.pipeline_ref(name)
        if old := self._store.ref(ref):
            self._store.move(Move(ref, old, None))
        self._runs.pop(name, None)

    def settle(self, name: Word, last: Snapshot) -> None:
        named = self._run(name)
        if named and named[0] == last.run:
            with suppress(Conflict):
                self._store.move(named[1].replace(new=None))
        self._runs.pop(name, None)

    def adopt(self, name: Word, run: RunId) -> None:
        tip = self._store.ref(names.run_ref(run))
        if tip is None or self.load(name, tip).state.finished:
            raise PipelineError(Code.NO_SUCH_STEP, f"there is no open run {run}")
        ref = names.pipeline_ref(name)
        before, named = self._store.ref(ref), self._pointer(run)
        if before != named:
            self._store.move(Move(ref, before, named))
        self._runs.pop(name, None)

    def rotate_key(self) -> str:
        return self._keys.rotate()

    def close(self) -> None:
        self._store.close()

    # Making steps

    def _follow(self, name: Word, head: Snapshot, new: NewStep) -> Snapshot:
        """The transaction also checks that the run is still the one of that name."""
        ref, number = names.run_ref(head.run), head.step + 1
        still = self._runs.get(name) or self._run(name)
        if still is None or still[0] != head.run:
            raise Conflict(names.pipeline_ref(name), head.run, still and still[0])
        kept = tuple(fork.id for fork in new.joins)
        if new.rejected:
            beside = self.beside(name, head, new.rejected)
            kept = (beside.id, *kept)
            new = new.replace(event=new.event.replace(rejected=beside.record.digest))
        also = (still[1], *self._joined(new.joins))
        draft = self._draft(name, head.run, number, new, kept, also)
        return _made(name, self._make(ref, head.record, draft), head.contents, new)

    def _joined(self, joins: Sequence[Snapshot]) -> tuple[Move, ...]:
        """What is to be kept no longer."""
        bases = {(fork.run, fork.record.commit.parents[0]) for fork in joins}
        there: dict[RefName, Oid] = {}
        for base in bases:
            there |= self._store.refs(names.forks_prefix(*base))
        mine = ((fork_ref(fork), fork.id) for fork in joins)
        return tuple(Move(ref, oid, None) for ref, oid in mine if there.get(ref) == oid)

    def _keep_one(self, base: Snapshot, fork: Snapshot, tries: int = 4) -> None:
        """Of two that finish the same fork the first is kept, if nothing of it was purged."""
        ref = fork_ref(fork)
        there = self._store.ref(ref)
        if there and self.load(fork.state.pipeline, there).purged <= base.purged:
            return
        try:
            self._store.move(Move(ref, there, fork.id))
        except Conflict:
            if not tries:
                raise
            self._keep_one(base, fork, tries - 1)

    def _begin(self, name: Word, new: NewStep) -> Snapshot:
        """The name and the run's first step appear in one transaction: of two at once, one wins."""
        ref = names.pipeline_ref(name)
        before = self._store.ref(ref)
        last = self._last(name) if before else None
        if last and not last.state.finished:
            raise Conflict(ref, None, before)
        if last:
            self.settle(name, last)
            before = None
        now = clock.minute(clock.now())
        run = RunId(f"{now}-{names.slug(name)}-{clock.random_hex(4)}")
        named = Move(ref, before, self._pointer(run))
        draft = self._draft(name, run, 1, new, also=(named,))
        return _made(name, self._make(names.run_ref(run), None, draft), {}, new)

    def _make(self, ref: RefName, parent: Step | None, draft: Draft) -> Step:
        return chain.append(self._store, ref, parent, draft, self._keys.signer, self._trees)

    def _draft(
        self,
        name: Word,
        run: RunId,
        number: int,
        new: NewStep,
        kept: tuple[Oid, ...] = (),
        also: tuple[Move, ...] = (),
    ) -> Draft:
        author, committer = self._keys.idents()
        return Draft(
            run=run,
            role=new.event.agent,
            state=state_to_json(_state(name, new.event)),
            files={names.section_path(section): data for section, data in new.changes.items()},
            message=story.message(name, run, number, new.event, sorted(new.changes)),
            author=author,
            committer=committer,
            budget_used=new.used,
            budget_total=new.total,
            second_parents=kept,
            also=also,
        )

    def _pointer(self, run: RunId) -> Oid:
        return self._store.put_blob(f"{run}\n".encode())

    # Reading steps

    def _last(self, name: Word) -> Snapshot | None:
        """Of the run that has the name, if it is still there."""
        found = self._runs.get(name) or self._run(name)
        tip = self._store.ref(names.run_ref(found[0])) if found else None
        if found is None or tip is None:
            return None
        self._runs[name] = found
        known = self._known.get(name)
        if known is None or known.id != tip or known.run != found[0]:
            known = self._known[name] = checked_last(self.load(name, tip), found[0])
        return known

    def _run(self, name: Word) -> tuple[RunId, Move] | None:
        ref = names.pipeline_ref(name)
        pointer = self._store.ref(ref)
        if pointer is None:
            return None
        try:
            run = RunId(self._store.blob(pointer).decode("ascii").strip())
        except (UnicodeDecodeError, InvalidName):
            hint = "`git relay switch RUN` lets it name one"
            raise Corrupt("names no run", where=ref, hint=hint) from None
        return run, Move(ref, pointer, pointer)

    def _check(self, step: Step) -> tuple[str, ...]:
        """By itself, after its parent, and by whom: the files that were purged from it. Raises
        `RelayError`."""
        if step.is_merge:
            check_merge(self._store, step, {})
            return ()
        if codec.object_id("commit", codec.encode_commit(step.commit), _format(step)) != step.oid:
            raise Corrupt("the commit is not the one that its id names", where=step.oid)
        key, purged = inspect(self._store, step, self._keys.signers)
        parent = chain.read_step(self._store, step.parents[0]) if step.parents else None
        if wrong := misplaced(step, parent, step.envelope.run):
            raise PipelineError(Code.BROKEN_PARENT, f"the step {wrong}", where=step.oid)
        if parent and step.envelope.nonce <= parent.envelope.nonce:
            what = f"its nonce {step.envelope.nonce} is not above that of the step before it"
            raise PipelineError(Code.STALE_NONCE, what, where=step.oid)
        if self._keys.signers.who(key, step) is None and self._keys.strict:
            raise PipelineError(Code.UNKNOWN_SIGNER, f"signed with {key}", where=step.oid)
        return purged

    def _contents(self, step: Step, purged: Collection[str]) -> dict[str, bytes]:
        """A section that was purged is as if it were not there."""
        found = {}
        for path in sorted(step.envelope.files.keys() - set(purged)):
            section = names.section_name(path)
            data = chain.read_file(self._store, step, path)
            if section and data is not None:
                found[section] = data
        return found


def _made(name: Word, step: Step, before: Mapping[str, bytes], new: NewStep) -> Snapshot:
    """What `load` gives of it from now on."""
    return Snapshot(step, _state(name, new.event), applied(before, new.changes))


def _state(name: Word, event: Event) -> PipelineState:
    return PipelineState(name, ENDS.get(event.kind, OPEN), event)


def _format(step: Step) -> str:
    return "sha1" if len(step.oid) == 40 else "sha256"
