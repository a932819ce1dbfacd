"""A pipeline: agents that pass a payload on, each step validated, signed and reversible."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from relay_git.errors import InvalidName
from relay_git.names import Word
from relay_git.pipeline import sections
from relay_git.pipeline.codes import Code, PipelineError, told
from relay_git.pipeline.driver import Body, run_async, run_sync
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.packers import Recency
from relay_git.pipeline.packing import Packer
from relay_git.pipeline.results import Failure, Result, Success
from relay_git.pipeline.rules import Rule, size_bounds
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.stepping import Agent, Stepper, rejected_of
from relay_git.pipeline.stepstore import StepStore
from relay_git.pipeline.tokens import HeuristicCounter, TokenCounter
from relay_git.record import Record

DEFAULT_BUDGET = 8_000


class Policy(Record):
    """What follows a rejected output: an agent is asked `tries` times in all, 1 or more."""

    tries: int

    def __post_init__(self) -> None:
        if not isinstance(self.tries, int) or isinstance(self.tries, bool) or self.tries < 1:
            raise PipelineError(Code.INVALID_SETTING, f"an agent is asked {self.tries!r} times")


SURFACE = Policy(1)
"""The caller is told, and decides."""


def retry(times: int) -> Policy:
    """Ask the agent again, at most that often. Raises `PipelineError` (INVALID_SETTING)."""
    return Policy(times + 1)


class Pipeline:
    """One pipeline, open. It holds no lock: any number may be open on the same name at once."""

    def __init__(self, stepper: Stepper) -> None:
        """Use `open`."""
        self._stepper = stepper
        self._store = stepper.store

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
    ) -> Self:
        """The pipeline of that name, created if there is none.

        `store` is a step store, or a path inside the git repository that keeps the steps.
        `token_budget` is the total for the life of the pipeline, in tokens; 8,000 if left out.
        `payload` is what it starts with, sections of JSON by name; it is not looked at when the
        pipeline exists.
        `rules` are those that an output must keep to, beside that only declared sections are
        written; if left out, no section may be over a million bytes.

        Raises `PipelineError`: INVALID_NAME, INVALID_SETTING, INVALID_PAYLOAD, PIPELINE_MISMATCH
        (another budget than it was created with), and the codes of the store: TAMPERED,
        BROKEN_PARENT, STALE_NONCE, UNKNOWN_SIGNER, NEWER_FORMAT, STORE_FAILED.
        """
        with told():
            stepper = Stepper(
                _name(name),
                _opened(store),
                packer or Recency(),
                counter or HeuristicCounter(),
                (size_bounds(),) if rules is None else tuple(rules),
                on_reject.tries,
            )
            _begin(stepper, token_budget, payload or {})
        return cls(stepper)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes that serve the store."""
        self._store.close()

    # Steps

    async def step(self, manifest: Manifest, agent: Agent) -> Result:
        """Let an agent make the next step. An agent that is no coroutine function is called in a
        thread.

        `Success`, `RolledBack` with what the validator found, or `Failure`: INVALID_SLICE,
        INVALID_TOKEN_COUNT and BUDGET_EXCEEDED (the agent was not called), AGENT_FAILED,
        INVALID_OUTPUT, RULE_FAILED, HEAD_MOVED (others were quicker, time and again), DIVERGED,
        and the codes of the store.
        """
        return await run_async(_guarded(self._stepper.step(manifest, agent)))

    def step_sync(self, manifest: Manifest, agent: Agent) -> Result:
        """As `step`, for callers without an event loop. The agent may be a coroutine function."""
        return run_sync(_guarded(self._stepper.step(manifest, agent)))

    def rollback(self, to: int) -> Result:
        """Stand again where step `to` left the payload, as a step of its own. What was used of the
        budget stays used. `Failure`: NO_SUCH_STEP, HEAD_MOVED, and the codes of the store."""
        found = self.snapshot_at(to)
        if isinstance(found, Failure):
            return found
        return run_sync(_guarded(self._stepper.rollback(found.value)))

    # What there is

    @property
    def name(self) -> str:
        return self._stepper.name

    @property
    def head(self) -> Snapshot:
        """The last step. Raises `PipelineError` with the codes of the store."""
        with told():
            return self._stepper.read()

    def snapshot_at(self, step: int) -> Success | Failure:
        """A step by its number. `Failure`: NO_SUCH_STEP, and the codes of the store."""
        return _found(lambda: self._find(step))

    def rejected_at(self, step: int) -> Success | Failure:
        """The output that a rollback step keeps. `Failure`: NO_SUCH_STEP, and the codes of the
        store."""
        return _found(lambda: rejected_of(self._store, self._find(step)))

    def history(self) -> list[Snapshot]:
        """Every step, the last one first. Raises `PipelineError` with the codes of the store."""
        with told():
            return list(self._store.list(self._stepper.name))

    def rotate_key(self) -> str:
        """Sign with a new key from now on; its fingerprint. Steps signed before stay verifiable.
        Raises `PipelineError` (STORE_FAILED) where the key is the user's own."""
        with told():
            return self._store.rotate_key()

    def _find(self, number: int) -> Snapshot:
        for snapshot in self._store.list(self._stepper.name):
            if snapshot.step == number:
                return snapshot
        raise PipelineError(Code.NO_SUCH_STEP, f"{self.name} has no step {number}")


def _guarded(body: Body[Result]) -> Body[Result]:
    """What goes wrong in operation is a `Failure`."""
    try:
        with told():
            return (yield from body)
    except PipelineError as error:
        return Failure(error.code, str(error))


def _found(find: Callable[[], Snapshot]) -> Success | Failure:
    try:
        with told():
            return Success(find())
    except PipelineError as error:
        return Failure(error.code, str(error))


def _begin(stepper: Stepper, budget: int | None, payload: Mapping[str, Any]) -> None:
    if budget is not None and (not isinstance(budget, int) or budget < 0):
        raise PipelineError(Code.INVALID_SETTING, f"a budget of {budget!r} tokens")
    literals = stepper.store.literals
    start = sections.read_output(payload, literals, Code.INVALID_PAYLOAD)
    head = stepper.create_or_resume(DEFAULT_BUDGET if budget is None else budget, start)
    if budget is not None and head.budget_total != budget:
        what = f"{stepper.name} has a budget of {head.budget_total} tokens, not of {budget}"
        raise PipelineError(Code.PIPELINE_MISMATCH, what)


def _name(name: str) -> Word:
    try:
        return Word(name)
    except (InvalidName, TypeError, AttributeError) as error:
        raise PipelineError(Code.INVALID_NAME, str(error)) from None


def _opened(store: str | os.PathLike[str] | StepStore) -> StepStore:
    if not isinstance(store, str | os.PathLike):
        return store
    from relay_git.pipeline.gitsteps import git_steps

    return git_steps(store)
