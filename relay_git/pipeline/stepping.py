"""How a step is made, in this order: read the head, slice, budget, ask the agent without a lock,
validate against the head that was read, one compare-and-swap. A head that moved meanwhile is read
again, and the output validated against it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from typing import Any, Literal, TypeVar

from relay_git import clock
from relay_git.errors import Conflict, Locked
from relay_git.names import Word
from relay_git.pipeline import sections, slicing, tokens
from relay_git.pipeline.agents import Agent, AgentOutput, Answering, call_of
from relay_git.pipeline.changes import Changes, check_apart, exactly, overtaken
from relay_git.pipeline.codes import Code, PipelineError, short
from relay_git.pipeline.decoded import Decoded
from relay_git.pipeline.driver import Body, Call, Several
from relay_git.pipeline.fault import agent_failed, check_manifest, naming, putting_away
from relay_git.pipeline.frozen import freeze
from relay_git.pipeline.kept import rejected_of
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.notice import Moment, Observer
from relay_git.pipeline.packing import Packer, tokens_of
from relay_git.pipeline.results import RolledBack, Success
from relay_git.pipeline.rules import Finding, Rule
from relay_git.pipeline.sections import Output
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import OPEN, Event, Kind
from relay_git.pipeline.stepstore import NewStep, StepStore
from relay_git.pipeline.tokens import TokenCounter
from relay_git.pipeline.turns import StepTurn
from relay_git.pipeline.unkept import Unkept
from relay_git.pipeline.validator import Report, validate
from relay_git.pipeline.watch import Watch
from relay_git.record import Record

T = TypeVar("T")

_TRIES = 20


class Work(Record):
    """What an agent did: after which step, from which slice, with what output, of how many tokens.
    `said` is all that a runner tells of it."""

    base: Snapshot
    manifest: Manifest
    slice: Slice
    output: Output
    tokens: int
    said: AgentOutput | None = None

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
        observers: Sequence[Observer] = (),
    ) -> None:
        """An agent is asked `tries` times until its output is accepted."""
        self.name, self.store = name, store
        self.watch = Watch(name, lambda: store.literals, observers)
        self._packer, self._counter = packer, counter
        self._rules, self.tries = rules, tries
        self._newest: Snapshot | None = None
        self._decoded = Decoded()
        self.unkept = Unkept()

    def create_or_resume(self, budget: int, payload: Output) -> tuple[Snapshot, bool]:
        """The head, and whether this created it: of several at once, one does."""
        new = NewStep(Event("start", masked=payload.masked), payload.contents, 0, budget)
        for left in reversed(range(_TRIES)):
            try:
                newest, head = self._newest, self.store.head(self.name)
                now = head or self.store.append(self.name, None, new)
                return self.seen(now, newest), head is None
            except Conflict:
                if not left:
                    raise
        raise AssertionError("nothing was tried")

    def read(self) -> Snapshot:
        """The head, verified. Raises `PipelineError` (NO_SUCH_STEP, STALE_NONCE)."""
        newest = self._newest
        head = self.store.head(self.name)
        if head is None:
            raise PipelineError(Code.NO_SUCH_STEP, f"no pipeline {self.name} is open here")
        return self.seen(head, newest)

    def seen(self, head: Snapshot, newest: Snapshot | None) -> Snapshot:
        """`newest` is what was known before the head was read: other threads go on meanwhile.
        Raises `PipelineError` (STALE_NONCE) if the head went back."""
        known = newest and newest.run == head.run and newest.record.digest != head.record.digest
        if known and newest and head.nonce <= newest.nonce:
            what = f"the head of {self.name} went back: nonce {head.nonce} after {newest.nonce}"
            raise PipelineError(Code.STALE_NONCE, what)
        if self._newest is None or self._newest.run != head.run or self._newest.nonce < head.nonce:
            self._newest = head
        self._decoded.keep(head.contents)
        return head

    def step(self, manifest: Manifest, agent: Agent) -> Body[Success | RolledBack]:
        agent_id = manifest.agent_id if isinstance(manifest, Manifest) else None
        for _ in range(self.tries):
            with self.watch.step(agent_id) as turn:
                result = turn.ended((yield from self._step(manifest, agent, turn)))
            if isinstance(result, Success):
                break
        return result

    def _step(self, manifest: Manifest, agent: Agent, turn: StepTurn) -> Body[Success | RolledBack]:
        check_manifest(manifest, self.store.literals)
        head = self.ready()
        turn.started(head)
        given = self.slice(head, manifest)
        reserved = given.tokens + manifest.max_output
        check_budget(head, manifest.agent_id, reserved)
        with naming(manifest, head.step):
            answering = turn.asking(call_of(agent))
        answer = yield from self._ask(answering, given, manifest)
        work = self.work(head, given, manifest, answer)
        return (yield from self._commit(head, work))

    def rollback(self, target: Snapshot) -> Body[Success]:
        def attempt(head: Snapshot) -> Success:
            changes = exactly(head.contents, target.contents)
            event = Event("rollback", to=target.step)
            new = NewStep(event, changes, head.budget_used, head.budget_total)
            return Success(self.append(head, new))

        head = self._of(target.run, self.read())
        back = yield from self.while_it_moves(head, self.read, attempt)
        self.watch.stands(Moment.ROLLED_BACK, back.value, rolled_back_to=target.step)
        return back

    def end(self, kind: Literal["end", "abandon"]) -> Body[Success]:
        """Make the last step, then put the run away: a crash between is made good by whoever
        opens the name next."""

        def attempt(head: Snapshot) -> Success:
            waiting = tuple(self.store.waiting(self.name, head.run))
            event = Event(kind, waiting=tuple(fork.record.digest for fork in waiting))
            new = NewStep(event, {}, head.budget_used, head.budget_total, joins=waiting)
            return Success(self.append(head, new))

        read = self.ready if kind == "end" else self.read
        ended = yield from self.while_it_moves(read(), read, attempt)
        self.watch.stands(Moment.PIPELINE_ENDED, ended.value)
        with putting_away(ended.value.run):
            self.store.settle(self.name, ended.value)
        return ended

    # The parts of a step, in their order

    def ready(self) -> Snapshot:
        """The head, if a step can follow it. Raises `PipelineError` (DIVERGED)."""
        head = self.read()
        if head.state.status != OPEN:
            what = f"{head.run} went on in two places; `git relay resolve` chooses one"
            raise PipelineError(Code.DIVERGED, what)
        return head

    def slice(self, head: Snapshot, manifest: Manifest) -> Slice:
        there = {name: head.contents.get(name) for name in manifest.reads}
        readable = self._decoded.values(there)
        with naming(manifest, head.step):
            return slicing.take(head, readable, manifest, self._packer, self._counter)

    def _ask(
        self, agent: Answering, given: Slice, manifest: Manifest
    ) -> Generator[Call | Several, Any, object]:
        try:
            return (yield partial(agent, given, manifest))
        except Exception as error:
            raise agent_failed(manifest, given.step, error) from error

    def work(self, base: Snapshot, given: Slice, manifest: Manifest, answer: object) -> Work:
        """Raises `PipelineError` (INVALID_OUTPUT, INVALID_TOKEN_COUNT)."""
        with naming(manifest, base.step):
            return self._read(base, given, manifest, answer)

    def _read(self, base: Snapshot, given: Slice, manifest: Manifest, answer: object) -> Work:
        said = answer if isinstance(answer, AgentOutput) else None
        changes = said.sections(manifest) if said else answer
        output = sections.read_output(changes, self.store.literals)
        counted = said.token_count if said else None
        self._decoded.learn(output)
        wrote = tokens_of(output.values, self._counter) if counted is None else counted
        return Work(base, manifest, given, output, wrote, said)

    def _commit(self, head: Snapshot, work: Work) -> Body[Success | RolledBack]:
        def attempt(head: Snapshot) -> Success | RolledBack:
            changes = work.output.contents
            report = self.validate(head, changes, work.manifest, work.tokens)
            report = report.with_findings(overtaken(work.base, head, changes))
            if not report.ok:
                return self._keep(head, work, report)
            check_budget(head, work.manifest.agent_id, work.cost)
            used = head.budget_used + work.cost
            new = NewStep(event_of("step", work, report), changes, used, head.budget_total)
            return Success(self.append(head, new), report, work.said)

        return (yield from self.while_it_moves(head, self.ready, attempt))

    def validate(
        self, head: Snapshot, changes: Changes, manifest: Manifest, output_tokens: int
    ) -> Report:
        """What the rules say of these changes after that step. Raises `PipelineError`
        (RULE_FAILED, INVALID_OUTPUT)."""
        before = self._decoded.values(head.contents)
        after = {name: before[name] for name in before if name not in changes}
        after |= self._decoded.values(changes)
        with naming(manifest, head.step):
            check_apart(after, Code.INVALID_OUTPUT)
            return validate(self._rules, freeze(before), freeze(after), manifest, output_tokens)

    def _keep(self, head: Snapshot, work: Work, report: Report) -> RolledBack:
        """The pipeline stands where it did, and the output hangs beside it."""
        used, total = head.budget_used, head.budget_total
        event = event_of("output", work, report)
        output = NewStep(event, work.output.contents, used, total)
        findings = self.clean(report.findings)
        back = event.replace(kind="rollback", to=head.step, findings=findings)
        now = self.append(head, NewStep(back, {}, used, total, output))
        return RolledBack(now, rejected_of(self.store, now), report, work.said)

    def clean(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Without secrets, which a rule may have quoted."""
        return tuple(
            found.replace(section=self._clean_name(found), reason=self.clean_text(found.reason))
            for found in findings
        )

    def _clean_name(self, found: Finding) -> str | None:
        name = found.section
        return name if name and self.clean_text(name) == name else None

    def clean_text(self, text: str) -> str:
        return short(sections.clean_text(text, "", self.store.literals))

    def _of(self, run: str, head: Snapshot) -> Snapshot:
        """What was made for one run is no step of another that has its name by now."""
        if head.run != run:
            what = f"{run} has ended, and {self.name} is the run {head.run} by now"
            raise PipelineError(Code.NO_SUCH_STEP, what)
        return head

    def append(self, head: Snapshot, new: NewStep) -> Snapshot:
        return self.seen(self.store.append(self.name, head, new), head)

    def while_it_moves(
        self, head: Snapshot, read: Callable[[], Snapshot], attempt: Callable[[Snapshot], T]
    ) -> Body[T]:
        """Attempt it on the head, and again on each new one of its run while others are quicker."""
        run = head.run
        for number in range(1, _TRIES + 1):
            try:
                return attempt(head)
            except Conflict as lost:
                if isinstance(lost, Locked) and number == _TRIES:
                    raise
                yield partial(clock.pause, number)
                head = self._of(run, read())
        what = f"others moved {self.name} {_TRIES} times meanwhile, last to step {head.step}"
        raise PipelineError(Code.HEAD_MOVED, what)


def check_budget(head: Snapshot, agent: str, more: int) -> None:
    """Raises `PipelineError` (BUDGET_EXCEEDED) if the step after `head` would take too much."""
    tokens.check_budget(head.step + 1, agent, head.budget_total, head.budget_used, more)


def event_of(kind: Kind, work: Work, report: Report) -> Event:
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
