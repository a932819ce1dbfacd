"""How a step is made, in this order: read the head, slice, budget, ask the agent without a lock,
validate against the head that was read, one compare-and-swap. A head that moved meanwhile is read
again, and the output validated against it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from relay_git import clock
from relay_git.errors import Conflict
from relay_git.names import Word
from relay_git.pipeline import sections
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.driver import Body, Call
from relay_git.pipeline.frozen import Json, freeze
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.packing import Packer, tokens_of
from relay_git.pipeline.results import RolledBack, Success
from relay_git.pipeline.rules import Rule
from relay_git.pipeline.sections import Output
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import OPEN, Event
from relay_git.pipeline.stepstore import NewStep, StepStore
from relay_git.pipeline.tokens import TokenCounter, check_budget
from relay_git.pipeline.validator import Report, validate
from relay_git.record import Record

T = TypeVar("T")

_TRIES = 20

Agent = Callable[[Slice, Manifest], "Mapping[str, Any] | Awaitable[Mapping[str, Any]]"]
"""Given what it may see, says what it changes: sections of JSON by name, None takes one out."""


class Work(Record):
    """What an agent did: from which slice, with what output, of how many tokens."""

    manifest: Manifest
    slice: Slice
    output: Output
    tokens: int

    @property
    def cost(self) -> int:
        return self.slice.tokens + self.tokens


class Stepper:
    """Makes the steps of one pipeline. It remembers the newest that it has seen."""

    def __init__(
        self,
        name: Word,
        store: StepStore,
        packer: Packer,
        counter: TokenCounter,
        rules: Sequence[Rule],
        tries: int,
    ) -> None:
        """An agent is asked `tries` times until its output is accepted."""
        self.name, self.store = name, store
        self._packer, self._counter = packer, counter
        self._rules, self._tries = rules, tries
        self._newest: Snapshot | None = None

    def create_or_resume(self, budget: int, payload: Output) -> Snapshot:
        """The head. Of several that create at once, one does and the others resume."""
        new = NewStep(Event("start", masked=payload.masked), payload.contents, 0, budget)
        for _ in range(_TRIES):
            try:
                head = self.store.head(self.name) or self.store.append(self.name, None, new)
                return self.seen(head)
            except Conflict:
                continue
        return self.read()

    def read(self) -> Snapshot:
        """The head, verified. Raises `PipelineError` (NO_SUCH_STEP, STALE_NONCE)."""
        head = self.store.head(self.name)
        if head is None:
            raise PipelineError(Code.NO_SUCH_STEP, f"there is no pipeline {self.name}")
        return self.seen(head)

    def seen(self, head: Snapshot) -> Snapshot:
        """Raises `PipelineError` (STALE_NONCE) if the head went back."""
        newest = self._newest
        known = newest and newest.run == head.run and newest.record.digest != head.record.digest
        if known and newest and head.nonce <= newest.nonce:
            what = f"the head of {self.name} went back: nonce {head.nonce} after {newest.nonce}"
            raise PipelineError(Code.STALE_NONCE, what)
        self._newest = head
        return head

    def step(self, manifest: Manifest, agent: Agent) -> Body[Success | RolledBack]:
        for _ in range(self._tries):
            head = self._ready()
            given = self._slice(head, manifest)
            reserved = given.tokens + manifest.max_output
            _check_budget(head, manifest, reserved)
            output = yield from self._ask(agent, given, manifest)
            work = Work(manifest, given, output, self._tokens(output))
            result = yield from self._commit(head, work)
            if isinstance(result, Success):
                break
        return result

    def rollback(self, target: Snapshot) -> Body[Success]:
        def attempt(head: Snapshot) -> Success:
            changes = _exactly(head.contents, target.contents)
            event = Event("rollback", to=target.step)
            new = NewStep(event, changes, head.budget_used, head.budget_total)
            return Success(self._append(head, new))

        return (yield from self._while_it_moves(self.read(), self.read, attempt))

    # The parts of a step, in their order

    def _ready(self) -> Snapshot:
        head = self.read()
        if head.state.status != OPEN:
            what = f"{head.run} went on in two places; choose a step with `rollback`"
            raise PipelineError(Code.DIVERGED, what)
        return head

    def _slice(self, head: Snapshot, manifest: Manifest) -> Slice:
        payload = head.payload
        readable = {name: payload[name] for name in manifest.reads if name in payload}
        packed = self._pack(readable, manifest)
        tokens = tokens_of(packed, self._counter)
        if tokens > manifest.max_tokens:
            what = f"the slice has {tokens} tokens, over its limit of {manifest.max_tokens}"
            raise PipelineError(Code.INVALID_SLICE, f"{manifest.agent_id}: {what}")
        return Slice(head.run, head.step, manifest.agent_id, freeze(packed), tokens)

    def _pack(self, readable: Mapping[str, Json], manifest: Manifest) -> dict[str, Json]:
        try:
            packed = dict(self._packer.pack(readable, manifest, self._counter))
        except PipelineError:
            raise
        except Exception as error:
            what = f"the packer failed: {type(error).__name__}: {error}"
            raise PipelineError(Code.INVALID_SLICE, what) from error
        if more := packed.keys() - readable.keys():
            what = f"{manifest.agent_id}: the packer adds {', '.join(sorted(more))}"
            raise PipelineError(Code.INVALID_SLICE, what)
        return packed

    def _ask(self, agent: Agent, given: Slice, manifest: Manifest) -> Generator[Call, Any, Output]:
        try:
            answer = yield partial(agent, given, manifest)
        except Exception as error:
            what = f"{manifest.agent_id} at step {given.step + 1}: {type(error).__name__}: {error}"
            raise PipelineError(Code.AGENT_FAILED, what) from error
        try:
            return sections.read_output(answer, self.store.literals)
        except PipelineError as error:
            what = f"{manifest.agent_id} at step {given.step + 1}: {error.what}"
            raise PipelineError(error.code, what) from None

    def _tokens(self, output: Output) -> int:
        return tokens_of(output.values, self._counter)

    def _commit(self, head: Snapshot, work: Work) -> Body[Success | RolledBack]:
        def attempt(head: Snapshot) -> Success | RolledBack:
            report = self._validate(head, work)
            if not report.ok:
                return self._keep(head, work, report)
            _check_budget(head, work.manifest, work.cost)
            used = head.budget_used + work.cost
            new = NewStep(
                _event("step", work, report), work.output.contents, used, head.budget_total
            )
            return Success(self._append(head, new), report)

        return (yield from self._while_it_moves(head, self._ready, attempt))

    def _validate(self, head: Snapshot, work: Work) -> Report:
        before = freeze(head.payload)
        after = {name: before[name] for name in before if name not in work.output.contents}
        after |= freeze(work.output.values)
        return validate(self._rules, before, freeze(after), work.manifest, work.tokens)

    def _keep(self, head: Snapshot, work: Work, report: Report) -> RolledBack:
        """The pipeline stands where it did, and the output hangs beside it."""
        used, total = head.budget_used, head.budget_total
        findings = tuple(
            finding.replace(reason=sections.clean_text(finding.reason, "", self.store.literals))
            for finding in report.findings
        )
        event = _event("output", work, report)
        output = NewStep(event, work.output.contents, used, total)
        back = event.replace(kind="rollback", to=head.step, findings=findings)
        now = self._append(head, NewStep(back, {}, used, total, output))
        return RolledBack(now, rejected_of(self.store, now), report)

    def _append(self, head: Snapshot, new: NewStep) -> Snapshot:
        return self.seen(self.store.append(self.name, head, new))

    def _while_it_moves(
        self, head: Snapshot, read: Callable[[], Snapshot], attempt: Callable[[Snapshot], T]
    ) -> Body[T]:
        """Attempt it on the head, and again on each new one while others are quicker."""
        for number in range(1, _TRIES + 1):
            try:
                return attempt(head)
            except Conflict:
                yield partial(clock.pause, number)
                head = read()
        what = f"others moved {self.name} {_TRIES} times meanwhile"
        raise PipelineError(Code.HEAD_MOVED, what)


def rejected_of(store: StepStore, step: Snapshot) -> Snapshot:
    """The output that a rollback step keeps. Raises `PipelineError` (NO_SUCH_STEP, TAMPERED)."""
    digest = step.event.rejected
    if digest is None:
        raise PipelineError(Code.NO_SUCH_STEP, f"step {step.step} keeps no rejected output")
    kept = store.load(step.state.pipeline, step.record.commit.parents[-1])
    if kept.record.digest != digest:
        raise PipelineError(Code.TAMPERED, f"step {step.step} keeps another output than it says")
    return kept


def _check_budget(head: Snapshot, manifest: Manifest, tokens: int) -> None:
    limit, used = head.budget_total, head.budget_used
    check_budget(head.step + 1, manifest.agent_id, limit, used, tokens)


def _event(kind: Any, work: Work, report: Report) -> Event:
    return Event(
        kind,
        agent=work.manifest.agent_id,
        manifest=work.manifest.digest,
        sliced_at=work.slice.step,
        slice_tokens=work.slice.tokens,
        output_tokens=work.tokens,
        confidence=round(1000 * report.confidence),
        masked=work.output.masked,
    )


def _exactly(before: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """The changes after which a payload is `wanted`."""
    gone: dict[str, bytes | None] = dict.fromkeys(before.keys() - wanted.keys())
    return gone | {name: data for name, data in wanted.items() if before.get(name) != data}
