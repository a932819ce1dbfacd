"""What sync is told of each kind of ref that travels: how it is judged, and how it merges."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from relay_git.names import Oid, RefName
from relay_git.record import Record
from relay_git.workspace import Workspace


class Incoming(Record):
    """A ref of a remote that is not as ours. What `known`, our own tip, reaches was judged before;
    the two may have diverged."""

    ref: RefName
    tip: Oid
    known: Oid | None


class Rule(Protocol):
    """One kind of ref: all below `prefix`. Those that go `together` are pushed in one transaction,
    those that are `monthly` end with their month."""

    prefix: str
    together: bool
    monthly: bool

    def misnamed(self, ref: RefName) -> str | None:
        """Why no ref of this kind has that name; None for one that may have it."""
        ...

    def problems(
        self, ws: Workspace, incoming: Sequence[Incoming]
    ) -> Mapping[RefName, Sequence[str]]:
        """What is wrong with what a remote has, one line each. It is not merged then."""
        ...

    def merge(self, ws: Workspace, ref: RefName, ours: Oid, theirs: Oid) -> Oid:
        """The tip that joins two of which neither follows the other. May raise `RelayError`."""
        ...

    def lacking(self, ws: Workspace, ref: RefName, before: Oid, after: Oid) -> str | None:
        """What a tip that follows another has lost of it: a clone joins the two then, a server
        refuses. None where nothing is, or where `problems` would name it."""
        del ws, ref, before, after
        return None

    def ended(
        self, ws: Workspace, tips: Collection[tuple[RefName, Oid]], refs: Mapping[RefName, Oid]
    ) -> Collection[Oid]:
        """The tips that need no ref of this kind any more, on a side that has these refs."""
        del ws, tips, refs
        return ()

    def elsewhere(
        self, ws: Workspace, opened: Mapping[RefName, Oid], refs: Mapping[RefName, Oid]
    ) -> Mapping[RefName, Oid]:
        """For some of the opened refs another tip, which our other refs hold and which theirs has
        to follow."""
        del ws, opened, refs
        return {}

    def taking(self, ws: Workspace, ref: RefName, tip: Oid) -> None:
        """Called before what a remote had becomes ours: marks what is to be done then."""
        del ws, ref, tip


def unknown(rules: Iterable[Rule], refs: Iterable[RefName]) -> list[RefName]:
    """Refs of kinds that no rule is for: those of a newer version, or nobody's."""
    prefixes = tuple(rule.prefix for rule in rules)
    return [ref for ref in refs if not ref.startswith(prefixes)]
