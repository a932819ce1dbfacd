"""No hook of ours is fired by every ref that moves; nothing recurses when we move refs."""

from __future__ import annotations

from pathlib import Path

from flow import done
from hooking import HOOKS, commit, hooked, hooks_of, started, watch
from support import git, make_repo


def test_ref_storms_do_not_reach_us(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    assert "reference-transaction" not in HOOKS
    assert not (hooks_of(project) / "reference-transaction").exists()
    done(project, "start")
    other = make_repo(tmp_path / "other")
    for number in range(10):
        git(other, "branch", f"branch-{number}")
    log = watch(project, tmp_path / "log")
    git(project, "fetch", "-q", str(other), "refs/heads/*:refs/remotes/other/*")
    for number in range(100):
        git(project, "update-ref", f"refs/tags/tag-{number}", "HEAD")
    git(project, "pack-refs", "--all")
    git(project, "gc", "--quiet")
    assert started(log) == []
    commit(project, "a.txt")
    assert started(log) == ["hook post-commit"]
