"""Notes, written as an edit of their tree and a compare-and-swap: parallel writers lose nothing.

git may spread a note's name over directories (`ab/cdef…`, `ab/cd/ef…`) and read any mixture.
So do we; a merge of two such trees may even hold one commit's note twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from relay_git.errors import Corrupt
from relay_git.git.refs import retrying
from relay_git.git.store import BLOB, EXECUTABLE, Commit, Ident, Move, Store, TreeEntry
from relay_git.git.trees import Leaf, edit_tree
from relay_git.names import Oid, RefName, spelled

_HEX = frozenset("0123456789abcdef")

Change = Callable[[bytes | None], bytes | None]
"""What a note shall be, given what it is; None is no note."""

Read = Callable[[Oid], Mapping[str, TreeEntry]]
"""The entries of a tree by their names."""


def read_note(store: Store, ref: RefName, oid: Oid) -> bytes | None:
    """The note on `oid`; None when there is none."""
    tip = store.ref(ref)
    return note_in(store, store.commit(tip).tree, oid) if tip else None


def note_in(store: Store, tree: Oid | None, oid: Oid) -> bytes | None:
    """The note on `oid` in a notes tree; one that lies in two places is read as their union."""
    found = [store.blob(entry.oid) for _, entry in places(by_name(store), tree, oid)]
    return united(found) if len(found) > 1 else next(iter(found), None)


def note_edits(
    store: Store, tree: Oid | None, oid: Oid, content: bytes | None
) -> dict[str, Leaf | None]:
    """The `edit_tree` edits that give `oid` this note, in one place only; None removes it."""
    known = [path for path, _ in places(by_name(store), tree, oid)]
    edits: dict[str, Leaf | None] = dict.fromkeys(known)
    if content is not None:
        path = known[0] if known else _new_place(store, tree, oid)
        edits[path] = (BLOB, store.put_blob(content))
    return edits


def note_move(
    store: Store,
    ref: RefName,
    oid: Oid,
    change: Change,
    ident: Ident,
    message: str,
    tip: Oid | None = None,
) -> Move | None:
    """Write the note on `oid` as `change(what it is now)`; the ref move that shows it.

    None when it would stay as it is. For a note that is part of a larger transaction. `tip` is
    where the ref stands, for who knows it already.
    """
    return notes_move(store, ref, {oid: change}, ident, message, tip)


def notes_move(
    store: Store,
    ref: RefName,
    changes: Mapping[Oid, Change],
    ident: Ident,
    message: str,
    tip: Oid | None = None,
) -> Move | None:
    """The same for many notes, in one commit."""
    tip = tip or store.ref(ref)
    tree = store.commit(tip).tree if tip else None
    edits: dict[str, Leaf | None] = {}
    for oid, change in changes.items():
        before = note_in(store, tree, oid)
        after = change(before)
        if after != before:
            edits |= note_edits(store, tree, oid, after)
    if not edits:
        return None
    new = edit_tree(store, tree, edits) or store.put_tree(())
    parents = (tip,) if tip else ()
    return Move(ref, tip, store.put_commit(Commit(new, parents, ident, ident, message)))


def update_note(
    store: Store,
    ref: RefName,
    oid: Oid,
    change: Change,
    ident: Ident,
    message: str,
) -> None:
    """Set the note on `oid` to `change(what it is now)`; asked again whenever a race is lost."""

    def attempt() -> None:
        if move := note_move(store, ref, oid, change, ident, message):
            store.move(move)

    retrying(attempt)


def by_name(store: Store) -> Read:
    return lambda tree: {entry.name: entry for entry in store.tree(tree)}


def places(
    read: Read, tree: Oid | None, rest: str, prefix: str = ""
) -> Iterator[tuple[str, TreeEntry]]:
    """Where the note named `rest` lies in this tree and in the directories that spell it."""
    entries = read(tree) if tree else {}
    directory, file = entries.get(rest[:2]), entries.get(rest)
    if directory and directory.is_tree:
        yield from places(read, directory.oid, rest[2:], f"{prefix}{directory.name}/")
    if file and is_note(file):
        yield prefix + rest, file


def is_note(entry: TreeEntry) -> bool:
    """Whether an entry is a file: git takes nothing else for a note."""
    return entry.mode in (BLOB, EXECUTABLE)


def united(contents: Iterable[bytes]) -> bytes:
    """The lines of all, each once and sorted: the same whatever is united first."""
    lines = {line for content in contents for line in content.split(b"\n") if line}
    return b"".join(line + b"\n" for line in sorted(lines))


def check_places(store: Store, tree: Oid, new: Collection[Oid]) -> None:
    """Raises `Corrupt` unless each note lies where its name says, in whatever fan-out, and no
    folder in two places: a few that hold each other could seem to be more than anybody can read.
    Only folders among the `new` ones are looked into."""
    ahead, met = [(tree, len(tree))], {tree}
    while ahead:
        folder, width = ahead.pop()
        for entry in store.tree(folder):
            is_fan = entry.is_tree and _is_fan(entry.name) and width > 2
            is_name = not entry.is_tree and len(entry.name) == width
            if not (is_fan or (is_name and _HEX.issuperset(entry.name))) or entry.oid in met:
                raise Corrupt(f"{spelled(entry.name)!r} is not where a note lies")
            if entry.is_tree:
                met.add(entry.oid)
                ahead += [(entry.oid, width - 2)] if entry.oid in new else []


def _new_place(store: Store, tree: Oid | None, oid: Oid) -> str:
    """As the tree has it; spread once where the tree is new, so that it can grow."""
    entries = store.tree(tree) if tree else ()
    flat = any(not entry.is_tree and len(entry.name) == len(oid) for entry in entries)
    spread = any(entry.is_tree and _is_fan(entry.name) for entry in entries)
    return f"{oid[:2]}/{oid[2:]}" if spread or not flat else oid


def _is_fan(name: str) -> bool:
    return len(name) == 2 and _HEX.issuperset(name)
