"""Fetch, take in, push, and again when somebody was quicker: a bounded number of times.

Nothing is forced, but that a ref may be replaced by what a purge made of it. A ref that the remote
refuses is answered by a fetch, a merge and another push, whatever it says, until the rounds or the
seconds are used up; what is unsent then is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relay_git import clock
from relay_git.errors import Unreached
from relay_git.names import RefName
from relay_git.sync import acquaintance, remotes
from relay_git.sync.incoming import Intake, below
from relay_git.sync.report import Report, Trouble
from relay_git.sync.rules import Rule
from relay_git.sync.transport import Transport, Update
from relay_git.upkeep import is_due, upkeep
from relay_git.workspace import Workspace

DEADLINE = 30.0
IN_HOOK = 10.0
ROUNDS = 5

_LONGEST = 5.0
"""Seconds between two rounds."""

Hear = Callable[[bytes], None]


def sync(
    ws: Workspace,
    remote: str,
    rules: Sequence[Rule],
    deadline: float = DEADLINE,
    attended: bool = False,
    hear: Hear | None = None,
) -> Report:
    """Bring both sides to the same state, within about `deadline` seconds. The report says what is
    kept apart or unsent; a configuration that would lose runs is `Refused`."""
    exchange = _Exchange(ws, remote, rules, deadline, attended, hear)
    return exchange.report_of(exchange.go_rounds)


def fetch(
    ws: Workspace,
    remote: str,
    rules: Sequence[Rule],
    deadline: float = DEADLINE,
    attended: bool = False,
    hear: Hear | None = None,
) -> Report:
    """The first half: what the remote has is ours."""
    exchange = _Exchange(ws, remote, rules, deadline, attended, hear)
    return exchange.report_of(exchange.bring).replace(unsent=())


def push(
    ws: Workspace,
    remote: str,
    rules: Sequence[Rule],
    deadline: float = DEADLINE,
    attended: bool = False,
    hear: Hear | None = None,
) -> Report:
    """The second half, once: where somebody was quicker, ours stays unsent."""
    exchange = _Exchange(ws, remote, rules, deadline, attended, hear)
    return exchange.report_of(exchange.send_once)


class _Exchange:
    """One conversation with a remote, and the report that grows with it."""

    def __init__(
        self,
        ws: Workspace,
        remote: str,
        rules: Sequence[Rule],
        deadline: float,
        attended: bool,
        hear: Hear | None,
    ) -> None:
        remotes.refuse_dangers(ws.config, remote)
        self._ws, self._remote, self._rules = ws, remote, rules
        self._transport = Transport(ws, remote, deadline, attended, hear)
        self._report = Report(remote)
        self._incomplete: str | None = None
        self._untidy = False

    def report_of(self, part: Callable[[], object]) -> Report:
        """After a part, also one that could not reach the remote."""
        try:
            part()
            self._report = self._report.replace(unreached=self._incomplete)
        except Unreached as error:
            updates = self._updates(Intake(self._ws, self._remote, self._rules))
            lacks = self._report.unsent or [Trouble(update.ref, "not sent") for update in updates]
            self._report = self._report.replace(unsent=tuple(lacks), unreached=str(error))
        if self._untidy:
            upkeep(self._ws)
        return self._report

    def go_rounds(self) -> None:
        """The last without a transaction: a ref that is refused for good holds back no other.

        Between two is a pause of a random part of ever more times what a round takes, so that
        however slow the remote is, some of those who got into each other's way are alone.
        """
        for number in range(1, ROUNDS + 1):
            begun = clock.monotonic()
            self.send(self.bring(), atomic=number < ROUNDS)
            if not self._report.unsent or number == ROUNDS or not self._transport.left:
                return
            took = clock.monotonic() - begun
            clock.pause(number, took, min(_LONGEST, self._transport.left))

    def send_once(self) -> None:
        if acquaintance.is_stranger(self._ws, self._remote):
            intake = self.bring()
        else:
            intake = Intake(self._ws, self._remote, self._rules)
            intake.cleanse()
        self.send(intake, atomic=True)

    def bring(self) -> Intake:
        specs = remotes.refspecs(self._ws, self._remote, self._rules)
        self._incomplete = self._transport.fetch(specs)
        acquaintance.remember(self._ws, self._remote)
        intake = Intake(self._ws, self._remote, self._rules)
        intake.run()
        self._report = self._report.then(intake.report())
        self._untidy = bool(self._report.taken) or is_due(self._ws)
        return intake

    def send(self, intake: Intake, atomic: bool) -> None:
        """What goes together first: the ref of a run ends when the history that has it is there."""
        updates = self._updates(intake)
        if intake.is_sent and not updates:
            return
        shared = [update for update in updates if self._rule(update.ref).together]
        unsent = self._push(intake, shared, atomic)
        alone = [update for update in updates if update not in shared]
        unsent += self._push(intake, [*alone, *self._removals(intake)], atomic=False)
        self._report = self._report.replace(unsent=tuple(unsent))
        if not unsent:
            intake.remember(sent=True)

    def _updates(self, intake: Intake) -> list[Update]:
        """What the remote lacks, but for refs where it has something that is kept apart."""
        return [
            Update(ref, tip, intake.leases.get(ref))
            for rule in self._rules
            for ref, tip in below(rule, intake.ours).items()
            if intake.lacks(ref, tip) and ref not in intake.apart and not rule.misnamed(ref)
        ]

    def _removals(self, intake: Intake) -> list[Update]:
        """Refs that the remote needs no more, since it holds their tips in another place, as we."""
        alike = {ref: tip for ref, tip in intake.theirs.items() if intake.ours.get(ref) == tip}
        found = []
        for rule in self._rules:
            standing = below(rule, intake.theirs)
            ended = rule.ended(self._ws, list(standing.items()), alike)
            found += [
                Update(ref, None, intake.leases.get(ref, tip))
                for ref, tip in standing.items()
                if tip in ended
            ]
        return found

    def _push(self, intake: Intake, updates: Sequence[Update], atomic: bool) -> list[Trouble]:
        """What was refused. That a ref stays which is needed no more does no harm."""
        if not updates:
            return []
        told = self._transport.push(updates, atomic)
        acquaintance.remember(self._ws, self._remote)
        for update in updates:
            if told[update.ref] is None:
                intake.sent(update.ref, update.new)
        refused = [(u.ref, told[u.ref]) for u in updates if u.new]
        self._report = self._report.then(intake.report())
        return [Trouble(ref, reason) for ref, reason in refused if reason]

    def _rule(self, ref: RefName) -> Rule:
        return next(rule for rule in self._rules if ref.startswith(rule.prefix))
