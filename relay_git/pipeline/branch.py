"""One of several agents that start from the same step, and what became of it so far."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

from relay_git.errors import InvalidName
from relay_git.names import Word
from relay_git.pipeline.agents import Agent, call_of
from relay_git.pipeline.changes import Changes, overtaken
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.driver import Call, Ended
from relay_git.pipeline.fault import agent_failed, check_manifest
from relay_git.pipeline.join import changed
from relay_git.pipeline.manifest import Manifest, Slice
from relay_git.pipeline.rules import Finding
from relay_git.pipeline.sections import refuse_secret
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import Outcome, Receipt
from relay_git.pipeline.stepping import Stepper, event_of
from relay_git.pipeline.stepstore import NewStep
from relay_git.pipeline.turns import ForkTurn
from relay_git.pipeline.validator import Report
from relay_git.record import Record


class Fork(Record):
    """One of several agents that start from the same step. `name` tells it from the others, and is
    letters, digits, `_`, `.` and `-`. What is wrong with a fork is told by `Pipeline.fork`."""

    name: str
    manifest: Manifest
    agent: Agent


class Branch:
    """What became of a fork so far: its output, why it has none, or nothing yet."""

    def __init__(self, stepper: Stepper, base: Snapshot, fork: Fork) -> None:
        self.fork, self.manifest = fork, fork.manifest
        self.said: NewStep | None = None
        """What its agent said, as the step that is made of it."""
        self.output: Snapshot | None = None
        """That step, once the store has made it."""
        self.is_kept = False
        self.error: PipelineError | None = None
        self._stepper, self._base = stepper, base
        self._reports: dict[str, Report] = {}

    @cached_property
    def given(self) -> Slice:
        return self._stepper.slice(self._base, self.manifest)

    @property
    def reserved(self) -> int:
        """The tokens that it costs, or may."""
        return self.cost if self.said else self.given.tokens + self.manifest.max_output

    @property
    def cost(self) -> int:
        return self.said.event.slice_tokens + self.said.event.output_tokens if self.said else 0

    @property
    def changes(self) -> Changes:
        return self.said.changes if self.said else {}

    @property
    def is_awaited(self) -> bool:
        return self.said is None and self.error is None

    def take(self, output: Snapshot) -> None:
        """An output that was kept already, in place of its own."""
        if self.output is None or self.output.id != output.id:
            base = self._base
            changes = changed(base.contents, output.contents)
            self.said = NewStep(output.event, changes, base.budget_used, base.budget_total)
            self.output, self.error, self.is_kept = output, None, True
            self._reports.clear()

    def make(self) -> None:
        """Let the store make what was said, if it has not yet."""
        if self.said and not self.output:
            self.output = self._stepper.store.beside(self._stepper.name, self._base, self.said)

    def answered(self, ended: Ended) -> None:
        try:
            if ended.error:
                raise agent_failed(self.manifest, self._base.step, ended.error)
            work = self._stepper.work(self._base, self.given, self.manifest, ended.value)
            changes, base = work.output.contents, self._base
            report = self._stepper.validate(base, changes, self.manifest, work.tokens)
        except PipelineError as error:
            self.error = PipelineError(error.code, f"fork {self.fork.name}: {error.what}")
            self.error.__cause__ = ended.error
            return
        self._reports[base.id] = report
        event = event_of("fork", work, report).replace(fork=self.fork.name)
        self.said = NewStep(event, changes, base.budget_used, base.budget_total)

    def call(self, turn: ForkTurn) -> Call:
        return partial(turn.asking(call_of(self.fork.agent)), self.given, self.manifest)

    def tell(self, turn: ForkTurn) -> None:
        """What came of it, as far as its base knows."""
        if self.error:
            turn.failed(self.error)
        elif self.said:
            turn.finished(self.said.event, self.report(self._base))

    def report(self, head: Snapshot) -> Report:
        """What the rules say of its output after that step."""
        if not self.said:
            raise AssertionError("it has no output")
        if head.id not in self._reports:
            tokens = self.said.event.output_tokens
            report = self._stepper.validate(head, self.changes, self.manifest, tokens)
            lost = overtaken(self._base, head, self.changes)
            self._reports[head.id] = report.with_findings(lost)
        return self._reports[head.id]

    def accepted(self, head: Snapshot) -> bool:
        return self.said is not None and self.report(head).ok

    def findings(self, head: Snapshot) -> list[Finding]:
        """Of an output that is not accepted, each with the name of the fork."""
        found = self.report(head).findings if self.output else ()
        return [one.replace(reason=f"fork {self.fork.name}: {one.reason}") for one in found]

    def receipt(self, head: Snapshot) -> Receipt:
        made = partial(Receipt, self.fork.name, self.manifest.agent_id, self.manifest.digest)
        if self.error:
            return made("failed", code=self.error.code, reason=self.error.what)
        if not self.output:
            return made("cancelled")
        report, event = self.report(head), self.output.event
        outcome: Outcome = "accepted" if report.ok else "rejected"
        return made(
            outcome,
            self.output.record.digest,
            round(1000 * report.confidence),
            event.slice_tokens,
            event.output_tokens,
            None if report.ok else report.findings[0].code,
            "" if report.ok else report.reason,
        )


def check_forks(forks: Sequence[Fork], literals: Sequence[str]) -> None:
    """Raises `PipelineError` (INVALID_FORK, INVALID_MANIFEST, AGENT_FAILED)."""
    if isinstance(forks, Fork | str) or not isinstance(forks, Sequence):
        raise PipelineError(Code.INVALID_FORK, f"no list of forks but {type(forks).__name__}")
    if not forks:
        raise PipelineError(Code.INVALID_FORK, "there are no forks")
    seen: set[str] = set()
    for fork in forks:
        _check_fork(fork, literals)
        if fork.name.casefold() in seen:
            raise PipelineError(Code.INVALID_FORK, f"two forks are called {fork.name}")
        seen.add(fork.name.casefold())


def _check_fork(fork: object, literals: Sequence[str]) -> None:
    if not isinstance(fork, Fork):
        raise PipelineError(Code.INVALID_FORK, f"{type(fork).__name__} is no Fork")
    refuse_secret(fork.name, literals, Code.INVALID_FORK)
    try:
        Word(fork.name)
        check_manifest(fork.manifest, literals)
        call_of(fork.agent)
    except PipelineError as error:
        raise PipelineError(error.code, f"fork {fork.name}: {error.what}") from None
    except (InvalidName, TypeError, AttributeError) as error:
        raise PipelineError(Code.INVALID_FORK, f"the name of a fork: {error}") from None
