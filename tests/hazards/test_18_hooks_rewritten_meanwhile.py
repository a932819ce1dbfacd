"""Another tool rewrites the hooks between two commits of one run."""

from __future__ import annotations

from pathlib import Path

from flow import call, done
from hooking import commit, hooked, hooks_of, write_hook
from support import git


def test_commits_that_went_by_are_named(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    done(project, "start")
    commit(project, "one.txt")
    write_hook(hooks_of(project) / "post-commit", "#!/bin/sh\n# generated: do not edit\nexit 0\n")
    commit(project, "two.txt")
    commit(project, "three.txt")
    examined = call(project, "doctor")
    assert examined.code == 1
    assert "post-commit is replaced by another hook" in examined.out
    assert examined.out.count("without a record: change t") == 2
    done(project, "hooks", "install")
    commit(project, "four.txt")
    subjects = git(project, "log", "--format=%s", "--glob=refs/relay/runs").splitlines()
    assert sum(subject.startswith("commit ") for subject in subjects) == 2
    assert "change four" not in call(project, "doctor").out


def test_commits_that_another_run_tells_of_are_not_named(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    done(project, "start", "--slug", "first")
    done(project, "start", "--slug", "second")
    commit(project, "one.txt")
    done(project, "switch", "first")
    assert "without a record" not in call(project, "doctor").out


def test_a_commit_of_before_that_was_rebased_since_is_not_named(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    git(project, "commit", "-q", "--allow-empty", "-m", "mine", "--date=2026-01-01T00:00:00Z")
    done(project, "start")
    git(project, "rebase", "-q", "--signoff", "HEAD^")
    assert "without a record" not in call(project, "doctor").out
