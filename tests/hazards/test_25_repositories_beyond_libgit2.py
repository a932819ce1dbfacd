"""Repositories that libgit2 refuses or half knows: the whole loop works, and so do commits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flow import APPROVED, REJECTED, add_workflow, draft, write
from hooking import commit, program, run
from support import git, make_repo, relay, repository

from relay_git.git.libgit import open_libgit
from relay_git.git.loose import Sharing
from relay_git.git.objects import NativeObjects


def sha256(path: Path) -> Path:
    return make_repo(path, object_format="sha256")


def reftable(path: Path) -> Path:
    if run(path.parent, "git", "init", "-q", "--ref-format=reftable", str(path)).code:
        pytest.skip("this git has no reftable")
    return path


def partial_clone(path: Path) -> Path:
    """The extension by its name; what it promises is there all the same."""
    make_repo(path)
    git(path, "config", "core.repositoryFormatVersion", "1")
    git(path, "config", "extensions.partialClone", "origin")
    return path


def without_blobs(path: Path) -> Path:
    """A real partial clone: git fetches what a command needs."""
    origin = make_repo(path.with_name("origin"))
    for name in ("one", "two"):
        (origin / "a.txt").write_text(name)
        git(origin, "add", ".")
        git(origin, "commit", "-q", "-m", name)
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(path.parent, "clone", "-q", "--filter=blob:none", f"file://{origin}", str(path))
    return path


def worktree_config(path: Path) -> Path:
    make_repo(path)
    git(path, "config", "core.repositoryFormatVersion", "1")
    git(path, "config", "extensions.worktreeConfig", "true")
    return path


KINDS = [sha256, reftable, partial_clone, without_blobs, worktree_config]
REFUSED = [sha256, reftable, partial_clone]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_run_with_hooks_from_start_to_lessons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Callable[[Path], Path]
) -> None:
    """With libgit2 asked for, which the default does not do."""
    monkeypatch.setenv("GIT_RELAY_ENGINE", "libgit")
    project = kind(tmp_path / "project")
    add_workflow(project)
    relay(project, "init")
    git(project, "add", ".relay")
    git(project, "commit", "-q", "-m", "set up")
    relay(project, "start")
    assert "You are the author" in relay(project, "next")
    draft(project)
    assert commit(project, "code.py") == ""
    assert "Relay-Run" in git(project, "log", "-1", "--format=%B")
    assert ", stage review, visit 1" in relay(project, "blame", "code.py:1")
    write(project, "review.md", REJECTED)
    relay(project, "advance")
    draft(project, "A better draft.\n")
    write(project, "review.md", APPROVED)
    said = commit(project, "end.py", "end\n", "-m", "Relay-Advance: review.2=approve")
    assert "is done: 1 new lesson" in said
    assert "The retry never waits" in relay(project, "lessons", "list")
    relay(project, "verify", "--all")
    assert run(project, "git", "fsck", "--strict").code == 0


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.__name__)
def test_libgit2_really_does_not_serve_these(tmp_path: Path, kind: Callable[[Path], Path]) -> None:
    """Else the test above would show nothing."""
    repo = repository(kind(tmp_path / "project"))
    assert open_libgit(repo, NativeObjects(repo, lambda: Sharing.parse(None))) is None


def test_what_git_itself_refuses_is_refused_in_its_words(tmp_path: Path) -> None:
    project = make_repo(tmp_path / "project")
    git(project, "config", "core.repositoryFormatVersion", "1")
    git(project, "config", "extensions.fromTheFuture", "true")
    done = program(project, "status")
    assert done.code == 1
    assert "unknown repository extension" in done.err
    assert "bug" not in done.err
    assert program(project, "hook", "post-commit").code == 0
