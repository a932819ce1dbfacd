"""A wary store reads what a stranger wrote, as far as it is plain and small, and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hostile import Entry, Workshop
from support import git, processes

from relay_git.errors import Corrupt, MissingObject, RelayError
from relay_git.git.store import BLOB, EXECUTABLE, GITLINK, SYMLINK, TREE
from relay_git.git.wary import WaryStore
from relay_git.names import Oid

MOST = 1000


@pytest.fixture
def shop(repo_path: Path) -> Workshop:
    return Workshop(repo_path)


@pytest.fixture
def store(shop: Workshop) -> Iterator[WaryStore]:
    with closing(WaryStore(shop.store, MOST)) as store:
        yield store


def test_what_is_plain_and_small_is_read(shop: Workshop, store: WaryStore, repo_path: Path) -> None:
    blob = shop.blob(b"x" * MOST)
    tree = shop.tree((BLOB, "a.md", blob), (TREE, "b", shop.nested("c")))
    store.fetch([blob, tree])
    assert store.blob(blob) == b"x" * MOST
    assert [entry.name for entry in store.tree(tree)] == ["a.md", "b"]
    assert store.commit(shop.tip("HEAD")).message == "first\n"
    kinds = [store.kind(oid) for oid in (blob, tree, shop.tip("HEAD"))]
    assert kinds == ["blob", "tree", "commit"]


@pytest.mark.parametrize("fetched", [False, True])
def test_what_is_too_large_is_named_by_its_size(
    shop: Workshop, store: WaryStore, fetched: bool
) -> None:
    blob = shop.blob(b"x" * (MOST + 1))
    tree = shop.tree(*((BLOB, f"{number:03}", blob) for number in range(40)))
    if fetched:
        assert store.fetch([blob, tree]) == []
    with pytest.raises(Corrupt, match=rf"blob {blob[:12]}: 1001 bytes, and relay.maxArtifact is"):
        store.blob(blob)
    with pytest.raises(Corrupt, match=r"artifacts/x\.md: 1001 bytes"):
        store.check_size("artifacts/x.md", blob)
    with pytest.raises(Corrupt, match="bytes, and"):
        store.tree(tree)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ((SYMLINK, "x", ""), "'x' is a symbolic link, not a plain file"),
        ((GITLINK, "x", ""), "'x' is a submodule"),
        ((EXECUTABLE, "x", ""), "'x' is executable"),
        ((BLOB, "..", ""), "'..' cannot be the name of a file"),
        ((TREE, ".git", ""), "'.git' cannot be the name of a file"),
        ((BLOB, "nul", ""), "'nul' cannot be"),
        ((BLOB, "x\udcff", ""), r"'x\\\\xff' cannot be"),
        (("0100644", "x", ""), "in another form than git writes"),
        ((BLOB, "a/b", ""), "cannot be a tree entry"),
        ((BLOB, "", ""), "cannot be a tree entry"),
    ],
)
def test_a_tree_that_is_not_plain(
    shop: Workshop, store: WaryStore, entry: Entry, says: str
) -> None:
    mode, name, _ = entry
    tree = shop.tree((mode, name, shop.blob()))
    for _ in range(2):
        with pytest.raises(RelayError, match=says):
            store.tree(tree)


@pytest.mark.parametrize("names", [("b", "a"), ("a", "a")])
def test_a_tree_in_another_order_or_with_a_name_twice(
    shop: Workshop, store: WaryStore, names: tuple[str, ...]
) -> None:
    tree = shop.tree(*((BLOB, name, shop.blob()) for name in names))
    with pytest.raises(RelayError):
        store.tree(tree)


def test_what_is_put_is_read_again_and_reaches_no_disk(
    shop: Workshop, store: WaryStore, repo_path: Path
) -> None:
    before = git(repo_path, "count-objects")
    blob = store.put_blob(b"made again\n")
    assert store.blob(blob) == b"made again\n"
    tree = store.put_tree([])
    assert store.tree(tree) == ()
    commit = store.put_commit(shop.commit(shop.tip("HEAD")).replace(message="again\n"))
    assert store.commit(commit).message == "again\n"
    assert git(repo_path, "count-objects") == before
    assert shop.store.put_blob(b"made again\n") == blob, "as it would be on the disk"


def test_what_is_not_there(store: WaryStore) -> None:
    missing = Oid("f" * 40)
    assert store.fetch([missing]) == []
    for read in (store.blob, store.tree, store.commit, store.kind):
        with pytest.raises(MissingObject):
            read(missing)


def test_many_cost_two_processes(
    shop: Workshop, repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oids = [shop.blob(f"{number}".encode()) for number in range(300)]
    git(
        repo_path,
        "update-ref",
        "refs/x/y",
        git(
            repo_path,
            "commit-tree",
            "-m",
            "x",
            shop.tree(*((BLOB, f"{number:03}", oid) for number, oid in enumerate(oids))),
        ),
    )
    git(repo_path, "gc", "-q")
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    with closing(WaryStore(shop.store, MOST)) as store:
        assert store.fetch(oids) == oids
        assert [store.blob(oid) for oid in oids] == [f"{n}".encode() for n in range(300)]
    assert len(processes(tmp_path / "trace")) == 2
