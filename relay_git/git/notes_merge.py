"""Merge two histories of notes: a union, whatever fan-out either side has.

A note that differs is combined, and lies as `ab/cdef…` in the merged tree; what both sides have
in the same place stays there. Merging is commutative, associative and idempotent on trees if
`combine` is so on contents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, reduce

from relay_git.git.merging import merge_commit
from relay_git.git.notes import Read, by_name, is_note, note_in, places
from relay_git.git.store import BLOB, Store, TreeEntry
from relay_git.git.trees import Leaf, edit_tree
from relay_git.names import Oid

Combine = Callable[[bytes, bytes], bytes]
"""One content of two."""

_SPELLED = re.compile(r"(?:[0-9a-f]{2}/)*[0-9a-f]+")


def merge_notes(store: Store, ours: Oid, theirs: Oid, combine: Combine) -> Oid:
    """The commit that joins two histories of notes, whichever of them is ours."""
    if ours == theirs:
        return ours
    first, second = (store.commit(oid).tree for oid in sorted((ours, theirs)))
    read: Read = cache(by_name(store))
    notes, others = _differing(read, first, second, len(ours))
    stale: set[str] = set()
    wanted: dict[str, Leaf] = {}
    for note in sorted(notes):
        here, there = ([*places(read, tree, note)] for tree in (first, second))
        stale.update(path for path, _ in here)
        wanted[f"{note[:2]}/{note[2:]}"] = _combined(store, [*here, *there], combine)
    wanted |= _beside(wanted, others)
    edits = {**dict.fromkeys(_outside(stale, wanted)), **wanted}
    tree = edit_tree(store, first, edits) or store.put_tree(())
    return merge_commit(store, tree, ours, theirs, "merge notes\n")


def dropped(store: Store, before: Oid, after: Oid, combine: Combine) -> Oid | None:
    """A note of one history of which another has lost something; None if there is none.

    A note that went elsewhere with all its lines, as those on purged steps do, is not lost.
    """
    first, second = (store.commit(oid).tree for oid in (before, after))
    read: Read = cache(by_name(store))
    notes, _ = _differing(read, first, second, len(before))
    gone: dict[Oid, bytes] = {}
    for note in sorted(note for note in notes if any(places(read, first, note))):
        old, new = note_in(store, first, note) or b"", note_in(store, second, note)
        if new is None:
            gone[note] = old
        elif combine(old, new) != combine(new, new):
            return note
    there = _lines(store, second, notes) if gone else set()
    return next((note for note in gone if not there.issuperset(gone[note].split(b"\n"))), None)


def _lines(store: Store, tree: Oid, notes: Iterable[Oid]) -> set[bytes]:
    contents = (note_in(store, tree, note) or b"" for note in notes)
    return {line for content in contents for line in content.split(b"\n")}


def _combined(store: Store, found: Collection[tuple[str, TreeEntry]], combine: Combine) -> Leaf:
    """One note of all that were found. It is not read where all are the same."""
    oids = {entry.oid for _, entry in found}
    if len(oids) == 1:
        return BLOB, oids.pop()
    return BLOB, store.put_blob(reduce(combine, map(store.blob, sorted(oids))))


def _differing(
    read: Read, first: Oid, second: Oid, width: int
) -> tuple[set[Oid], dict[str, TreeEntry]]:
    """The notes that do not lie alike on both sides, and the other files by path.

    `width` is that of an object id in hex digits. Of two other files in one place the greater id
    stays.
    """
    notes: set[Oid] = set()
    others: dict[str, TreeEntry] = {}
    for path, entry in _leaves(read, first, second):
        name = path.replace("/", "")
        if is_note(entry) and len(name) == width and _SPELLED.fullmatch(path):
            notes.add(Oid(name))
        else:
            known = others.get(path, entry)
            others[path] = max(known, entry, key=lambda e: (e.mode, e.oid))
    return notes, others


def _leaves(
    read: Read, first: Oid | None, second: Oid | None, prefix: str = ""
) -> Iterator[tuple[str, TreeEntry]]:
    """The files of both sides with their paths, but for those that are the same in both."""
    sides = [read(tree) if tree else {} for tree in (first, second)]
    for name in sorted(sides[0].keys() | sides[1].keys()):
        entries = [side.get(name) for side in sides]
        if entries[0] == entries[1]:
            continue
        yield from ((prefix + name, e) for e in entries if e and not e.is_tree)
        below = [e.oid if e and e.is_tree else None for e in entries]
        if any(below):
            yield from _leaves(read, below[0], below[1], f"{prefix}{name}/")


def _beside(notes: Collection[str], others: Mapping[str, TreeEntry]) -> dict[str, Leaf]:
    """The other files that find room: none in or below a note's place, none that would have to
    be a directory."""
    taken = set(notes)
    free = {path: e for path, e in others.items() if taken.isdisjoint({path, *_above(path)})}
    needed = _directories([*notes, *free])
    return {path: (e.mode, e.oid) for path, e in free.items() if path not in needed}


def _outside(stale: Iterable[str], wanted: Collection[str]) -> list[str]:
    """The places that do not vanish by themselves, as what is wanted takes their room."""
    needed, taken = _directories(wanted), set(wanted)
    return [path for path in stale if path not in needed and taken.isdisjoint(_above(path))]


def _directories(paths: Iterable[str]) -> set[str]:
    return {directory for path in paths for directory in _above(path)}


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
