"""Refs read from git's files, with git as the judge: the same, or a question for git."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import kinds
import pytest
from support import git, make_commits, processes, repository

from relay_git.errors import Conflict, Corrupt, GitError
from relay_git.git.open import GitStore, open_store
from relay_git.git.store import Move
from relay_git.names import Oid, RefName

RUNS = "refs/relay/runs/"
REF = RefName(f"{RUNS}x")
OTHER = RefName("refs/relay/runs/other")


@pytest.fixture
def tips(repo_path: Path) -> list[Oid]:
    return [Oid(oid) for oid in make_commits(repo_path, 4)]


@pytest.fixture
def store(repo_path: Path, tips: list[Oid]) -> Iterator[GitStore]:
    """It has seen git write a ref's file."""
    store = open_store(repository(repo_path))
    store.move(Move(REF, None, tips[0]))
    yield store
    store.close()


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    return tmp_path / "trace"


def asked(trace: Path) -> bool:
    return any("for-each-ref" in line for line in processes(trace))


def test_a_ref_is_read_without_a_process_and_as_it_is_now(
    store: GitStore, repo_path: Path, tips: list[Oid], trace: Path
) -> None:
    assert store.ref(REF) == tips[0]
    for oid in tips:
        git(repo_path, "update-ref", REF, oid)
        assert store.ref(REF) == oid
        assert store.refs(RUNS) == {REF: oid}
    assert not asked(trace)


def test_nothing_is_believed_before_git_was_seen_to_write_a_file(
    store: GitStore, repo_path: Path, tips: list[Oid], trace: Path
) -> None:
    fresh = open_store(repository(repo_path))
    assert fresh.ref(REF) == tips[0] and asked(trace)
    trace.unlink()
    with pytest.raises(Conflict):
        fresh.move(Move(OTHER, tips[0], tips[1]))
    trace.unlink()
    fresh.move(Move(REF, tips[0], tips[0]))
    assert fresh.ref(REF) == tips[0] and asked(trace)
    trace.unlink()
    fresh.move(Move(REF, tips[0], tips[1]))
    assert fresh.ref(REF) == tips[1] and not asked(trace)
    fresh.close()


def test_where_refs_are_kept_otherwise_a_file_that_was_left_there_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds.use_git_with_reftable(monkeypatch, tmp_path)
    path = kinds.reftable(tmp_path / "r")
    one, two = map(Oid, make_commits(path, 2))
    store = open_store(repository(path))
    store.move(Move(REF, None, one))
    leftover = path / ".git" / REF
    leftover.parent.mkdir(parents=True, exist_ok=True)
    leftover.write_text(f"{two}\n")
    store.move(Move(OTHER, None, one))
    assert store.ref(REF) == one
    assert store.refs(RUNS) == {OTHER: one, REF: one}
    store.close()


def test_packed_refs_are_git_s_to_read(store: GitStore, repo_path: Path, tips: list[Oid]) -> None:
    """Also when only some are packed, and when one is then moved or deleted."""
    store.move(Move(OTHER, None, tips[1]))
    git(repo_path, "pack-refs", "--all", "--prune")
    assert store.ref(REF) == tips[0]
    assert store.refs(RUNS) == {OTHER: tips[1], REF: tips[0]}
    store.move(Move(REF, tips[0], tips[2]))
    assert store.refs(RUNS) == {OTHER: tips[1], REF: tips[2]}
    store.move(Move(OTHER, tips[1], None))
    assert store.ref(OTHER) is None
    assert store.refs(RUNS) == {REF: tips[2]}


def test_other_packed_refs_are_no_reason_to_ask(
    store: GitStore, repo_path: Path, tips: list[Oid], trace: Path
) -> None:
    git(repo_path, "tag", "v1")
    git(repo_path, "update-ref", "-d", REF)
    git(repo_path, "pack-refs", "--all", "--prune")
    git(repo_path, "update-ref", REF, tips[3])
    assert store.refs(RUNS) == {REF: tips[3]}
    assert store.refs("refs/relay-local/none/") == {}
    assert not asked(trace)


def test_refs_that_are_packed_between_two_looks_are_found(
    store: GitStore, repo_path: Path, tips: list[Oid], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are listed first: one that has gone by then is in the packed refs already."""
    listdir = os.listdir

    def slow(path: str) -> list[str]:
        git(repo_path, "pack-refs", "--all", "--prune")
        return listdir(path) if os.path.isdir(path) else []

    monkeypatch.setattr(os, "listdir", slow)
    assert store.refs(RUNS) == {REF: tips[0]}


def test_refs_in_folders_below_are_found(store: GitStore, tips: list[Oid]) -> None:
    deep = RefName(f"{RUNS}a/b")
    store.move(Move(deep, None, tips[1]))
    assert store.refs(RUNS) == {deep: tips[1], REF: tips[0]}
    assert store.refs(f"{RUNS}a/") == {deep: tips[1]}


@pytest.mark.parametrize("content", ["", "nonsense\n", "0" * 40 + "\n", "a" * 64 + "\n"])
def test_a_broken_ref_is_still_broken(
    store: GitStore, repo_path: Path, tips: list[Oid], content: str
) -> None:
    (repo_path / ".git" / REF).write_text(content)
    with pytest.raises(Corrupt, match="broken"):
        store.ref(REF)
    assert store.refs(RUNS) == {}
    assert store.broken_refs(RUNS) == (REF,)


def test_a_symbolic_ref_is_followed_by_git(
    store: GitStore, repo_path: Path, tips: list[Oid]
) -> None:
    git(repo_path, "symbolic-ref", OTHER, "refs/heads/elsewhere")
    git(repo_path, "branch", "elsewhere", tips[2])
    assert store.ref(OTHER) == tips[2]
    assert store.refs(RUNS) == {OTHER: tips[2], REF: tips[0]}


def test_a_lock_is_no_ref(store: GitStore, repo_path: Path, tips: list[Oid]) -> None:
    (repo_path / ".git" / f"{REF}.lock").write_text(f"{tips[1]}\n")
    assert store.refs(RUNS) == {REF: tips[0]}


def test_refs_of_a_worktree_alone_are_not_looked_for_among_those_of_all(
    store: GitStore, repo_path: Path, tips: list[Oid], tmp_path: Path
) -> None:
    git(repo_path, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    git(repo_path, "update-ref", "refs/bisect/bad", tips[0])
    linked = open_store(repository(tmp_path / "linked"))
    linked.move(Move(REF, tips[0], tips[1]))
    assert linked.ref(REF) == tips[1] == store.ref(REF)
    assert linked.ref(RefName("refs/bisect/bad")) is None
    linked.close()


def test_a_repository_that_goes_away_is_an_error_and_no_empty_one(
    store: GitStore, repo_path: Path
) -> None:
    shutil.rmtree(repo_path / ".git")
    with pytest.raises(GitError, match="not a git repository"):
        store.ref(REF)
    with pytest.raises(GitError, match="not a git repository"):
        store.refs(RUNS)
