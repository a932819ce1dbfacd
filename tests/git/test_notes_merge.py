"""Merging notes: a union of lines, whatever fan-out the sides have, that git itself reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import git, make_repo, repository

from relay_git.git.notes import note_in, united
from relay_git.git.notes_merge import dropped, merge_notes
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import (
    BLOB,
    EXECUTABLE,
    GITLINK,
    SYMLINK,
    TREE,
    Commit,
    Ident,
    Move,
    TreeEntry,
)
from relay_git.git.trees import edit_tree, walk
from relay_git.names import Oid, notes_ref

REF = notes_ref("2026-04")
NOON = 1777377600
NAMES = [Oid(head + "0" * (40 - len(head))) for head in ("ab", "abcd", "abcdef", "12", "1234")]
SPREADS = ((), (2,), (2, 2), (2, 2, 2))
STRAY = ("README", "ab", "ab/cd", "ab/x", f"{NAMES[0]}/x", f"ab/{NAMES[0][2:]}/y", "12/34/z")
"""Files that are no notes, some in the way of notes."""

MISSING = Oid("9" * 40)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repo(tmp_path_factory.mktemp("notes") / "repo", commit=False)


@pytest.fixture(scope="module")
def store(path: Path) -> Iterator[GitStore]:
    store = open_store(repository(path))
    yield store
    store.close()


def place(name: str, *widths: int) -> str:
    """`place(oid, 2, 2)` is `ab/cd/…`."""
    path = ""
    for width in widths:
        path, name = f"{path}{name[:width]}/", name[width:]
    return path + name


lines = st.lists(st.sampled_from([b"one", b"two", b"three", b'{"v":1}']), min_size=1, max_size=3)
contents = lines.map(lambda found: b"".join(line + b"\n" for line in found))
places = st.tuples(st.sampled_from(NAMES), st.sampled_from(SPREADS)).map(
    lambda drawn: place(drawn[0], *drawn[1])
)
Files = dict[str, bytes]


def sides(paths: st.SearchStrategy[str], count: int) -> st.SearchStrategy[list[Files]]:
    """That many trees, which have some files in common."""
    some = st.dictionaries(paths, contents, max_size=4)
    return st.lists(some, min_size=count + 1, max_size=count + 1).map(
        lambda drawn: [drawn[0] | own for own in drawn[1:]]
    )


notes_and_others = st.one_of(places, st.sampled_from(STRAY))


def commit(store: GitStore, files: Mapping[str, bytes], at: int = NOON) -> Oid:
    """A commit of notes. Of two files that cannot lie in one tree the later stays."""
    tree: Oid | None = None
    for path, data in files.items():
        tree = edit_tree(store, tree, {path: (BLOB, store.put_blob(data))})
    return with_tree(store, tree or store.put_tree(()), at)


def with_tree(store: GitStore, tree: Oid, at: int = NOON) -> Oid:
    who = Ident("Ada", "ada@example.com", at)
    return store.put_commit(Commit(tree, (), who, who, "notes\n"))


def tree(store: GitStore, oid: Oid) -> Oid:
    return store.commit(oid).tree


def files(store: GitStore, oid: Oid) -> dict[str, bytes]:
    return {path: store.blob(entry.oid) for path, entry in walk(store, tree(store, oid))}


def combine(ours: bytes, theirs: bytes) -> bytes:
    return united((ours, theirs))


def merged(store: GitStore, ours: Oid, theirs: Oid) -> Oid:
    return merge_notes(store, ours, theirs, combine)


@settings(max_examples=150, deadline=None)
@given(trees=sides(notes_and_others, 3))
def test_merging_is_commutative_associative_and_idempotent(
    store: GitStore, trees: list[Files]
) -> None:
    a, b, c = (commit(store, files) for files in trees)
    ab = merged(store, a, b)
    assert merged(store, b, a) == ab
    assert merged(store, a, a) == a
    left, right = merged(store, ab, c), merged(store, a, merged(store, b, c))
    assert tree(store, left) == tree(store, right)
    for known in (a, b, ab):
        assert tree(store, merged(store, ab, known)) == tree(store, ab)


@settings(max_examples=100, deadline=None)
@given(trees=sides(places, 2))
def test_a_merge_drops_nothing(store: GitStore, trees: list[Files]) -> None:
    ours, theirs = (commit(store, files) for files in trees)
    joined = merged(store, ours, theirs)
    for side in (ours, theirs):
        assert dropped(store, side, joined, combine) is None


def test_what_is_dropped_and_what_only_went_elsewhere(store: GitStore) -> None:
    one, other = NAMES[0], NAMES[3]
    before = commit(store, {one: b"a\nb\n"})
    cases: list[tuple[Files, Oid | None]] = [
        ({}, one),
        ({one: b"a\n"}, one),
        ({other: b"a\n"}, one),
        ({other: b"a\nb\nc\n"}, None),
        ({place(one, 2, 2): b"b\na\nc\n"}, None),
    ]
    for files, lost in cases:
        assert dropped(store, before, commit(store, files), combine) == lost


@settings(max_examples=40, deadline=None)
@given(trees=sides(notes_and_others, 2))
def test_git_reads_every_line_of_both_sides(
    path: Path, store: GitStore, trees: list[Files]
) -> None:
    ours, theirs = (commit(store, files) for files in trees)
    store.move(Move(REF, store.ref(REF), merged(store, ours, theirs)))
    listed = [line.split() for line in git(path, "notes", f"--ref={REF}", "list").splitlines()]
    seen = {name: set(store.blob(Oid(blob)).split(b"\n")) - {b""} for blob, name in listed}
    expected: dict[str, set[bytes]] = {}
    for side in (ours, theirs):
        for name in NAMES:
            note = note_in(store, tree(store, side), name)
            if note is not None:
                expected.setdefault(name, set()).update(set(note.split(b"\n")) - {b""})
    assert seen == expected


@settings(max_examples=100, deadline=None)
@given(trees=sides(places, 2))
def test_a_note_that_differs_lies_in_one_place_and_every_other_stays(
    store: GitStore, trees: list[Files]
) -> None:
    first, second = (commit(store, files) for files in trees)
    ours, theirs = by_name(store, first), by_name(store, second)
    both = by_name(store, merged(store, first, second))
    assert both.keys() == ours.keys() | theirs.keys()
    for name, found in both.items():
        if ours.get(name) == theirs.get(name):
            assert found == ours[name]
        else:
            assert list(found) == [place(name, 2)]


def by_name(store: GitStore, oid: Oid) -> dict[str, dict[str, bytes]]:
    found: dict[str, dict[str, bytes]] = {}
    for path, data in files(store, oid).items():
        found.setdefault(path.replace("/", ""), {})[path] = data
    return found


def test_the_same_pair_merged_in_two_repositories_is_one_commit(
    store: GitStore, tmp_path: Path
) -> None:
    trees = {place(NAMES[0], 2): b"one\n"}, {NAMES[0]: b"two\n", place(NAMES[3], 2, 2): b"x\n"}
    there = open_store(repository(make_repo(tmp_path / "there")))
    made = []
    for where in (store, there):
        ours, theirs = commit(where, trees[0], NOON + 5), commit(where, trees[1])
        made.append(merged(where, ours, theirs))
    there.close()
    assert made[0] == made[1]
    found = store.commit(made[0])
    assert (
        found.committer == found.author == Ident("git-relay", "merge@git-relay.invalid", NOON + 5)
    )
    assert found.parents == tuple(sorted([ours, theirs]))
    assert found.message == "merge notes\n"


def test_only_the_subtrees_that_differ_are_written(path: Path, store: GitStore) -> None:
    shared = {place(f"{n:02x}" + "7" * 38, 2): b"%d\n" % n for n in range(120)}
    ours, theirs = f"{1:02x}" + "8" * 38, f"{2:02x}" + "8" * 38
    first, second = (commit(store, shared | {place(name, 2): b"new\n"}) for name in (ours, theirs))
    before = objects(path)
    merge = merged(store, first, second)
    assert objects(path) - before == {merge, tree(store, merge)}
    assert files(store, merge).keys() == shared.keys() | {place(ours, 2), place(theirs, 2)}


def test_a_note_of_one_side_alone_is_not_read(store: GitStore) -> None:
    """As in a partial clone, which has not fetched it."""
    lost = store.put_tree([TreeEntry(BLOB, NAMES[0], MISSING)])
    other = commit(store, {NAMES[3]: b"x\n"})
    merge = merged(store, with_tree(store, lost), other)
    listed = {path: entry.oid for path, entry in walk(store, tree(store, merge))}
    assert listed[place(NAMES[0], 2)] == MISSING


def test_combining_is_asked_only_where_contents_differ(store: GitStore) -> None:
    def refuse(ours: bytes, theirs: bytes) -> bytes:
        raise AssertionError("asked")

    flat, spread = ({place(NAMES[0], *widths): b"b\na\n\n"} for widths in ((), (2, 2)))
    merge = merge_notes(store, commit(store, flat), commit(store, spread), refuse)
    assert files(store, merge) == {place(NAMES[0], 2): b"b\na\n\n"}


@pytest.mark.parametrize("mode", [SYMLINK, GITLINK])
def test_what_is_no_file_is_no_note(store: GitStore, path: Path, mode: str) -> None:
    oid = MISSING if mode == GITLINK else store.put_blob(b"target")
    link = with_tree(store, store.put_tree([TreeEntry(mode, NAMES[0], oid)]))
    merge = merged(store, link, commit(store, {place(NAMES[0], 2): b"x\n"}))
    found = {path: entry.mode for path, entry in walk(store, tree(store, merge))}
    assert found == {NAMES[0]: mode, place(NAMES[0], 2): BLOB}
    assert note_in(store, tree(store, merge), NAMES[0]) == b"x\n"
    store.move(Move(REF, store.ref(REF), merge))
    (line,) = git(path, "notes", f"--ref={REF}", "list").splitlines()
    assert line.split()[1] == NAMES[0]


def test_an_executable_note_becomes_a_plain_one(store: GitStore) -> None:
    blob = store.put_blob(b"x\n")
    odd = with_tree(store, store.put_tree([TreeEntry(EXECUTABLE, NAMES[0], blob)]))
    merge = merged(store, odd, commit(store, {}))
    assert [entry.mode for _, entry in walk(store, tree(store, merge))] == [BLOB]


def test_notes_that_were_all_removed_merge_to_none(store: GitStore) -> None:
    empty, other = commit(store, {}), commit(store, {}, NOON + 1)
    assert files(store, merged(store, empty, other)) == {}


def test_an_empty_directory_does_not_make_a_difference(store: GitStore) -> None:
    """No git writes one, and merging goes on for nobody."""
    bare = with_tree(store, store.put_tree([TreeEntry(TREE, "ab", store.put_tree(()))]))
    other = commit(store, {NAMES[3]: b"x\n"})
    assert merged(store, bare, other) == merged(store, other, bare)
    assert files(store, merged(store, bare, other)) == {place(NAMES[3], 2): b"x\n"}


def test_sha256_notes_merge(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "r", object_format="sha256")
    store = open_store(repository(path))
    name = git(path, "rev-parse", "HEAD")
    merge = merged(store, commit(store, {name: b"a\n"}), commit(store, {place(name, 2): b"b\n"}))
    store.move(Move(REF, None, merge))
    assert git(path, "notes", f"--ref={REF}", "show", "HEAD") == "a\nb"
    git(path, "fsck", "--strict", "--no-dangling")
    store.close()


def test_git_finds_nothing_wrong_with_a_merge_of_every_fan_out(path: Path, store: GitStore) -> None:
    tips = [
        commit(store, {place(name, *widths): f"{name} {widths}\n".encode() for name in NAMES})
        for widths in SPREADS
    ]
    merge = tips[0]
    for tip in tips[1:]:
        merge = merged(store, merge, tip)
    store.move(Move(REF, store.ref(REF), merge))
    git(path, "fsck", "--strict", "--no-dangling")
    assert len(git(path, "notes", f"--ref={REF}", "list").splitlines()) == len(NAMES)
    assert sorted(files(store, merge)) == sorted(place(name, 2) for name in NAMES)


def objects(path: Path) -> set[str]:
    listed = git(path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())
