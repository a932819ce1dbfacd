"""What an export would change, found out before anything is written."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from relay_git import files
from relay_git.errors import Invalid, RelayError
from relay_git.exporters.part import Generated, Part, is_marked, is_untouched
from relay_git.record import Record


class Plan(Record):
    """Paths below the top of the work tree. `kept` are no longer wanted, and were edited."""

    writes: dict[str, bytes]
    removes: tuple[str, ...]
    kept: tuple[str, ...]
    unchanged: tuple[str, ...]

    @property
    def changes(self) -> bool:
        return bool(self.writes or self.removes)


def make_plan(root: str, parts: Sequence[Part], force: bool) -> Plan:
    """Raises `Invalid` with every file that is not ours to change."""
    writes, unchanged = {}, []
    problems: list[RelayError] = []
    for part in parts:
        try:
            old = files.read_in(root, part.path)
            new = part.content(old, force)
        except RelayError as problem:
            problems.append(problem)
            continue
        if new == old:
            unchanged.append(part.path)
        else:
            writes[part.path] = new
    if problems:
        raise Invalid(problems)
    removes, kept = _leftovers(root, parts)
    return Plan(writes, removes, kept, tuple(unchanged))


def carry_out(root: str, plan: Plan) -> None:
    for path, data in plan.writes.items():
        files.write_in(root, path, data)
    for path in plan.removes:
        files.remove_in(root, path)


def _leftovers(root: str, parts: Sequence[Part]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files of ours for roles that are gone: those to remove, and those that were edited."""
    removes, kept = [], []
    for path in _beside(root, parts):
        data = files.read_in(root, path) or b""
        if is_untouched(data):
            removes.append(path)
        elif is_marked(data):
            kept.append(path)
    return tuple(removes), tuple(kept)


def _beside(root: str, parts: Sequence[Part]) -> Iterator[str]:
    """The other files in the directories that we generate files in.

    A name that differs in case alone may be the same file.
    """
    mine = {part.path.casefold() for part in parts}
    folders = {posixpath.dirname(part.path) for part in parts if isinstance(part, Generated)}
    for folder in sorted(folders):
        for name in files.list_in(root, folder):
            path = f"{folder}/{name}"
            if path.casefold() not in mine:
                yield path
