"""Take in what a fetch brought: judge it, merge it, move our own refs. All of it passes here alone.

What a remote has lies below its tracking names, where nothing else writes. A ref that is absent
there says nothing. One that is wrong stays there, and is named.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial

from relay_git import files, names
from relay_git.errors import Conflict, Late, Refused, RelayError
from relay_git.git.refs import retrying
from relay_git.git.revisions import reaches
from relay_git.git.store import Move
from relay_git.names import Oid, RefName
from relay_git.sync import graph, purging
from relay_git.sync.report import Report, Trouble
from relay_git.sync.rules import Incoming, Rule, unknown
from relay_git.workspace import Workspace

_TAKEN, _SENT = "taken in", "sent too"
_TRIES, _SECONDS = 20, 5.0
"""To move one ref that others move too, or whose lock somebody holds."""


def take_in(ws: Workspace, remote: str, rules: Sequence[Rule]) -> Report:
    """Make ours what the last fetch of a remote brought. What is refused, and what could not be
    done now, is in the report; only git itself raises."""
    intake = Intake(ws, remote, rules)
    intake.run()
    return intake.report()


class Intake:
    """One pass over the refs of both sides; `ours` and `theirs` are kept as they are then.

    Where they stand as they did when all was taken in, or sent too, nothing needs a second look,
    however much it is. A cache remembers that; without it a pass only takes longer.
    """

    def __init__(self, ws: Workspace, remote: str, rules: Sequence[Rule]) -> None:
        self._ws, self._remote, self._rules = ws, remote, rules
        self.ours: dict[RefName, Oid] = {}
        self.theirs: dict[RefName, Oid] = {}
        self.apart: dict[RefName, str] = {}
        self.leases: dict[RefName, Oid] = {}
        """What a ref truly is at the remote where `theirs` has it without what is banned."""
        self._done: dict[str, list[RefName]] = {}
        prefixes = (names.RELAY, names.NOTES, names.tracking_prefix(remote))
        for ref, tip in ws.store.refs(*prefixes).items():
            tracked = names.tracked_ref(remote, ref)
            (self.theirs if tracked else self.ours)[tracked or ref] = tip
        stage = files.read_optional(self._path)
        self.is_sent = stage == self._stage(_SENT)
        self._is_taken = self.is_sent or stage == self._stage(_TAKEN)

    def run(self) -> None:
        """In the order of the rules."""
        if self._is_taken:
            return
        for rule in self._rules:
            refs = below(rule, self.ours).keys() | below(rule, self.theirs).keys()
            self._take(rule, sorted(refs))
            if names.PURGED in refs:
                self.cleanse()
        self._is_taken = not self.apart and not self.leases
        self.remember(sent=False)

    def cleanse(self) -> None:
        """Go on without what is banned, on both sides. Of a remote whose list of it is not ours
        nothing can be taken in."""
        try:
            for ref, tip in purging.cleanse(self._ws).items():
                if ref in self.ours:
                    self.moved(ref, tip, "rewritten")
            theirs = purging.Theirs(self._ws, self.theirs)
        except Refused as error:
            self._all_apart(error)
            return
        for ref in theirs.reaching:
            self._see_without(theirs, ref)
        if names.PURGED in self.apart:
            self._all_apart(Refused("not without the list of what was purged there"))

    def _see_without(self, theirs: purging.Theirs, ref: RefName) -> None:
        tip = self.theirs.pop(ref)
        try:
            self.theirs[ref] = theirs.rewritten(tip)
            self.leases[ref] = tip
        except RelayError as error:
            self.keep_apart(ref, error)

    def _all_apart(self, error: RelayError) -> None:
        for ref in [ref for ref in self.theirs if ref != names.PURGED]:
            self.keep_apart(ref, error)
            del self.theirs[ref]

    def _take(self, rule: Rule, refs: Sequence[RefName]) -> None:
        """All together, or in halves until those are found that cannot be read."""
        try:
            _Kind(self._ws, self, rule, frozenset(refs)).take()
        except RelayError as error:
            if len(refs) == 1:
                self.keep_apart(refs[0], error)
                return
            half = len(refs) // 2
            self._take(rule, refs[:half])
            self._take(rule, refs[half:])

    def report(self) -> Report:
        apart = tuple(Trouble(ref, reason) for ref, reason in self.apart.items())
        done = {what: tuple(refs) for what, refs in self._done.items()}
        odd = tuple(unknown(self._rules, self.theirs))
        return Report(self._remote, apart=apart, unknown=odd).replace(**done)

    def moved(self, ref: RefName, new: Oid | None, how: str) -> None:
        """A ref of ours, in the report's words."""
        _put(self.ours, ref, new)
        self._done.setdefault(how, []).append(ref)

    def keep_apart(self, ref: RefName, error: RelayError) -> None:
        reason = f"{error.what}; {error.hint}" if error.hint else error.what
        self.apart[ref] = " ".join(reason.split())

    def lacks(self, ref: RefName, tip: Oid) -> bool:
        """Whether the remote has that ref otherwise."""
        return self.theirs.get(ref) != tip or ref in self.leases

    def sent(self, ref: RefName, new: Oid | None) -> None:
        """A ref of the remote. Where it was replaced, what we fetched of it goes too."""
        _put(self.theirs, ref, new)
        if before := self.leases.pop(ref, None):
            tracking = RefName(names.tracking_ref(self._remote, ref))
            with suppress(Conflict):
                self._ws.store.move(Move(tracking, before, new))
        self._done.setdefault("sent" if new else "removed", []).append(ref)

    def remember(self, sent: bool) -> None:
        if not self._is_taken:
            return
        try:
            os.makedirs(self._ws.cache_dir, exist_ok=True)
            files.write_atomic(self._path, self._stage(_SENT if sent else _TAKEN))
        except (OSError, RelayError):
            return

    @property
    def _path(self) -> str:
        name = hashlib.sha256(self._remote.encode("utf-8", "surrogateescape")).hexdigest()
        return os.path.join(self._ws.cache_dir, f"sync-{name[:16]}")

    def _stage(self, stage: str) -> bytes:
        lines = [stage, *(rule.prefix for rule in self._rules)]
        for side in (self.ours, self.theirs):
            lines += ["", *(f"{tip} {ref}" for ref, tip in sorted(side.items()))]
        text = "\n".join(lines).encode("utf-8", "surrogateescape")
        return hashlib.sha256(text).hexdigest().encode()


