"""A pipeline: agents that pass a payload on, each step validated, signed and reversible."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self, TypeVar

from relay_git.errors import InvalidName
from relay_git.names import RunId, Word
from relay_git.pipeline import sections
from relay_git.pipeline.agents import Agent
from relay_git.pipeline.branch import Fork
from relay_git.pipeline.changes import check_apart
from relay_git.pipeline.codes import Code, PipelineError, quoted, short, told
from relay_git.pipeline.driver import Body, run_async, run_sync
from relay_git.pipeline.forking import Forking
from relay_git.pipeline.join import JoinStrategy
from relay_git.pipeline.kept import forks_of, rejected_of
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.notice import Moment, Observer
from relay_git.pipeline.packers import Recency
from relay_git.pipeline.packing import Packer
from relay_git.pipeline.results import Failure, Result, Success
from relay_git.pipeline.rules import Rule, size_bounds
from relay_git.pipeline.sections import refuse_secret
from relay_git.pipeline.settings import (
    DEFAULT_BUDGET,
    SURFACE,
    Policy,
    callables,
    having,
    tries_of,
)
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.stepping import Stepper
from relay_git.pipeline.stepstore import StepStore
from relay_git.pipeline.threads import Aside
from relay_git.pipeline.tokens import HeuristicCounter, TokenCounter, is_count
from relay_git.pipeline.watch import Watch

N = TypeVar("N")


class Pipeline:
    """One pipeline, open. It holds no lock: any number may be open on the same name at once."""

    def __init__(self, stepper: Stepper) -> None:
        """Use `open`."""
        self._stepper = stepper
        self._store, self._watch = stepper.store, stepper.watch
        self._aside = Aside() if stepper.store.on_server else None

    @classmethod
    def open(
        cls,
        store: str | os.PathLike[str] | StepStore,
        name: str,
        *,
        token_budget: int | None = None,
        payload: Mapping[str, Any] | None = None,
        packer: Packer | None = None,
        counter: TokenCounter | None = None,
        rules: Iterable[Rule] | None = None,
        on_reject: Policy = SURFACE,
        run: str | None = None,
        observers: Iterable[Observer] = (),
    ) -> Self:
        """The pipeline of that name, created if there is none.

        `store` is a step store, or a path inside the git repository that keeps the steps.
        `token_budget` is the total for the life of the pipeline, in tokens; 8,000 if left out.
        `payload` is what it starts with, sections of JSON by name; it is not looked at when the
        pipeline exists.
        `packer` cuts what an agent reads down to its tokens, and `counter` counts these; `Recency`
        and `HeuristicCounter` if left out.
        `rules` are those that an output must keep to, beside that only declared sections are
        written; if left out, no section may be over a million bytes.
        `on_reject` is `SURFACE`, so that a rejection is handed to the caller, or `retry(times)`.
        `run` is the id of an open run of this pipeline that the name is to stand for from now on,
        such as one that was fetched from another clone.
        `observers` are told what happens, beside the log `relay.audit`.

        Raises `PipelineError`: INVALID_NAME, INVALID_SETTING, INVALID_PAYLOAD, PIPELINE_MISMATCH
        (another budget than it was created with, or a run of another pipeline), NO_SUCH_STEP (no
        such run), and the codes of the store: TAMPERED, BROKEN_PARENT, STALE_NONCE,
        UNKNOWN_SIGNER, NEWER_FORMAT, STORE_FAILED.
        """
        with told():
            stepper = Stepper(
                _named(Word, name),
                _opened(store),
                having("pack", Recency() if packer is None else packer, "packer"),
                having("count", HeuristicCounter() if counter is None else counter, "counter"),
                (size_bounds(),) if rules is None else callables(rules, "rule"),
                tries_of(on_reject),
                callables(observers, "observer"),
            )
            refuse_secret(stepper.name, stepper.store.literals, Code.INVALID_NAME)
        with stepper.watch.told():
            if run is not None:
                stepper.store.adopt(stepper.name, _named(RunId, run))
            _begin(stepper, token_budget, {} if payload is None else payload)
        return cls(stepper)

    def __repr__(self) -> str:
        return f"Pipeline({self.name})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes and connections that serve the store, and tell observers. What is
        called afterwards opens them again."""
        self._store.close()
        self._watch.tell(Moment.PIPELINE_CLOSED)

    # Steps

    async def step(self, manifest: Manifest, agent: Agent) -> Result:
        """Let an agent make the next step. An agent that is no coroutine function is called in a
        thread, and so is a store on a server, with the rules and the packer.

        `Success`, `RolledBack` with what the validator found, or `Failure`: INVALID_MANIFEST,
        INVALID_SLICE, INVALID_TOKEN_COUNT and BUDGET_EXCEEDED (the agent was not called),
        AGENT_FAILED, INVALID_OUTPUT, RULE_FAILED, HEAD_MOVED (others were quicker, time and again),
        NO_SUCH_STEP (the run has ended), DIVERGED, and the codes of the store.
        """
        body = _guarded(self._watch, self._stepper.step(manifest, agent))
        return await run_async(body, self._aside)

    def step_sync(self, manifest: Manifest, agent: Agent) -> Result:
        """As `step`, for callers without an event loop. The agent may be a coroutine function."""
        return run_sync(_guarded(self._watch, self._stepper.step(manifest, agent)))

    async def fork(self, forks: Sequence[Fork], join: JoinStrategy = JoinStrategy.UNION) -> Result:
        """Let several agents make the next step at the same time, each from the step that
        is the last one now, and join what they say.

        As `step`, and `Failure`: INVALID_FORK; ALL_FORKS_FAILED where no agent answered. A join
        that cannot be is `RolledBack`: MERGE_CONFLICT, ALL_FORKS_FAILED where none was accepted,
        or what was found in an output. `forks_at` has all outputs then.

        Agents that had answered when a process ended, or when another failed, are not asked again
        if the same forks are made from the same step; nor are those whose answers the store could
        not take, as long as this pipeline is open.
        """
        body = _guarded(self._watch, Forking(self._stepper, forks, join).run())
        return await run_async(body, self._aside)

    def fork_sync(self, forks: Sequence[Fork], join: JoinStrategy = JoinStrategy.UNION) -> Result:
        """As `fork`, for callers without an event loop: each agent is asked in a thread."""
        return run_sync(_guarded(self._watch, Forking(self._stepper, forks, join).run()))

    def rollback(self, to: int) -> Result:
        """Stand again where step `to` left the payload, as a step of its own. What was used of the
        budget stays used. `Failure`: NO_SUCH_STEP, HEAD_MOVED, and the codes of the store."""
        found = self.snapshot_at(to)
        if isinstance(found, Failure):
            return found
        return run_sync(_guarded(self._watch, self._stepper.rollback(found.value)))

    def end(self) -> Result:
        """Make a last step, with the status `done`. A repository files the run in its history like
        a workflow's; the name is free again, and this pipeline has no head any more. `Failure`:
        NO_SUCH_STEP (it has ended already), HEAD_MOVED, DIVERGED, and the codes of the store; where
        the last step is made and cannot be filed, whoever opens the name next files it."""
        return run_sync(_guarded(self._watch, self._stepper.end("end")))

    # What there is

    @property
    def name(self) -> str:
        return self._stepper.name

    @property
    def head(self) -> Snapshot:
        """The last step. Raises `PipelineError` with the codes of the store."""
        with self._watch.told():
            return self._stepper.read()

    def snapshot_at(self, step: int) -> Success | Failure:
        """A step by its number; of a run that diverged the newest that has it. `Failure`:
        NO_SUCH_STEP, and the codes of the store."""
        return _found(self._watch, lambda: self._find(step))

    def rejected_at(self, step: int) -> Success | Failure:
        """The output that a rollback step keeps. `Failure`: NO_SUCH_STEP, and the codes of the
        store."""
        return _found(self._watch, lambda: rejected_of(self._store, self._find(step)))

    def forks_at(self, step: int) -> dict[str, Snapshot]:
        """The outputs that a join, or a join that was rolled back, is made of, by the name of the
        fork. Raises `PipelineError`: NO_SUCH_STEP, and the codes of the store."""
        with self._watch.told():
            return forks_of(self._store, self._find(step))

    def history(self) -> list[Snapshot]:
        """Every step, the last one first. Raises `PipelineError` with the codes of the store."""
        with self._watch.told():
            return list(self._store.list(self._stepper.name))

    def rotate_key(self) -> str:
        """Sign with a new key from now on; its fingerprint. Steps signed before stay verifiable.
        Raises `PipelineError` (STORE_FAILED) where the key is the user's own."""
        with told():
            key = self._store.rotate_key()
        self._watch.tell(Moment.KEY_ROTATED)
        return key

    def _find(self, number: int) -> Snapshot:
        if is_count(number):
            for snapshot in self._store.list(self._stepper.name):
                if snapshot.step == number:
                    return snapshot
        raise PipelineError(Code.NO_SUCH_STEP, f"{self.name} has no step {quoted(number)}")


