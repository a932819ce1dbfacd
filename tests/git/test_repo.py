from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import git, make_commits, make_repo, processes, repository

from relay_git.errors import NotARepository, RelayError
from relay_git.git.repo import discover, read_current
from relay_git.names import RunId, notes_ref, run_ref

RUN = RunId("20260428-0930-fix-bug-3f9a")
NEIGHBOUR = RunId("20260428-0930-fix-bug-3f9b")


def open_run(git_dir: Path, run: RunId = RUN) -> None:
    (git_dir / "relay").mkdir(exist_ok=True)
    (git_dir / "relay/current").write_text(run + "\n")


def test_main_worktree(repo_path: Path) -> None:
    repo = repository(repo_path)
    assert repo.git_dir == repo.common_dir == str(repo_path / ".git")
    assert repo.worktree == repo.cwd == str(repo_path)
    assert repo.objects == str(repo_path / ".git/objects")
    assert repo.object_format == "sha1"
    assert repo.head == git(repo_path, "rev-parse", "HEAD")
    assert repo.branch == "refs/heads/main"
    assert not repo.is_bare
    assert not repo.is_shallow
    assert (repo.current, repo.current_tip, repo.notes_tip) == (None, None, None)


def test_subdirectory(repo_path: Path) -> None:
    below = repo_path / "a/b"
    below.mkdir(parents=True)
    repo = repository(below)
    assert (repo.worktree, repo.cwd) == (str(repo_path), str(below))


