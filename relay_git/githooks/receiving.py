"""The gate of a server: what of a push may become the refs of runs there.

A ref of ours follows what it was, or is what is left of it after a purge; it holds what a clone
would take in, by the same rules; and it goes only when what it held is filed. Everything is read
where git keeps what was pushed until it is accepted, and nothing is written to a ref.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from relay_git import names
from relay_git.chain.purged import banned
from relay_git.chain.rewriting import Rewriter, reaching
from relay_git.errors import Refused, RelayError
from relay_git.git.bulk import BulkStore
from relay_git.git.open import GitStore
from relay_git.names import Oid, RefName
from relay_git.output import count
from relay_git.record import Record
from relay_git.sync import graph
from relay_git.sync.rules import Incoming, Rule
from relay_git.workspace import Workspace

_OURS = (names.RELAY, names.NOTES)
_IN_THE_WAY = tuple(prefix.rstrip("/") for prefix in _OURS)
"""Where one of these is, none of ours can be."""

_MIRRORED = "is it a `push --mirror` or `--prune` of a clone without them?"
_LONGEST = 500
_UPGRADE = "the git-relay of the server must be upgraded for it"


class Update(Record):
    """What a push asks for: None is a ref that is not there, before or after it."""

    ref: RefName
    old: Oid | None
    new: Oid | None


def refusals(ws: Workspace, lines: bytes, rules: Sequence[Rule]) -> list[RelayError]:
    """What is wrong with a push, given as git gives it to pre-receive; a ref is named once."""
    listed = lines.decode("utf-8", "surrogateescape").split("\n")
    asked = [line.split(" ", 2) for line in listed if line]
    updates = [_update(*words) for words in asked if words[2].startswith(_OURS)]
    problems = [*_out_of_place(asked), *_wrong_lists(ws, updates, rules)]
    if not problems:
        after = _after(ws, updates)
        ws.store = _Pushed(ws.store, after.get(names.PURGED))
        gate = _Gate(ws, rules, after)
        problems = [*gate.deletions(updates), *gate.changes(updates)]
    return [Refused(what[:_LONGEST], where=ref) for ref, what in problems]


def _out_of_place(asked: Iterable[Sequence[str]]) -> Iterator[tuple[str, str]]:
    for _, new, ref in asked:
        if ref.startswith(names.LOCAL) and new.strip("0"):
            yield ref, "belongs to the clone that has it, and does not travel"
        elif ref in _IN_THE_WAY and new.strip("0"):
            yield ref, "a ref of that name leaves no room for those of runs"


def _wrong_lists(
    ws: Workspace, updates: Iterable[Update], rules: Sequence[Rule]
) -> Iterator[tuple[str, str]]:
    """Before any list that is pushed counts."""
    lists = [update for update in updates if update.ref == names.PURGED]
    if lists:
        yield from _Gate(ws, rules, _after(ws, ())).changes(lists)


class _Pushed(BulkStore):
    """The store as it would be, for who asks for the list of what was purged: it comes with the
    refs that are rewritten by it. That list is judged by what is here."""

    def __init__(self, store: GitStore, purged: Oid | None) -> None:
        super().__init__(store)
        self._purged = purged

    def ref(self, name: RefName) -> Oid | None:
        return self._purged if name == names.PURGED else super().ref(name)


class _Gate:
    """For one push; `after` are the refs as they would be after it."""

    def __init__(self, ws: Workspace, rules: Sequence[Rule], after: Mapping[RefName, Oid]) -> None:
        self._ws, self._rules, self._after = ws, rules, after
        self._bans = _present(ws, banned(ws.store, after.get(names.PURGED)))

    def deletions(self, updates: Sequence[Update]) -> Iterator[tuple[RefName, str]]:
        """Those of refs that are needed: one by name, many in one line."""
        gone = {u.ref: u.old for u in updates if u.new is None and u.old}
        ended = self._ended(gone)
        needed = sorted(ref for ref, tip in gone.items() if tip not in ended)
        if len(needed) > 1:
            yield needed[0], f"it and {count(len(needed) - 1, 'other')} would go; {_MIRRORED}"
        elif needed:
            yield needed[0], "not filed here, so it stays"

    def changes(self, updates: Sequence[Update]) -> Iterator[tuple[RefName, str]]:
        for rule in self._rules:
            mine = [u for u in updates if u.new and u.ref.startswith(rule.prefix)]
            yield from self._wrong(rule, mine)
        known = tuple(rule.prefix for rule in self._rules)
        for update in updates:
            if update.new and not update.ref.startswith(known):
                yield update.ref, f"a kind of ref that is not known here; {_UPGRADE}"

    def _ended(self, gone: Mapping[RefName, Oid]) -> set[Oid]:
        ended: set[Oid] = set()
        for rule in self._rules:
            mine = [(ref, tip) for ref, tip in gone.items() if ref.startswith(rule.prefix)]
            ended.update(rule.ended(self._ws, mine, self._after) if mine else ())
        return ended

    def _wrong(self, rule: Rule, updates: Sequence[Update]) -> Iterator[tuple[RefName, str]]:
        """1 a name or a kind of object that cannot be   2 not what it was, and more   3 not what
        a clone would take in   4 less than it was."""
        before = self._before(updates)
        wrong = dict(self._odd(rule, updates))
        sound = [u for u in updates if u.ref not in wrong]
        wrong |= self._forced(sound, before)
        fresh = [
            Incoming(u.ref, u.new, before.get(u.ref)) for u in sound if u.new and u.ref not in wrong
        ]
        found = rule.problems(self._ws, fresh) if fresh else {}
        wrong |= {ref: problems[0] for ref, problems in found.items()}
        wrong |= self._lacking(rule, (item for item in fresh if item.ref not in wrong))
        yield from wrong.items()

    def _odd(self, rule: Rule, updates: Iterable[Update]) -> Iterator[tuple[RefName, str]]:
        tips = {u.ref: u.new for u in updates if u.new}
        kinds = graph.kinds(self._ws.repo, tips.values())
        for ref, tip in tips.items():
            odd = "" if kinds[tip] == "commit" else f"a {kinds[tip]} where a commit was expected"
            if reason := rule.misnamed(ref) or odd:
                yield ref, reason

    def _before(self, updates: Iterable[Update]) -> dict[RefName, Oid]:
        """What each ref has to follow. Here alone a rewrite is accepted: that of a purge, which
        anybody makes likewise of what was there."""
        old = {u.ref: u.old for u in updates if u.old}
        rewriter = Rewriter(self._ws.store, self._bans)
        held = self._holding(old.values())
        return {ref: rewriter.rewrite(tip) if tip in held else tip for ref, tip in old.items()}

    def _holding(self, tips: Iterable[Oid], clean: Iterable[Oid] = ()) -> set[Oid]:
        """Those that reach something that was purged."""
        return set(reaching(self._ws.repo, tips, self._bans, clean) if self._bans else ())

    def _forced(
        self, updates: Sequence[Update], before: Mapping[RefName, Oid]
    ) -> dict[RefName, str]:
        pairs = {
            u.ref: (before[u.ref], u.new)
            for u in updates
            if u.new and u.ref in before and before[u.ref] != u.new
        }
        sides = graph.compare(self._ws.repo, list(pairs.values()))
        forced = {
            ref: "not what is here and more: fetch, merge and push again"
            for ref, pair in pairs.items()
            if sides[pair] != "ahead"
        }
        tips = {u.ref: u.new for u in updates if u.new and u.ref not in forced}
        held = self._holding(tips.values(), before.values())
        return forced | {ref: "it holds what was purged" for ref in tips if tips[ref] in held}

    def _lacking(self, rule: Rule, items: Iterable[Incoming]) -> Iterator[tuple[RefName, str]]:
        for item in items:
            lost = item.known and rule.lacking(self._ws, item.ref, item.known, item.tip)
            if lost:
                yield item.ref, f"{lost}, and nothing goes from here"


def _update(old: str, new: str, ref: str) -> Update:
    """Raises `InvalidName` for a ref of ours whose name cannot be one."""
    return Update(RefName(ref), _oid(old), _oid(new))


def _oid(text: str) -> Oid | None:
    return Oid(text) if text.strip("0") else None


def _present(ws: Workspace, bans: Iterable[Oid]) -> frozenset[Oid]:
    """Where none is, neither in what is here nor in what was pushed, nothing is walked through."""
    kinds = graph.kinds(ws.repo, bans)
    return frozenset(oid for oid, kind in kinds.items() if kind != "missing")


def _after(ws: Workspace, updates: Iterable[Update]) -> dict[RefName, Oid]:
    after = ws.store.refs(*_OURS)
    for update in updates:
        if update.new:
            after[update.ref] = update.new
        else:
            after.pop(update.ref, None)
    return after
