"""Several agents make one step: each starts from the same step, and a join makes one of them.

While others are awaited, what an agent said is kept under a ref of its own, until a join has it as
a parent. So after a crash whoever forks again from the same step finds what was finished. What the
store takes just now from nobody, the pipeline holds until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial

from relay_git.errors import RelayError
from relay_git.pipeline.branch import Branch, Fork, check_forks
from relay_git.pipeline.codes import Code, PipelineError
from relay_git.pipeline.diff import Diff
from relay_git.pipeline.driver import Body, Ended, Several
from relay_git.pipeline.join import Candidate, Decision, JoinStrategy, decide
from relay_git.pipeline.kept import rejected_of
from relay_git.pipeline.manifest import Manifest
from relay_git.pipeline.results import RolledBack, Success
from relay_git.pipeline.rules import Finding
from relay_git.pipeline.snapshot import Snapshot
from relay_git.pipeline.state import Event, Joined, Kind
from relay_git.pipeline.stepping import Stepper, check_budget
from relay_git.pipeline.stepstore import NewStep
from relay_git.pipeline.tokens import MOST
from relay_git.pipeline.turns import StepTurn, running
from relay_git.pipeline.validator import Report


class Forking:
    """One set of forks on its way to a join."""

    def __init__(self, stepper: Stepper, forks: Sequence[Fork], strategy: JoinStrategy) -> None:
        """What they are is checked when they run."""
        self._stepper, self._forks, self._strategy = stepper, forks, strategy

    def run(self) -> Body[Success | RolledBack]:
        """Raises `PipelineError`."""
        for _ in range(self._stepper.tries):
            with self._stepper.watch.step() as turn:
                result = turn.ended((yield from self._once(turn)))
            if isinstance(result, Success):
                break
        return result

    def _once(self, turn: StepTurn) -> Body[Success | RolledBack]:
        if not isinstance(self._strategy, JoinStrategy):
            what = f"{type(self._strategy).__name__} is no JoinStrategy"
            raise PipelineError(Code.INVALID_FORK, what)
        check_forks(self._forks, self._stepper.store.literals)
        base = self._stepper.ready()
        turn.started(base)
        branches = self._begun(base)
        agents = ", ".join(branch.manifest.agent_id for branch in branches)
        check_budget(base, agents, sum(branch.reserved for branch in branches))
        attempt = partial(self._join, base, branches)
        try:
            yield from self._ask(base, branches, turn)
            self._take_kept(base, branches)
            for branch in branches:
                branch.make()
            return (yield from self._stepper.while_it_moves(base, self._stepper.ready, attempt))
        except BaseException:
            self._save(base, branches)
            raise

    def _begun(self, base: Snapshot) -> list[Branch]:
        branches = [Branch(self._stepper, base, fork) for fork in self._forks]
        self._take_kept(base, branches)
        for branch in branches:
            if branch.is_awaited:
                branch.said = self._stepper.unkept.of(base, branch.fork.name, branch.manifest)
        return branches

    def _take_kept(self, base: Snapshot, branches: Iterable[Branch]) -> None:
        """What was finished in an earlier attempt, or before this one by somebody else."""
        kept = {
            (output.event.fork, output.event.manifest): output
            for output in self._stepper.store.kept(self._stepper.name, base)
        }
        for branch in branches:
            if output := kept.get((branch.fork.name, branch.manifest.digest)):
                branch.take(output)

    def _ask(self, base: Snapshot, branches: Sequence[Branch], turn: StepTurn) -> Body[None]:
        asked = [branch for branch in branches if branch.is_awaited]
        turns = [turn.fork(branch.fork.name, branch.manifest.agent_id) for branch in asked]
        calls = [branch.call(turn) for branch, turn in zip(asked, turns, strict=True)]

        def ended(some: list[Ended]) -> bool:
            """While others are awaited, what is there is kept, or at the join, if that cannot be
            now; the last ones are joined at once."""
            for one in some:
                asked[one.number].answered(one)
            enough = self._enough(base, branches)
            if not enough and any(branch.is_awaited for branch in asked):
                with suppress(RelayError, OSError):
                    self._keep(base, [asked[one.number] for one in some])
            for one in some:
                asked[one.number].tell(turns[one.number])
            return enough

        if calls and not self._enough(base, branches):
            with running(turns):
                yield Several(calls, ended)

    def _keep(self, base: Snapshot, branches: Sequence[Branch]) -> None:
        for branch in branches:
            branch.make()
        self._stepper.store.keep(self._stepper.name, base, _outputs(branches))
        for branch in branches:
            branch.is_kept = True

    def _save(self, base: Snapshot, branches: Sequence[Branch]) -> None:
        """For the next attempt."""
        left = [branch for branch in branches if branch.said and not branch.is_kept]
        try:
            self._keep(base, left)
        except (RelayError, OSError):
            self._stepper.unkept.hold(base, (branch.said for branch in left if branch.said))

    def _enough(self, base: Snapshot, branches: Iterable[Branch]) -> bool:
        first = self._strategy is JoinStrategy.FIRST_WINS
        return first and any(branch.accepted(base) for branch in branches)

    # The join

    def _join(
        self, base: Snapshot, branches: Sequence[Branch], head: Snapshot
    ) -> Success | RolledBack:
        accepted = [branch for branch in branches if branch.accepted(head)]
        if refused := self._refused(head, branches, accepted):
            return self._roll_back(head, branches, Report(Diff(), tuple(refused), 0.0))
        if self._strategy is JoinStrategy.FIRST_WINS:
            accepted = accepted[:1]
        candidates = [_candidate(branch, head) for branch in accepted]
        decision = decide(self._strategy, base.contents, candidates)
        if decision.conflicts:
            return self._roll_back(head, branches, _conflict(decision, self._strategy))
        return self._commit(head, branches, decision)

    def _refused(
        self, head: Snapshot, branches: Sequence[Branch], accepted: Sequence[Branch]
    ) -> list[Finding]:
        """Why there can be no join. Raises `PipelineError` where agents failed, so that there is
        nothing to judge: what the others said stays, for the next attempt."""
        errors = [branch.error for branch in branches if branch.error]
        found = [finding for branch in branches for finding in branch.findings(head)]
        if self._strategy is JoinStrategy.UNION:
            if errors:
                raise errors[0]
            return found
        if accepted:
            return []
        what = f"none of {len(branches)} forks was accepted"
        if not found:
            reasons = "; ".join(error.what for error in errors)
            raise PipelineError(Code.ALL_FORKS_FAILED, f"{what}: {reasons}")
        return [Finding(Code.ALL_FORKS_FAILED, None, what), *found]

    def _commit(
        self, head: Snapshot, branches: Sequence[Branch], decision: Decision
    ) -> Success | RolledBack:
        manifest, tokens = _together(b for b in branches if b.fork.name in decision.chosen)
        report = self._stepper.validate(head, decision.changes, manifest, tokens)
        if not report.ok:
            return self._roll_back(head, branches, report, decision)
        cost = sum(branch.cost for branch in branches if branch.accepted(head))
        check_budget(head, manifest.agent_id, cost)
        event = self._event("join", head, branches, report, decision.chosen)
        used, total = head.budget_used + cost, head.budget_total
        new = NewStep(event, decision.changes, used, total, joins=_outputs(branches))
        return Success(self._stepper.append(head, new), report)

    def _roll_back(
        self,
        head: Snapshot,
        branches: Sequence[Branch],
        report: Report,
        decision: Decision | None = None,
    ) -> RolledBack:
        """The pipeline stands where it did. Beside it hang the outputs of the forks, and what they
        were joined to, if it came to that."""
        used, total = head.budget_used, head.budget_total
        back = self._event("rollback", head, branches, report, ()).replace(
            to=head.step, findings=self._stepper.clean(report.findings)
        )
        joined = decision and NewStep(back.replace(kind="output"), decision.changes, used, total)
        new = NewStep(back, {}, used, total, joined or None, _outputs(branches))
        now = self._stepper.append(head, new)
        kept = rejected_of(self._stepper.store, now) if joined else _at_fault(head, branches)
        return RolledBack(now, kept, report)

    def _event(
        self,
        kind: Kind,
        head: Snapshot,
        branches: Sequence[Branch],
        report: Report,
        chosen: tuple[str, ...],
    ) -> Event:
        receipts = (branch.receipt(head) for branch in branches)
        clean = self._stepper.clean_text
        told = tuple(receipt.replace(reason=clean(receipt.reason)) for receipt in receipts)
        confidence = round(1000 * report.confidence)
        return Event(
            kind,
            sliced_at=head.step,
            confidence=confidence,
            join=Joined(self._strategy, chosen, told),
        )


def _candidate(branch: Branch, head: Snapshot) -> Candidate:
    sections = branch.output.contents if branch.output else {}
    return Candidate(branch.fork.name, sections, round(1000 * branch.report(head).confidence))


def _outputs(branches: Iterable[Branch]) -> tuple[Snapshot, ...]:
    return tuple(branch.output for branch in branches if branch.output)


def _together(chosen: Iterable[Branch]) -> tuple[Manifest, int]:
    """What a join may write, and how many tokens it has of its forks."""
    branches = list(chosen)
    tokens = sum(branch.output.event.output_tokens for branch in branches if branch.output)
    if len(branches) == 1:
        return branches[0].manifest, tokens
    manifests = [branch.manifest for branch in branches]
    writes = [name for manifest in manifests for name in manifest.writes]
    most = sum(manifest.max_output for manifest in manifests)
    return Manifest("join", writes=writes, max_output=min(most, MOST)), tokens


def _conflict(decision: Decision, strategy: JoinStrategy) -> Report:
    union = strategy is JoinStrategy.UNION
    what = "forks wrote different values" if union else "no value has more than half of the forks"
    findings = (Finding(Code.MERGE_CONFLICT, name, what) for name in decision.conflicts)
    return Report(Diff(), tuple(findings), 0.0)


def _at_fault(head: Snapshot, branches: Sequence[Branch]) -> Snapshot:
    """The first output that is not accepted; where all are, they are not of one mind."""
    rejected = [b.output for b in branches if b.output and not b.report(head).ok]
    return (rejected or [*_outputs(branches)])[0]
