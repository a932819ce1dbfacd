"""Where steps are kept: what the library asks of a store, and how a chain of commits gives it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol

from relay_git import clock, names
from relay_git.chain import chain
from relay_git.chain.chain import Draft, Step
from relay_git.chain.envelope import Signer
from relay_git.chain.inspection import Signers, inspect
from relay_git.chain.merge import check_merge
from relay_git.chain.verify import misplaced
from relay_git.errors import Conflict, Corrupt, InvalidName
from relay_git.git import codec
from relay_git.git.store import Ident, Move, Store
from relay_git.names import Oid, RunId, Word
from relay_git.pipeline import story
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.sections import applied
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import OPEN, Event, PipelineState, state_of, state_to_json
from relay_git.record import Record


class NewStep(Record):
    """What a step is to hold. `changes` are sections by name, None takes one out.

    `used` and `total` are the budget after it. `rejected` is an output that it keeps.
    """

    event: Event
    changes: Mapping[str, bytes | None]
    used: int
    total: int
    rejected: NewStep | None = None


class StepStore(Protocol):
    """Keeps the steps of pipelines by name. Whatever is read was verified, or `RelayError`."""

    @property
    def literals(self) -> Sequence[str]:
        """Secrets of the project's own, which never reach the store."""
        ...

    def head(self, name: Word) -> Snapshot | None:
        """The last step; None where no pipeline has that name."""
        ...

    def append(self, name: Word, head: Snapshot | None, new: NewStep) -> Snapshot:
        """Make a step, its payload and its envelope visible at once, if `head` is still the head
        (None: if there is none). Else raises `Conflict`, and nothing is visible."""
        ...

    def load(self, name: Word, oid: Oid) -> Snapshot:
        """A step of that pipeline, or an output that one of its steps keeps."""
        ...

    def list(self, name: Word) -> Iterator[Snapshot]:
        """From the last step to the first."""
        ...

    def delete(self, name: Word) -> None:
        """Forget the name, so that another pipeline can have it. The steps stay."""
        ...

    def rotate_key(self) -> str:
        """Sign with a new key from now on; its fingerprint. What was signed stays verifiable."""
        ...

    def close(self) -> None: ...


class Keys(Protocol):
    """Who signs, in whose name, and who else may."""

    @property
    def signer(self) -> Signer: ...

    @property
    def signers(self) -> Signers: ...

    @property
    def strict(self) -> bool:
        """Whether nobody unknown may sign."""
        ...

    def idents(self) -> tuple[Ident, Ident]:
        """Author and committer, now."""
        ...

    def rotate(self) -> str: ...


class ChainSteps:
    """A `StepStore` on any store of objects and refs: each step a signed commit of a run."""

    def __init__(self, store: Store, keys: Keys, literals: Callable[[], Sequence[str]]) -> None:
        self._store, self._keys, self._literals = store, keys, literals
        self._runs: dict[Word, tuple[RunId, Move]] = {}
        """The run of each name, and the move that checks in a transaction that it is still that."""
        self._known: dict[Word, Snapshot] = {}
        """What was verified, or made here, is not read again while it is the head."""

    @property
    def literals(self) -> Sequence[str]:
        return self._literals()

    def head(self, name: Word) -> Snapshot | None:
        found = self._runs.get(name) or self._run(name)
        tip = self._store.ref(names.run_ref(found[0])) if found else None
        if found is None or tip is None:
            return None
        self._runs[name] = found
        known = self._known.get(name)
        if known is None or known.id != tip:
            known = self._known[name] = self.load(name, tip)
        return known

    def append(self, name: Word, head: Snapshot | None, new: NewStep) -> Snapshot:
        try:
            made = self._follow(name, head, new) if head else self._begin(name, new)
        except Conflict:
            self._runs.pop(name, None)
            raise
        self._known[name] = made
        return made

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

    def rotate_key(self) -> str:
        return self._keys.rotate()

    def close(self) -> None:
        self._store.close()

    # Making steps

    def _follow(self, name: Word, head: Snapshot, new: NewStep) -> Snapshot:
        """The transaction also checks that the run is still the one of that name."""
        signer, ref, number = self._keys.signer, names.run_ref(head.run), head.step + 1
        still = self._runs.get(name) or self._run(name)
        if still is None or still[0] != head.run:
            raise Conflict(names.pipeline_ref(name), head.run, still and still[0])
        kept: tuple[Oid, ...] = ()
        if new.rejected:
            output = self._draft(name, head.run, number, new.rejected)
            beside = chain.write(self._store, head.record, output, signer)
            kept = (beside.oid,)
            new = new.replace(event=new.event.replace(rejected=beside.digest))
        draft = self._draft(name, head.run, number, new)
        draft = draft.replace(second_parents=kept, also=(still[1],))
        return _made(chain.append(self._store, ref, head.record, draft, signer), head.contents, new)

    def _begin(self, name: Word, new: NewStep) -> Snapshot:
        """The name and the run's first step appear in one transaction: of two at once, one wins."""
        ref = names.pipeline_ref(name)
        before = self._store.ref(ref)
        if before and self.head(name):
            raise Conflict(ref, None, before)
        now = clock.minute(clock.now())
        run = RunId(f"{now}-{names.slug(name)}-{clock.random_hex(4)}")
        named = Move(ref, before, self._store.put_blob(f"{run}\n".encode()))
        draft = self._draft(name, run, 1, new).replace(also=(named,))
        step = chain.append(self._store, names.run_ref(run), None, draft, self._keys.signer)
        return _made(step, {}, new)

    def _draft(self, name: Word, run: RunId, number: int, new: NewStep) -> Draft:
        author, committer = self._keys.idents()
        return Draft(
            run=run,
            role=new.event.agent,
            state=state_to_json(PipelineState(name, OPEN, new.event)),
            files={names.section_path(section): data for section, data in new.changes.items()},
            message=story.message(name, run, number, new.event, sorted(new.changes)),
            author=author,
            committer=committer,
            budget_used=new.used,
            budget_total=new.total,
        )

    # Reading steps

    def _run(self, name: Word) -> tuple[RunId, Move] | None:
        ref = names.pipeline_ref(name)
        pointer = self._store.ref(ref)
        if pointer is None:
            return None
        try:
            run = RunId(self._store.blob(pointer).decode("ascii").strip())
        except (UnicodeDecodeError, InvalidName):
            raise Corrupt("names no run", where=ref) from None
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


def _made(step: Step, before: Mapping[str, bytes], new: NewStep) -> Snapshot:
    return Snapshot(step, state_of(step), applied(before, new.changes))


def _format(step: Step) -> str:
    return "sha1" if len(step.oid) == 40 else "sha256"