class _Kind:
    """Refs of one kind, here and at the remote."""

    def __init__(
        self, ws: Workspace, intake: Intake, rule: Rule, names: frozenset[RefName]
    ) -> None:
        self._ws, self._intake, self._rule, self._names = ws, intake, rule, names

    def take(self) -> None:
        """1. refs that ended   2. what is further than ours   3. what stands elsewhere, here"""
        changed = self._changed()
        ended = self._rule.ended(self._ws, [*self._ours().items(), *changed.items()], self._all)
        self._move({ref: None for ref, tip in self._ours().items() if tip in ended}, "ended")
        self._take_tips({ref: tip for ref, tip in changed.items() if tip not in ended})
        other = self._rule.elsewhere(self._ws, self._ours(), self._all)
        self._merge({r: tip for r, tip in other.items() if not self._follows(self._all[r], tip)})

    @property
    def _all(self) -> dict[RefName, Oid]:
        return self._intake.ours

    def _ours(self) -> dict[RefName, Oid]:
        return {ref: tip for ref, tip in self._all.items() if ref in self._names}

    def _changed(self) -> dict[RefName, Oid]:
        """What the remote has otherwise than we: commits, under names that they can have."""
        theirs = self._intake.theirs
        changed = {
            ref: tip
            for ref, tip in theirs.items()
            if ref in self._names and self._all.get(ref) != tip
        }
        kinds = graph.kinds(self._ws.repo, changed.values())
        for ref, tip in list(changed.items()):
            reason = self._rule.misnamed(ref)
            if reason is None and kinds[tip] != "commit":
                reason = f"a {kinds[tip]} where a commit was expected"
            if reason:
                self._intake.apart[ref] = reason
                del changed[ref]
        return changed

    def _take_tips(self, tips: Mapping[RefName, Oid]) -> None:
        pairs = {ref: (self._all[ref], tip) for ref, tip in tips.items() if ref in self._all}
        compared = graph.compare(self._ws.repo, list(pairs.values()))
        sides = {ref: compared[pair] for ref, pair in pairs.items()}
        fresh = [
            Incoming(ref, tip, self._all.get(ref))
            for ref, tip in tips.items()
            if sides.get(ref) != "behind"
        ]
        problems = self._problems(fresh) if fresh else {}
        for ref, found in problems.items():
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            self._intake.apart[ref] = found[0] + more
        sound = [item for item in fresh if item.ref not in problems]
        apart = {i.ref: i.tip for i in sound if sides.get(i.ref) == "apart" or self._lacks(i)}
        self._move({i.ref: i.tip for i in sound if i.ref not in apart}, "taken")
        self._merge(apart)

    def _lacks(self, item: Incoming) -> bool:
        """Whether it follows ours, but has dropped some of it: nothing is lost that way."""
        known = item.known
        return bool(known and self._rule.lacking(self._ws, item.ref, known, item.tip))

    def _problems(self, fresh: Sequence[Incoming]) -> Mapping[RefName, Sequence[str]]:
        try:
            return self._rule.problems(self._ws, fresh)
        except Late as late:
            return {item.ref: [str(late)] for item in fresh}

    # Moves

    def _move(self, targets: Mapping[RefName, Oid | None], how: str) -> None:
        """All at once; one by one when somebody else moved one of them, or holds its lock, or has
        another ref in its way."""
        for ref, new in targets.items():
            if new:
                self._rule.taking(self._ws, ref, new)
        moves = [Move(ref, self._all.get(ref), new) for ref, new in targets.items()]
        try:
            self._ws.store.move(*moves)
        except RelayError:
            for move in moves:
                self._move_one(move, how)
        else:
            for move in moves:
                self._intake.moved(move.ref, move.new, how)

    def _move_one(self, move: Move, how: str) -> None:
        try:
            if move.new is None:
                self._ws.store.move(move)
            else:
                retrying(partial(self._join, move.ref, move.new), _TRIES, _SECONDS)
        except RelayError as error:
            if move.new or self._ws.store.ref(move.ref):  # else somebody has ended it meanwhile
                self._intake.keep_apart(move.ref, error)
                return
        self._intake.moved(move.ref, self._ws.store.ref(move.ref), how)

    def _join(self, ref: RefName, tip: Oid) -> None:
        """Read again where ours stands, and make it follow both."""
        ours = self._ws.store.ref(ref)
        lacks = self._lacks(Incoming(ref, tip, ours))
        if ours is None or (self._follows(tip, ours) and not lacks):
            self._ws.store.move(Move(ref, ours, tip))
        elif not self._follows(ours, tip):
            self._ws.store.move(Move(ref, ours, self._rule.merge(self._ws, ref, ours, tip)))

    def _merge(self, tips: Mapping[RefName, Oid]) -> None:
        """Join tips that have diverged from ours. Two that cannot be joined are kept apart."""
        targets: dict[RefName, Oid | None] = {}
        for ref, tip in tips.items():
            try:
                targets[ref] = self._rule.merge(self._ws, ref, self._all[ref], tip)
            except RelayError as error:
                self._intake.keep_apart(ref, error)
        self._move(targets, "merged")

    def _follows(self, tip: Oid, other: Oid) -> bool:
        return reaches(self._ws.repo, tip, other)


def below(rule: Rule, refs: Mapping[RefName, Oid]) -> dict[RefName, Oid]:
    """The refs of that kind."""
    return {ref: tip for ref, tip in refs.items() if ref.startswith(rule.prefix)}


def _put(side: dict[RefName, Oid], ref: RefName, tip: Oid | None) -> None:
    if tip:
        side[ref] = tip
    else:
        side.pop(ref, None)
