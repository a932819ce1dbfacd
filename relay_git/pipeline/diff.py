"""What an output changes, section by section and value by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

from relay_git.pipeline.frozen import Json
from relay_git.record import EMPTY, Record

Kind = Literal["added", "removed", "modified"]


class Change(Record):
    """One value that is new, gone or another. `path` leads to it: `FACTS/customer/0`."""

    path: str
    kind: Kind
    before: Any = None
    after: Any = None


class Diff(Record):
    """Names of sections, sorted, and their values before and after, as far as these differ."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    before: Mapping[str, Json] = EMPTY
    after: Mapping[str, Json] = EMPTY

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Every change inside them."""
        return tuple(_changes("", dict(self.before), dict(self.after)))

    @property
    def sections(self) -> tuple[str, ...]:
        """All that it touches, sorted."""
        return tuple(sorted({*self.added, *self.removed, *self.modified}))


def diff(before: Mapping[str, Json], after: Mapping[str, Json]) -> Diff:
    """Of payloads that do not change any more."""
    there = [name for name in sorted(after) if name in before]
    added = tuple(name for name in sorted(after) if name not in before)
    removed = tuple(name for name in sorted(before) if name not in after)
    modified = tuple(name for name in there if not same(before[name], after[name]))
    then = {name: before[name] for name in before if name in modified or name in removed}
    now = {name: after[name] for name in after if name in modified or name in added}
    return Diff(added, removed, modified, then, now)


def same(a: object, b: object) -> bool:
    """Equal as JSON: 1 is neither 1.0 nor true."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def _changes(path: str, before: Any, after: Any) -> Iterator[Change]:
    if isinstance(before, list) and isinstance(after, list):
        before, after = dict(enumerate(before)), dict(enumerate(after))
    if not (isinstance(before, dict) and isinstance(after, dict)):
        if not same(before, after):
            yield Change(path, "modified", before, after)
        return
    for key in [*before, *(key for key in after if key not in before)]:
        inner = f"{path}/{key}" if path else str(key)
        if key not in after:
            yield Change(inner, "removed", before=before[key])
        elif key not in before:
            yield Change(inner, "added", after=after[key])
        else:
            yield from _changes(inner, before[key], after[key])
