"""Parallel agents commit in worktrees of their own; hooks take no lock of the user's."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from flow import done, make_project
from hooking import commit, hooked, run
from support import git

WORKTREES = 8


def test_every_commit_is_made_and_recorded(tmp_path: Path) -> None:
    main = hooked(tmp_path / "main")
    trees = [tmp_path / f"tree-{number}" for number in range(WORKTREES)]
    for tree in trees:
        git(main, "worktree", "add", "-q", "-b", tree.name, str(tree))
        done(tree, "start", "--slug", tree.name)
    with ThreadPoolExecutor(WORKTREES) as pool:
        assert list(pool.map(lambda tree: commit(tree, f"{tree.name}.txt"), trees)) == (
            [""] * WORKTREES
        )
    ref = git(main, "for-each-ref", "--format=%(refname)", "refs/notes/relay")
    for tree in trees:
        assert f"-{tree.name}-" in git(tree, "log", "-1", "--format=%B")
        assert f"-{tree.name}-" in git(main, "notes", "--ref", ref, "show", tree.name)
    assert run(main, "git", "fsck", "--strict").code == 0


def test_a_held_lock_on_the_configuration_does_not_reach_hooks(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    done(project, "start")
    (project / ".git/config.lock").touch()
    assert commit(project, "a.txt") == ""
    assert "Relay-Run" in git(project, "log", "-1", "--format=%B")


def test_five_inits_at_once(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    command = [sys.executable, "-P", "-m", "relay_git", "init"]

    def init(_: int) -> int:
        return subprocess.run(command, cwd=project, capture_output=True).returncode

    with ThreadPoolExecutor(5) as pool:
        assert set(pool.map(init, range(5))) == {0}
    assert git(project, "config", "--get-all", "log.excludeDecoration") == "refs/relay/*"
    kept = [
        name for name in os.listdir(project / ".git/hooks") if name.endswith((".tmp", "-relay"))
    ]
    assert kept == []
