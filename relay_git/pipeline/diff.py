"""What an output changes, section by section and value by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from relay_git.pipeline.frozen import Json
from relay_git.record import Record

Kind = Literal["added", "removed", "modified"]


class Change(Record):
    """One value that is new, gone or another. `path` leads to it: `FACTS/customer/0`."""

    path: str
    kind: Kind
    before: Any = None
    after: Any = None


class Diff(Record):
    """Names of sections, sorted, and every change inside them."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def sections(self) -> tuple[str, ...]:
        """All that it touches, sorted."""
        return tuple(sorted({*self.added, *self.removed, *self.modified}))


def diff(before: Mapping[str, Json], after: Mapping[str, Json]) -> Diff:
    changes = tuple(_changes("", dict(before), dict(after)))
    top: dict[str, list[str]] = {"added": [], "removed": [], "modified": []}
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            top["added"].append(name)
        elif name not in after:
            top["removed"].append(name)
        elif not same(before[name], after[name]):
            top["modified"].append(name)
    return Diff(**{kind: tuple(found) for kind, found in top.items()}, changes=changes)


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
