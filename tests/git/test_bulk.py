"""Objects fetched by the thousand: what reads a store reads the same, without asking again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import git, make_commits, make_repo, processes, repository

from relay_git.errors import MissingObject
from relay_git.git.bulk import BulkStore, changed_files, fetch_notes
from relay_git.git.notes import note_in
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import BLOB, Commit, Ident, Move
from relay_git.git.trees import edit_tree
from relay_git.names import Oid, RefName

ADA = Ident("Ada", "ada@example.com", 1777368600)
REF = RefName("refs/relay/test/x")


@pytest.fixture
def store(repo_path: Path) -> Iterator[GitStore]:
    store = open_store(repository(repo_path))
    yield store
    store.close()


@pytest.fixture
def bulk(store: GitStore) -> Iterator[BulkStore]:
    bulk = BulkStore(store)
    yield bulk
    bulk.close()


def tree_of(store: GitStore, files: dict[str, bytes]) -> Oid:
    tree = edit_tree(store, None, {p: (BLOB, store.put_blob(d)) for p, d in files.items()})
    return tree or store.put_tree(())


def test_what_was_fetched_is_read_without_asking(
    store: GitStore, bulk: BulkStore, repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = [store.put_blob(f"{number}\n".encode()) for number in range(500)]
    git(repo_path, "repack", "-qad")
    trace = repo_path.parent / "trace"
    monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
    assert bulk.fetch(blobs) == blobs
    for oid in blobs:
        os.unlink(repo_path / ".git" / "objects" / oid[:2] / oid[2:])
    assert [bulk.blob(oid) for oid in blobs] == [f"{n}\n".encode() for n in range(500)]
    assert len(processes(trace)) == 1
    with pytest.raises(MissingObject):
        store.blob(blobs[0])


def test_what_was_not_fetched_is_read_all_the_same(store: GitStore, bulk: BulkStore) -> None:
    blob = store.put_blob(b"here\n")
    tree = store.put_tree(())
    commit = Commit(tree, (), ADA, ADA, "x\n")
    oid = store.put_commit(commit)
    assert (bulk.blob(blob), bulk.tree(tree), bulk.commit(oid)) == (b"here\n", (), commit)


def test_what_is_not_there_is_left_out_and_missed_when_read(
    store: GitStore, bulk: BulkStore
) -> None:
    here, absent = store.put_blob(b"here\n"), Oid("1" * 40)
    assert bulk.fetch([absent, here, absent]) == [here]
    with pytest.raises(MissingObject):
        bulk.blob(absent)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_large_and_many_objects_block_neither_side(tmp_path: Path, object_format: str) -> None:
    path = make_repo(tmp_path / "r", object_format=object_format)
    store = open_store(repository(path))
    small = [store.put_blob(f"{number}\n".encode()) for number in range(3000)]
    large = [store.put_blob(bytes([number]) * 3_000_000) for number in range(4)]
    bulk = BulkStore(store)
    mixed = small[:1000] + large + small[1000:]
    assert bulk.fetch(mixed) == mixed
    assert [len(bulk.blob(oid)) for oid in large] == [3_000_000] * 4
    bulk.close()
    store.close()


def test_the_ancestry_goes_through_both_sides_of_a_merge(bulk: BulkStore, repo_path: Path) -> None:
    make_commits(repo_path, 3)
    git(repo_path, "switch", "-qc", "side", "HEAD~2")
    make_commits(repo_path, 2)
    git(repo_path, "merge", "-q", "--no-ff", "-m", "merge", "main")
    found = bulk.fetch_ancestry([Oid(git(repo_path, "rev-parse", "HEAD"))])
    assert sorted(found) == sorted(git(repo_path, "rev-list", "HEAD").split())


def test_the_ancestry_ends_where_the_repository_is_shallow(repo_path: Path, tmp_path: Path) -> None:
    commits = make_commits(repo_path, 5)
    git(tmp_path, "clone", "-q", "--depth=2", repo_path.as_uri(), "shallow")
    store = open_store(repository(tmp_path / "shallow"))
    bulk = BulkStore(store)
    assert bulk.fetch_ancestry([Oid(commits[-1])]) == commits[:-3:-1]
    bulk.close()
    store.close()


def test_a_process_that_was_killed_is_started_again(store: GitStore, bulk: BulkStore) -> None:
    first, second = store.put_blob(b"1\n"), store.put_blob(b"2\n")
    bulk.fetch([first])
    child = bulk._held._child
    assert child
    child._process.kill()
    child._process.wait()
    assert bulk.fetch([second]) == []
    assert bulk.blob(second) == b"2\n"
    assert bulk.fetch([second]) == [second]


def test_what_is_written_is_written_by_the_other(store: GitStore, bulk: BulkStore) -> None:
    oid = bulk.put_commit(Commit(bulk.put_tree(()), (), ADA, ADA, "x\n"))
    bulk.move(Move(REF, None, oid))
    assert bulk.ref(REF) == store.ref(REF) == oid
    bulk.close()
    assert store.commit(oid).message == "x\n"


@pytest.mark.parametrize("widths", [(), (2,), (2, 2)])
def test_notes_are_fetched_whatever_their_fan_out(
    store: GitStore, repo_path: Path, tmp_path: Path, widths: tuple[int, ...]
) -> None:
    commits = [Oid(oid) for oid in make_commits(repo_path, 8)]
    tree = tree_of(store, {spread(oid, widths): f"{oid}\n".encode() for oid in commits[:6]})
    bulk = BulkStore(store)
    fetch_notes(bulk, tree, commits)
    (repo_path / ".git" / "objects").rename(tmp_path / "objects")
    found = [note_in(bulk, tree, oid) for oid in commits]
    assert found == [*(f"{oid}\n".encode() for oid in commits[:6]), None, None]
    bulk.close()


def spread(oid: str, widths: tuple[int, ...]) -> str:
    path = ""
    for width in widths:
        path, oid = f"{path}{oid[:width]}/", oid[width:]
    return path + oid


PATHS = st.sampled_from(["a", "b", "a/x", "a/y", "b/x/1", "b/x/2", "c/z/1/q"])
TREES = st.dictionaries(PATHS, st.sampled_from([b"1\n", b"2\n"])).filter(
    lambda files: (
        not any(f"{other}/".startswith(f"{p}/") for p in files for other in files if p != other)
    )
)


@settings(max_examples=60, deadline=None)
@given(old=TREES, new=TREES)
@example(old={"a": b"1\n"}, new={"a/x": b"1\n"})
@example(old={"a/x": b"1\n"}, new={"a": b"1\n"})
def test_changed_files_are_those_that_git_names(
    tmp_path_factory: pytest.TempPathFactory, old: dict[str, bytes], new: dict[str, bytes]
) -> None:
    path = make_repo(tmp_path_factory.mktemp("r"))
    store = open_store(repository(path))
    before, after = tree_of(store, old), tree_of(store, new)
    bulk = BulkStore(store)
    found = {p: e.oid if e else "0" * 40 for p, e in changed_files(bulk, before, after).items()}
    lines = git(path, "diff-tree", "-r", "--no-renames", before, after).splitlines()
    assert found == {line.split("\t")[1]: line.split()[3] for line in lines}
    assert changed_files(bulk, None, after).keys() == new.keys()
    bulk.close()
    store.close()
