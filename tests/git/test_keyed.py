"""What every store gets from its base: objects that wait, are checked, and are remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import pytest

from relay_git.errors import Conflict, Corrupt, MissingObject, Refused
from relay_git.git import keyed
from relay_git.git.keyed import KeyedStore, Remembered, moved
from relay_git.git.store import BLOB, Commit, Ident, Move, TreeEntry
from relay_git.names import Oid, RefName

REF, OTHER = RefName("refs/relay/one"), RefName("refs/relay/two")
A, B = Oid("a" * 64), Oid("b" * 64)
ADA = Ident("Ada", "ada@example.com", 1777368600)


class Shelf(KeyedStore):
    """Says what it was asked."""

    where = "the shelf"

    def __init__(self) -> None:
        super().__init__()
        self.lying: dict[Oid, bytes] = {}
        self.tips: dict[RefName, Oid] = {}
        self.said: list[str] = []

    def ref(self, name: RefName) -> Oid | None:
        return self.tips.get(name)

    def close(self) -> None:
        """Nothing is open."""

    def _read(self, oid: Oid, most: int) -> bytes | None:
        self.said.append(f"read {oid[:4]}")
        raw = self.lying.get(oid)
        return raw and raw[:most]

    def _refs(self, prefixes: Sequence[str]) -> Mapping[RefName, Oid]:
        return dict(reversed(self.tips.items()))

    def _write(self, objects: Mapping[Oid, bytes], moves: Sequence[Move]) -> None:
        self.said.append(f"write {len(objects)}, move {len(moves)}")
        self.tips = moved(self.tips, moves)
        self.lying |= objects


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def test_objects_are_read_as_they_were_put(shelf: Shelf) -> None:
    blob = shelf.put_blob(b"text\n")
    tree = shelf.put_tree([TreeEntry(BLOB, "file", blob)])
    commit = Commit(tree, (), ADA, ADA, "a step\n")
    tip = shelf.put_commit(commit)
    shelf.move(Move(REF, None, tip))
    again = Shelf()
    again.lying = shelf.lying
    assert again.commit(tip) == commit
    assert again.tree(tree) == (TreeEntry(BLOB, "file", blob),)
    assert again.blob(blob) == b"text\n"
    assert blob == hashlib.sha256(b"blob 5\0text\n").hexdigest(), "as git's own sha256 names it"


def test_what_a_move_leads_to_is_written_with_it_and_once(shelf: Shelf) -> None:
    """What was put for something else, as for a move that failed, burdens no other move."""
    blobs = [shelf.put_blob(data) for data in (b"1", b"2", b"for nobody")]
    tree = shelf.put_tree([TreeEntry(BLOB, "file", blobs[0])])
    below = shelf.put_commit(Commit(shelf.put_tree([]), (), ADA, ADA, "first\n"))
    tip = shelf.put_commit(Commit(tree, (below,), ADA, ADA, "second\n"))
    assert shelf.said == []
    shelf.move()
    shelf.move(Move(REF, None, tip))
    shelf.move(Move(REF, tip, below), Move(OTHER, None, blobs[1]))
    assert shelf.said == ["write 5, move 1", "write 1, move 2"]
    assert blobs[2] not in shelf.lying and shelf.blob(blobs[2]) == b"for nobody"
    assert list(shelf.refs("refs/")) == [REF, OTHER]


def test_what_waits_goes_on_waiting_after_a_conflict(shelf: Shelf) -> None:
    blob = shelf.put_blob(b"1")
    with pytest.raises(Conflict):
        shelf.move(Move(REF, A, blob))
    assert blob not in shelf.lying and shelf.blob(blob) == b"1"
    shelf.move(Move(REF, None, blob))
    assert blob in shelf.lying


def test_what_was_checked_is_not_asked_for_again(shelf: Shelf) -> None:
    blob = shelf.put_blob(b"1")
    shelf.move(Move(REF, None, blob))
    again = Shelf()
    again.lying = shelf.lying
    assert [again.blob(blob) for _ in range(3)] == [b"1"] * 3
    assert again.said == [f"read {blob[:4]}"]
    assert shelf.blob(blob) == b"1" and not any("read" in said for said in shelf.said)


@pytest.mark.parametrize(
    "raw", [b"blob 1\x002", b"tree 1\x001", b"blob 1\x0011", b"", b"1", b"blob 1\x00"]
)
def test_what_lies_under_an_id_that_is_not_its_own_is_refused(shelf: Shelf, raw: bytes) -> None:
    blob = shelf.put_blob(b"1")
    again = Shelf()
    again.lying = {blob: raw}
    with pytest.raises(Corrupt, match=f"^the shelf: object {blob} is not the one") as refused:
        again.blob(blob)
    assert refused.type is Corrupt


@pytest.mark.parametrize("raw", [b"no header", b"blob 9", b"\0", b"\xff\xff 1\0x", b"tag 1\0x"])
def test_what_is_no_object_is_refused_though_its_id_is_right(shelf: Shelf, raw: bytes) -> None:
    oid = Oid(hashlib.sha256(raw).hexdigest())
    shelf.lying[oid] = raw
    for read in (shelf.blob, shelf.tree, shelf.commit):
        with pytest.raises(Corrupt):
            read(oid)


def test_an_object_of_another_kind_is_refused(shelf: Shelf) -> None:
    with pytest.raises(Corrupt, match="a blob where a tree was expected"):
        shelf.tree(shelf.put_blob(b"1"))
    for kind, read in (("tree", shelf.tree), ("commit", shelf.commit)):
        with pytest.raises(Corrupt, match=f"not a {kind}"):
            read(shelf._put(kind, b"nonsense"))


def test_what_is_not_there_is_missed(shelf: Shelf) -> None:
    with pytest.raises(MissingObject, match=f"^the shelf: object {A} is missing$"):
        shelf.blob(A)


def test_sizes_are_bounded_both_ways(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    large = shelf.put_blob(b"x" * 92)
    shelf.move(Move(REF, None, large))
    monkeypatch.setattr(keyed, "MAX_OBJECT", 100)
    assert Oid(large) == shelf.put_blob(b"x" * 92)
    with pytest.raises(Refused, match="101 bytes are more than the 100"):
        shelf.put_blob(b"x" * 92 + b"y")
    monkeypatch.setattr(keyed, "MAX_OBJECT", 99)
    again = Shelf()
    again.lying = shelf.lying
    with pytest.raises(Corrupt, match="has over 99 bytes"):
        again.blob(large)


def test_what_was_used_longest_ago_is_forgotten() -> None:
    known = Remembered(10)
    known.add(A, b"12345")
    known.add(B, b"12345")
    assert known.get(A) == b"12345"
    known.add(Oid("c" * 64), b"1")
    assert known.get(B) is None and known.get(A) == b"12345"
    known.add(A, b"12345")
    known.add(B, b"12345678901")
    assert [known.get(oid) for oid in (A, B)] == [None, None]
    known.add(B, b"1234567890")
    assert known.get(B) == b"1234567890"


def test_a_move_fits_or_raises() -> None:
    assert moved({REF: A}, [Move(REF, A, B), Move(OTHER, None, A)]) == {REF: B, OTHER: A}
    assert moved({REF: A}, [Move(REF, A, None), Move(OTHER, None, None)]) == {}
    for wrong in (Move(REF, None, A), Move(REF, B, A), Move(OTHER, A, B)):
        with pytest.raises(Conflict):
            moved({REF: A}, [wrong])
