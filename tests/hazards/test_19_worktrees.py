"""Where `.git` is a file, and where there is no main worktree at all."""

from __future__ import annotations

import shutil
from pathlib import Path

from flow import done, make_project
from hooking import commit, hooked, hooks_of, program, run
from support import git


def test_a_commit_from_below_a_worktree_of_a_bare_repository(tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(make_project(tmp_path / "origin"), "clone", "-q", "--bare", ".", str(bare))
    tree = tmp_path / "tree"
    git(bare, "worktree", "add", "-q", str(tree))
    done(tree, "init")
    assert hooks_of(tree) == bare / "hooks"
    done(tree, "start")
    (tree / "a" / "b").mkdir(parents=True)
    commit(tree / "a" / "b", "c.txt")
    assert "Relay-Run" in git(tree, "log", "-1", "--format=%B")
    assert (tree / ".git").is_file()


def test_the_main_worktree_is_gone_and_the_others_go_on(tmp_path: Path) -> None:
    main = hooked(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", "-q", str(linked))
    done(linked, "start")
    for entry in main.iterdir():
        if entry.name != ".git":
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    commit(linked, "a.txt")
    assert "Relay-Run" in git(linked, "log", "-1", "--format=%B")


def test_a_new_worktree_and_one_where_nothing_is_set_up_say_nothing(tmp_path: Path) -> None:
    main = hooked(tmp_path / "main")
    done(main, "start")
    assert run(main, "git", "worktree", "add", "-q", "../linked") == (0, "", "")
    git(main, "checkout", "-q", "--orphan", "empty")
    git(main, "rm", "-r", "-q", "--cached", ".")
    assert run(main, "git", "commit", "-q", "--allow-empty", "-m", "x").code == 0
    for hook in ("post-checkout", "post-merge", "post-commit", "post-rewrite"):
        assert program(tmp_path, "hook", hook, "x").code == 0, "not even a repository"
