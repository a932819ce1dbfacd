"""Notes, written as an edit of their tree and a compare-and-swap: parallel writers lose nothing.

git may spread a note's name over directories (`ab/cdef…`, `ab/cd/ef…`) and read any mixture.
So do we; a merge of two such trees may even hold one commit's note twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from relay_git.git.refs import retrying
from relay_git.git.store import BLOB, Commit, Ident, Move, Store, TreeEntry
from relay_git.git.trees import Leaf, edit_tree
from relay_git.names import Oid, RefName

_HEX = frozenset("0123456789abcdef")


def read_note(store: Store, ref: RefName, oid: Oid) -> bytes | None:
    """The note on `oid`; None when there is none."""
    tip = store.ref(ref)
    return note_in(store, store.commit(tip).tree, oid) if tip else None


def note_in(store: Store, tree: Oid | None, oid: Oid) -> bytes | None:
    """The note on `oid` in a notes tree; one that lies in two places is read as their union."""
    found = [store.blob(entry.oid) for _, entry in _places(store, tree, oid)]
    return _union(found) if found else None


def note_edits(
    store: Store, tree: Oid | None, oid: Oid, content: bytes | None
) -> dict[str, Leaf | None]:
    """The `edit_tree` edits that give `oid` this note, in one place only; None removes it."""
    places = [path for path, _ in _places(store, tree, oid)]
    edits: dict[str, Leaf | None] = dict.fromkeys(places)
    if content is not None:
        path = places[0] if places else _new_place(store, tree, oid)
        edits[path] = (BLOB, store.put_blob(content))
    return edits


def note_move(
    store: Store,
    ref: RefName,
    oid: Oid,
    change: Callable[[bytes | None], bytes | None],
    ident: Ident,
    message: str,
) -> Move | None:
    """Write the note on `oid` as `change(what it is now)`; the ref move that shows it.

    None when it would stay as it is. For a note that is part of a larger transaction.
    """
    tip = store.ref(ref)
    tree = store.commit(tip).tree if tip else None
    before = note_in(store, tree, oid)
    after = change(before)
    if after == before:
        return None
    new = edit_tree(store, tree, note_edits(store, tree, oid, after)) or store.put_tree(())
    parents = (tip,) if tip else ()
    return Move(ref, tip, store.put_commit(Commit(new, parents, ident, ident, message)))


def update_note(
    store: Store,
    ref: RefName,
    oid: Oid,
    change: Callable[[bytes | None], bytes | None],
    ident: Ident,
    message: str,
) -> None:
    """Set the note on `oid` to `change(what it is now)`; asked again whenever a race is lost."""

    def attempt() -> None:
        if move := note_move(store, ref, oid, change, ident, message):
            store.move(move)

    retrying(attempt)


def _places(
    store: Store, tree: Oid | None, rest: str, prefix: str = ""
) -> Iterator[tuple[str, TreeEntry]]:
    """Where the note named `rest` lies in this tree and in the directories that spell it."""
    for entry in store.tree(tree) if tree else ():
        if entry.name == rest and not entry.is_tree:
            yield prefix + entry.name, entry
        elif entry.is_tree and entry.name == rest[:2]:
            yield from _places(store, entry.oid, rest[2:], f"{prefix}{entry.name}/")


def _new_place(store: Store, tree: Oid | None, oid: Oid) -> str:
    """As the tree has it; spread once where the tree is new, so that it can grow."""
    entries = store.tree(tree) if tree else ()
    flat = any(not entry.is_tree and len(entry.name) == len(oid) for entry in entries)
    spread = any(entry.is_tree and _is_fan(entry.name) for entry in entries)
    return f"{oid[:2]}/{oid[2:]}" if spread or not flat else oid


def _is_fan(name: str) -> bool:
    return len(name) == 2 and _HEX.issuperset(name)


def _union(contents: list[bytes]) -> bytes:
    """One content as it is; the lines of several, each once, in their order."""
    if len(contents) == 1:
        return contents[0]
    lines: dict[bytes, None] = {}
    for content in contents:
        lines |= dict.fromkeys(content.removesuffix(b"\n").split(b"\n"))
    return b"".join(line + b"\n" for line in lines)
