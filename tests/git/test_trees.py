from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import git, repository

from relay_git.errors import InvalidName, MissingObject
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import BLOB, TREE
from relay_git.git.trees import Leaf, RecentTrees, edit_tree, read_path, walk
from relay_git.names import Oid


@pytest.fixture
def store(repo_path: Path) -> Iterator[GitStore]:
    store = open_store(repository(repo_path))
    yield store
    store.close()


def leaf(store: GitStore, text: str) -> Leaf:
    return BLOB, store.put_blob(text.encode())


def make_tree(store: GitStore, *paths: str) -> Oid:
    """A tree in which each file holds its own path."""
    tree = edit_tree(store, None, {path: leaf(store, path) for path in paths})
    assert tree
    return tree


def paths(store: GitStore, tree: Oid | None) -> list[str]:
    return [path for path, _ in walk(store, tree)]


def test_a_tree_from_nothing_is_the_one_that_git_makes(store: GitStore, repo_path: Path) -> None:
    names = ["a.b", "a/x", "a/y/z", "b", "ü/ü"]
    for name in names:
        (repo_path / name).parent.mkdir(parents=True, exist_ok=True)
        (repo_path / name).write_text(name)
    git(repo_path, "add", ".")
    assert make_tree(store, *names) == git(repo_path, "write-tree")
    assert paths(store, make_tree(store, *names)) == names


def test_put_change_and_delete(store: GitStore) -> None:
    before = make_tree(store, "a/x", "a/y", "b/z", "c")
    edits = {"a/x": None, "a/new": leaf(store, "n"), "c": leaf(store, "changed")}
    tree = edit_tree(store, before, edits)
    assert paths(store, tree) == ["a/new", "a/y", "b/z", "c"]
    entry = read_path(store, tree, "c")
    assert entry and store.blob(entry.oid) == b"changed"


def test_empty_directories_vanish(store: GitStore) -> None:
    tree = edit_tree(store, make_tree(store, "a/b/c", "d"), {"a/b/c": None})
    assert tree == make_tree(store, "d")
    assert edit_tree(store, tree, {"d": None}) is None
    assert edit_tree(store, None, {"d": None, "a/b": None}) is None


def test_only_the_trees_on_the_way_are_written(store: GitStore) -> None:
    tree = make_tree(store, *(f"{n:02}/{m:02}/file" for n in range(20) for m in range(20)))
    written: list[str] = []
    put_tree, read_tree, read = store.put_tree, store.tree, []
    store.put_tree = lambda entries: written.append("tree") or put_tree(entries)  # type: ignore
    store.tree = lambda oid: read.append(oid) or read_tree(oid)  # type: ignore
    edit_tree(store, tree, {"07/07/other": leaf(store, "x")})
    assert (len(written), len(read)) == (3, 3)


def test_what_changes_nothing_writes_nothing(store: GitStore) -> None:
    tree = make_tree(store, "a/x", "b")
    store.put_tree = None  # type: ignore[assignment]
    same = {"a/x": leaf(store, "a/x"), "nowhere/z": None, "b/below": None, "c": None}
    assert edit_tree(store, tree, same) == tree
    assert edit_tree(store, tree, {}) == tree


def test_an_edit_wins_over_what_is_in_its_way(store: GitStore) -> None:
    tree = make_tree(store, "a/x", "a/y", "b")
    assert paths(store, edit_tree(store, tree, {"a": leaf(store, "f")})) == ["a", "b"]
    assert paths(store, edit_tree(store, tree, {"a": None})) == ["b"]
    assert paths(store, edit_tree(store, tree, {"b/c": leaf(store, "f")})) == ["a/x", "a/y", "b/c"]


def test_a_whole_subtree_can_be_put(store: GitStore) -> None:
    inner = make_tree(store, "x", "y")
    tree = edit_tree(store, make_tree(store, "b"), {"28/run": (TREE, inner)})
    assert paths(store, tree) == ["28/run/x", "28/run/y", "b"]


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", "..", "a/../b", ".git/config", "a\0b"])
def test_paths_that_are_none(store: GitStore, path: str) -> None:
    with pytest.raises(InvalidName):
        edit_tree(store, None, {path: leaf(store, "x")})


def test_edits_that_contradict_each_other(store: GitStore) -> None:
    with pytest.raises(InvalidName, match="contradict"):
        edit_tree(store, None, {"a": leaf(store, "x"), "a/b": leaf(store, "x")})


def test_read_path(store: GitStore) -> None:
    tree = make_tree(store, "a/b/c", "d")
    entry = read_path(store, tree, "a/b")
    assert entry and entry.is_tree
    for path in ("x", "a/x", "a/b/c/d", "d/e", "x/y"):
        assert read_path(store, tree, path) is None
    assert read_path(store, None, "a") is None


NAMES = st.sampled_from(["a", "b", "a.b", "a-"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def apply(files: set[str], path: str, put: bool) -> set[str]:
    """What an edit means, said with plain sets."""
    kept = {file for file in files if file != path and not file.startswith(path + "/")}
    above = {path[:end] for end in range(len(path)) if path[end] == "/"}
    return kept - above | {path} if put else kept


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(edits=st.lists(st.tuples(PATHS, st.booleans()), max_size=12))
def test_any_edits_in_a_row_mean_what_they_say(
    store: GitStore, edits: list[tuple[str, bool]]
) -> None:
    tree: Oid | None = None
    files: set[str] = set()
    for path, put in edits:
        tree = edit_tree(store, tree, {path: leaf(store, path) if put else None})
        files = apply(files, path, put)
        assert sorted(paths(store, tree)) == sorted(files)
    assert tree == (make_tree(store, *files) if files else None)


def test_a_tree_that_was_just_put_is_edited_without_reading_it(
    store: GitStore, repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recent, first = RecentTrees(store), leaf(store, "1")
    tree = edit_tree(recent, None, {"a/x": first, "b": first})
    with monkeypatch.context() as unread:
        unread.setattr(GitStore, "tree", None)
        assert tree
        edited = edit_tree(recent, tree, {"a/y": first, "b": None})
    assert edited == edit_tree(store, tree, {"a/y": first, "b": None})
    assert paths(store, edited) == ["a/x", "a/y"]
    (repo_path / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(MissingObject):
        store.tree(tree)


def test_only_a_few_small_trees_are_remembered(store: GitStore) -> None:
    recent, one = RecentTrees(store), leaf(store, "1")
    trees = [edit_tree(recent, None, {f"{number}": one}) for number in range(40)]
    large = edit_tree(recent, None, {f"{number}": one for number in range(300)})
    assert len(recent._recent) == 32
    assert large not in recent._recent and trees[0] not in recent._recent
    assert all(tree and recent.tree(tree) == store.tree(tree) for tree in (large, *trees))
