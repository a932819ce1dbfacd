"""Hooks of a linked worktree get GIT_DIR and GIT_INDEX_FILE, which follow every git that we start.

What is aimed at another repository (the scratch one of the proof, a user's own `git -C`) must not
reach the one that is being committed to.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow import done
from hooking import commit, hooked, program, run, write_hook
from support import git, make_repo


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    main = hooked(tmp_path / "main")
    git(main, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    return tmp_path / "linked"


def test_a_hook_in_a_linked_worktree_records_its_own_run(linked: Path, tmp_path: Path) -> None:
    done(tmp_path / "main", "start", "--slug", "of-main")
    done(linked, "start", "--slug", "of-linked")
    commit(linked, "a.txt")
    assert "-of-linked-" in git(linked, "log", "-1", "--format=%B")
    subjects = git(linked, "log", "--format=%s", "--glob=refs/relay/runs/*of-main*")
    assert not any(line.startswith("commit ") for line in subjects.splitlines())


def test_the_proof_touches_only_its_scratch_repository(linked: Path, tmp_path: Path) -> None:
    git_dir = git(linked, "rev-parse", "--absolute-git-dir")
    before = git(linked, "for-each-ref"), git(linked, "config", "--list", "--local")
    inherited = {
        "GIT_DIR": git_dir,
        "GIT_INDEX_FILE": f"{git_dir}/index",
        "GIT_WORK_TREE": str(linked),
        "GIT_PREFIX": "",
    }
    assert program(linked, "hooks", "status", **inherited).code == 0
    assert (git(linked, "for-each-ref"), git(linked, "config", "--list", "--local")) == before
    assert git(linked, "status", "--short") == ""
    assert git(linked, "rev-parse", "--abbrev-ref", "HEAD") == "side"


def test_a_hook_of_the_users_that_commits_elsewhere_is_recorded_nowhere_else(
    linked: Path, tmp_path: Path
) -> None:
    other = make_repo(tmp_path / "other")
    script = f"""\
#!/bin/sh
unset $(git rev-parse --local-env-vars)
git -C '{other}' commit -q --allow-empty -m elsewhere
"""
    hook = write_hook(tmp_path / "main/.git/hooks/post-commit", script)
    done(tmp_path / "main", "hooks", "install")
    assert script.splitlines()[1] in hook.read_text()
    done(linked, "start")
    commit(linked, "a.txt")
    assert "Relay-Run" in git(linked, "log", "-1", "--format=%B")
    assert git(other, "log", "-1", "--format=%B") == "elsewhere\n"
    assert git(other, "for-each-ref", "refs/relay", "refs/notes") == ""
    assert run(linked, "git", "fsck", "--strict").code == 0