def _guarded(watch: Watch, body: Body[Result]) -> Body[Result]:
    """What goes wrong in operation is a `Failure`."""
    try:
        with watch.told():
            return (yield from body)
    except PipelineError as error:
        return Failure(error.code, str(error))


def _found(watch: Watch, find: Callable[[], Snapshot]) -> Success | Failure:
    try:
        with watch.told():
            return Success(find())
    except PipelineError as error:
        return Failure(error.code, str(error))


def _begin(stepper: Stepper, budget: int | None, payload: Mapping[str, Any]) -> None:
    if budget is not None and not is_count(budget):
        raise PipelineError(Code.INVALID_SETTING, f"a budget of {quoted(budget)} tokens")
    literals = stepper.store.literals
    start = sections.read_output(payload, literals, Code.INVALID_PAYLOAD)
    check_apart(start.contents, Code.INVALID_PAYLOAD)
    head, created = stepper.create_or_resume(DEFAULT_BUDGET if budget is None else budget, start)
    if budget is not None and head.budget_total != budget:
        what = f"{stepper.name} has a budget of {head.budget_total} tokens, not of {budget}"
        raise PipelineError(Code.PIPELINE_MISMATCH, what)
    event = Moment.PIPELINE_OPENED if created else Moment.PIPELINE_RESUMED
    stepper.watch.stands(event, head)


def _named(kind: Callable[[str], N], name: str) -> N:
    try:
        return kind(name)
    except (InvalidName, TypeError, AttributeError) as error:
        raise PipelineError(Code.INVALID_NAME, short(str(error))) from None


def _opened(store: str | os.PathLike[str] | StepStore) -> StepStore:
    if not isinstance(store, str | os.PathLike):
        return having("settle", store, "store of steps")
    from relay_git.pipeline.gitsteps import git_steps

    return git_steps(store)