def test_a_subdirectory_reached_through_a_symlink(repo_path: Path, tmp_path: Path) -> None:
    (repo_path / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(repo_path / "a/b")
    assert repository(tmp_path / "link").worktree == str(repo_path)


def test_unborn_branch_and_detached_head(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "r", commit=False)
    assert (repository(path).head, repository(path).branch) == (None, None)
    commits = make_commits(path, 2)
    git(path, "checkout", "-q", "--detach", commits[0])
    assert (repository(path).head, repository(path).branch) == (commits[0], None)


def test_linked_worktree_has_its_own_run(repo_path: Path, tmp_path: Path) -> None:
    git(repo_path, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    open_run(repo_path / ".git", NEIGHBOUR)
    open_run(repo_path / ".git/worktrees/linked")
    git(repo_path, "update-ref", run_ref(RUN), "HEAD")
    repo = repository(tmp_path / "linked")
    assert repo.git_dir == str(repo_path / ".git/worktrees/linked")
    assert repo.common_dir == str(repo_path / ".git")
    assert repo.worktree == str(tmp_path / "linked")
    assert (repo.current, repo.current_tip) == (RUN, repo.head)
    assert repository(repo_path).current == NEIGHBOUR


def test_submodule_with_a_git_file(repo_path: Path, tmp_path: Path) -> None:
    outer = make_repo(tmp_path / "outer")
    git(outer, "submodule", "add", "-q", str(repo_path), "sub")
    open_run(outer / ".git/modules/sub")
    repo = repository(outer / "sub")
    assert repo.git_dir == str(outer / ".git/modules/sub")
    assert repo.worktree == str(outer / "sub")
    assert repo.current == RUN


def test_separate_git_dir(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", f"--separate-git-dir={tmp_path / 'elsewhere'}", "work")
    open_run(tmp_path / "elsewhere")
    repo = repository(tmp_path / "work")
    assert repo.git_dir == str(tmp_path / "elsewhere")
    assert repo.worktree == str(tmp_path / "work")
    assert repo.current == RUN


def test_bare_repository_with_a_worktree(repo_path: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "-q", "--bare", str(repo_path), str(bare))
    git(bare, "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    open_run(bare)
    inside, linked = repository(bare), repository(tmp_path / "tree")
    assert (inside.worktree, inside.is_bare, inside.current) == (None, True, RUN)
    assert (linked.worktree, linked.is_bare) == (str(tmp_path / "tree"), False)
    assert linked.current is None
    assert inside.common_dir == linked.common_dir == str(bare)


def test_inside_the_git_directory(repo_path: Path) -> None:
    repo = repository(repo_path / ".git/refs")
    assert (repo.git_dir, repo.worktree, repo.is_bare) == (str(repo_path / ".git"), None, False)


def test_git_dir_and_work_tree_of_the_environment(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    open_run(repo_path / ".git")
    monkeypatch.setenv("GIT_DIR", str(repo_path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tree))
    inside, outside = repository(tree), repository(tmp_path)
    assert (inside.worktree, inside.current) == (str(tree), RUN)
    assert (outside.git_dir, outside.current) == (inside.git_dir, RUN)


def test_a_work_tree_seen_from_outside(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As git itself works there, or with `core.worktree`."""
    monkeypatch.setenv("GIT_DIR", str(repo_path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo_path))
    assert discover(str(tmp_path)).worktree == str(repo_path)
    monkeypatch.delenv("GIT_WORK_TREE")
    git(repo_path, "config", "core.worktree", str(repo_path))
    assert discover(str(tmp_path)).worktree == str(repo_path)


def test_a_foreign_repository_ignores_the_callers(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo(tmp_path / "other")
    open_run(repo_path / ".git", NEIGHBOUR)
    open_run(other / ".git")
    monkeypatch.setenv("GIT_DIR", str(repo_path / ".git"))
    repo = discover(str(other), foreign=True)
    assert (repo.git_dir, repo.current) == (str(other / ".git"), RUN)
    assert repo.git("rev-parse", "--absolute-git-dir").stdout.decode().strip() == repo.git_dir


def test_quarantined_objects_are_found(repo_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo_path / "quarantine").mkdir()
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(repo_path / "quarantine"))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(repo_path / ".git/objects"))
    assert repository(repo_path).objects == str(repo_path / "quarantine")


def test_sha256(tmp_path: Path) -> None:
    repo = repository(make_repo(tmp_path / "r", object_format="sha256"))
    assert repo.object_format == "sha256"
    assert repo.head and len(repo.head) == 64


def test_shallow_clone(repo_path: Path, tmp_path: Path) -> None:
    make_commits(repo_path, 2)
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo_path}", "shallow")
    assert repository(tmp_path / "shallow").is_shallow


@pytest.mark.parametrize(
    "name", ["a b", "it's", 'quo"te', "bläh", "日本語", "tab\tx", "-x", "$HOME"]
)
def test_paths_of_every_kind(tmp_path: Path, name: str) -> None:
    repo = repository(make_repo(tmp_path / name))
    assert repo.worktree == str(tmp_path / name)


def test_a_path_that_is_not_utf8(tmp_path: Path) -> None:
    path = make_repo(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")))
    assert repository(path).worktree == str(path)


def test_a_newline_in_the_path_is_refused_clearly(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "new\nline")
    with pytest.raises(RelayError, match="a path with a newline"):
        repository(path)


def test_no_repository_here(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="not a git repository"):
        repository(tmp_path)
    with pytest.raises(NotARepository, match="cannot read the directory"):
        repository(tmp_path / "gone")


def test_a_stranger_owns_it(repo_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git's advice is repeated whole, and nothing of the repository is run."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(NotARepository) as caught:
        repository(repo_path)
    assert "dubious ownership" in str(caught.value)
    assert f"git config --global --add safe.directory {repo_path}" in str(caught.value)


def test_one_process_learns_everything(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_run(repo_path / ".git")
    head = git(repo_path, "rev-parse", "HEAD")
    git(repo_path, "update-ref", notes_ref(RUN.month), head)
    git(repo_path, "update-ref", run_ref(NEIGHBOUR), head)
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    repo = repository(repo_path)
    assert (repo.current, repo.current_tip, repo.notes_tip) == (RUN, None, head)
    git(repo_path, "update-ref", run_ref(RUN), head)
    git(repo_path, "update-ref", "-d", notes_ref(RUN.month))
    repo = repository(repo_path)
    assert (repo.current_tip, repo.notes_tip) == (head, None)
    assert len(processes(tmp_path / "trace")) == 2


def test_a_wrong_guess_costs_one_more_process(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stray HEAD file makes a directory look like a git directory; git knows better."""
    below = repo_path / "below"
    (below / "relay").mkdir(parents=True)
    (below / "HEAD").write_text("not a git directory")
    open_run(below, NEIGHBOUR)
    open_run(repo_path / ".git")
    git(repo_path, "update-ref", run_ref(RUN), "HEAD")
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    repo = repository(below)
    assert (repo.current, repo.current_tip) == (RUN, repo.head)
    assert len(processes(tmp_path / "trace")) == 2


@pytest.mark.parametrize("text", [b"", b"../../etc", b"--exec=x\n", b"\xff\xfe", b"x" * 5000])
def test_what_is_no_run_id_is_no_run(repo_path: Path, text: bytes) -> None:
    open_run(repo_path / ".git")
    (repo_path / ".git/relay/current").write_bytes(text)
    assert read_current(str(repo_path / ".git")) is None
    assert repository(repo_path).current is None
