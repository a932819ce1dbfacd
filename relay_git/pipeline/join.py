"""How the outputs of several forks become one: a pure function of what each of them changes.

Values are compared, never looked into: bytes where a join is made, digests where it is verified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from relay_git.record import Record


class JoinStrategy(StrEnum):
    """`UNION` takes what all forks changed, and every fork must be accepted. The others leave out
    the forks that failed: `VOTE` takes the output of highest confidence (ties: the one that more
    forks agree with, then the first), `MAJORITY` for each section what more than half of them
    have, `FIRST_WINS` the first output that is accepted."""

    UNION = "UNION"
    VOTE = "VOTE"
    MAJORITY = "MAJORITY"
    FIRST_WINS = "FIRST_WINS"


class Candidate(Record):
    """The accepted output of a fork: its sections by name, and its confidence in thousandths."""

    fork: str
    sections: Mapping[str, Any]
    confidence: int


class Decision(Record):
    """What the join changes, None for a section that goes, and the forks that it is from. In
    `conflicts` are the sections that forks have different values for: there is no join then."""

    changes: Mapping[str, Any]
    chosen: tuple[str, ...]
    conflicts: tuple[str, ...] = ()


def decide(
    strategy: JoinStrategy, base: Mapping[str, Any], candidates: Sequence[Candidate]
) -> Decision:
    """`base` is what all forks started from; of `FIRST_WINS` there is one candidate, the first."""
    match strategy:
        case JoinStrategy.UNION:
            return _union(base, candidates)
        case JoinStrategy.MAJORITY:
            return _majority(base, candidates)
    best = max(candidates, key=lambda one: (one.confidence, _agreeing(one, candidates)))
    return Decision(changed(base, best.sections), (best.fork,))


def changed(base: Mapping[str, Any], sections: Mapping[str, Any]) -> dict[str, Any]:
    """The changes that lead from one payload to another."""
    names = sorted(base.keys() | sections.keys())
    return {name: sections.get(name) for name in names if sections.get(name) != base.get(name)}


def _union(base: Mapping[str, Any], candidates: Sequence[Candidate]) -> Decision:
    wanted: dict[str, set[Any]] = {}
    for one in candidates:
        for name, value in changed(base, one.sections).items():
            wanted.setdefault(name, set()).add(value)
    conflicts = tuple(name for name, values in sorted(wanted.items()) if len(values) > 1)
    changes = {name: next(iter(values)) for name, values in wanted.items()}
    return Decision(changes, tuple(one.fork for one in candidates), conflicts)


def _majority(base: Mapping[str, Any], candidates: Sequence[Candidate]) -> Decision:
    """A fork that leaves a section alone is for the value that it has."""
    touched = sorted({name for one in candidates for name in changed(base, one.sections)})
    won = {name: _won(name, candidates) for name in touched}
    conflicts = tuple(name for name, (_, votes) in won.items() if 2 * votes <= len(candidates))
    changes = {name: value for name, (value, _) in won.items() if value != base.get(name)}
    chosen = tuple(one.fork for one in candidates if _has_some(one, base, changes))
    return Decision(changes, chosen, conflicts)


def _won(name: str, candidates: Sequence[Candidate]) -> tuple[Any, int]:
    return Counter(one.sections.get(name) for one in candidates).most_common(1)[0]


def _has_some(one: Candidate, base: Mapping[str, Any], changes: Mapping[str, Any]) -> bool:
    """Whether a change of its own was taken."""
    own = changed(base, one.sections)
    return any(name in own and own[name] == value for name, value in changes.items())


def _agreeing(one: Candidate, candidates: Sequence[Candidate]) -> int:
    return sum(other.sections == one.sections for other in candidates)
