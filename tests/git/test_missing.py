"""Which objects are gone, as git itself finds it out, in whole and in partial repositories."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import git, make_repo, repository

from relay_git.git.missing import missing
from relay_git.names import Oid

SPECS = ["HEAD:a/b.txt", "HEAD:a", "HEAD^{tree}", "HEAD", "HEAD^", "HEAD^:a/b.txt"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = make_repo(tmp_path / "repo")
    (path / "a").mkdir()
    for text in ("one", "two"):
        (path / "a" / "b.txt").write_text(text)
        git(path, "add", ".")
        git(path, "commit", "-q", "-m", text)
    return path


def told(path: Path, *tips: str) -> list[str]:
    return [str(problem) for problem in missing(repository(path), map(Oid, tips))]


def object_file(path: Path, oid: str) -> Path:
    return path / ".git" / "objects" / oid[:2] / oid[2:]


def test_nothing_is_missing(path: Path) -> None:
    assert told(path, git(path, "rev-parse", "HEAD"), git(path, "rev-parse", "HEAD:a")) == []
    assert told(path) == []


@pytest.mark.parametrize("spec", SPECS)
def test_each_object_that_is_gone_is_named(path: Path, spec: str) -> None:
    tip, gone = git(path, "rev-parse", "HEAD"), git(path, "rev-parse", spec)
    object_file(path, gone).unlink()
    (line,) = told(path, tip, tip)
    assert line.startswith(f"object {gone} is missing from the repository")


def test_several_are_all_named(path: Path) -> None:
    tip = git(path, "rev-parse", "HEAD")
    gone = [git(path, "rev-parse", spec) for spec in ("HEAD:a/b.txt", "HEAD^:a/b.txt", "HEAD~2")]
    for oid in gone[:2]:
        object_file(path, oid).unlink()
    assert {line.split()[1] for line in told(path, tip)} == set(gone[:2])


@pytest.mark.parametrize("spec", ["HEAD:a", "HEAD^"])
def test_a_damaged_one_is_named_by_its_file(path: Path, spec: str) -> None:
    tip, bad = git(path, "rev-parse", "HEAD"), git(path, "rev-parse", spec)
    object_file(path, bad).chmod(0o644)
    object_file(path, bad).write_bytes(b"")
    (line,) = told(path, tip)[-1:]
    assert f"{bad[:2]}/{bad[2:]} is empty" in line


def test_what_a_shallow_clone_left_behind_is_not_missing(path: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{path}", "shallow")
    assert told(tmp_path / "shallow", git(path, "rev-parse", "HEAD")) == []


def test_what_a_partial_clone_left_with_its_remote_is_not_missing(
    path: Path, tmp_path: Path
) -> None:
    """But what it made itself is, once it is gone; and the remote is not asked."""
    git(path, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{path}", "partial")
    partial = tmp_path / "partial"
    path.rename(tmp_path / "offline")
    assert told(partial, git(partial, "rev-parse", "HEAD")) == []
    (partial / "own.txt").write_text("own")
    git(partial, "add", ".")
    git(partial, "commit", "-q", "-m", "own")
    own = git(partial, "rev-parse", "HEAD:own.txt")
    object_file(partial, own).unlink()
    (line,) = told(partial, git(partial, "rev-parse", "HEAD"))
    assert line.startswith(f"object {own} is missing")
