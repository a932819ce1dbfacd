"""Where lessons arrive: in the work tree, on a branch of their own, or nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow import REJECTED, call, done, draft, make_project, review, run_ref, write
from support import git

from relay_git.workflow import setup


def project_delivering(path: Path, how: str) -> Path:
    project = make_project(path)
    (project / ".relay/relay.yml").write_text(f"version: 1\nlessons:\n  deliver: {how}\n")
    git(project, "add", ".relay/relay.yml")
    git(project, "commit", "-qm", "settings")
    return project


def teach(project: Path) -> str:
    """A run that is given up after one rejection; its id."""
    done(project, "start")
    run = run_ref(project).rpartition("/")[2]
    draft(project)
    review(project, REJECTED)
    done(project, "abandon")
    return run


def lessons_in_tree(project: Path) -> list[str]:
    return [p.name for p in sorted(project.glob(".relay/lessons/**/*.md"))]


def test_on_a_branch_the_pull_request_is_ready(tmp_path: Path) -> None:
    project = project_delivering(tmp_path / "p", "branch")
    git(project, "switch", "-qc", "feature")
    (project / "feature.txt").write_text("x\n")
    git(project, "add", "feature.txt")
    git(project, "commit", "-qm", "feature")
    before = git(project, "status", "--porcelain"), git(project, "rev-parse", "HEAD")
    run = teach(project)
    assert (git(project, "status", "--porcelain"), git(project, "rev-parse", "HEAD")) == before
    assert lessons_in_tree(project) == []

    branch = f"relay-lessons/{run}"
    assert git(project, "rev-parse", f"{branch}~1") == git(project, "rev-parse", "main")
    (path,) = git(project, "diff", "--name-only", "main", branch).splitlines()
    assert path.startswith(".relay/lessons/author/")
    message = git(project, "log", "-1", "--format=%B", branch)
    assert message.startswith(f"1 lesson of {run}\n")
    assert path in message and "review.md, line 5, step 3" in message
    assert message.rstrip().endswith(f"Relay-Run: {run}")
    git(project, "merge", "-q", branch)
    assert lessons_in_tree(project) == [path.rpartition("/")[2]]


def test_a_lesson_that_the_default_branch_has_is_not_brought_again(tmp_path: Path) -> None:
    project = project_delivering(tmp_path / "p", "branch")
    first, second = teach(project), None
    git(project, "merge", "-q", f"relay-lessons/{first}")
    second = teach(project)
    assert git(project, "branch", "--list", f"relay-lessons/{second}") == ""


def test_none_keeps_history_only(tmp_path: Path) -> None:
    project = project_delivering(tmp_path / "p", "none")
    teach(project)
    assert lessons_in_tree(project) == []
    assert "filed" in done(project, "runs", "--all")


def test_without_a_default_branch_the_run_stays_pending(tmp_path: Path) -> None:
    project = project_delivering(tmp_path / "p", "branch")
    git(project, "branch", "-m", "trunk")
    done(project, "start")
    draft(project)
    review(project, REJECTED)
    answer = call(project, "abandon")
    assert answer.code == 1 and "no default branch" in answer.err
    git(project, "branch", "-m", "main")
    done(project, "settle", "loop")
    assert git(project, "branch", "--list", "relay-lessons/*") != ""


@pytest.mark.parametrize("how", ["worktree", "branch"])
def test_only_the_worktree_that_ended_a_run_delivers(tmp_path: Path, how: str) -> None:
    """Another one completes the filing of a run whose own worktree was stopped; `settle RUN`
    adopts."""
    project = project_delivering(tmp_path / "p", how)
    run = teach(project)
    linked = tmp_path / "linked"
    git(project, "worktree", "add", "-q", "--detach", str(linked))
    done(linked, "settle")
    assert lessons_in_tree(linked) == []
    told = done(linked, "settle", run)
    assert "filed" in told
    if how == "worktree":
        assert len(lessons_in_tree(linked)) == 1


def test_two_branches_that_both_learn_merge_without_conflict(tmp_path: Path) -> None:
    project = project_delivering(tmp_path / "p", "worktree")
    (project / ".relay/.gitattributes").write_text(setup._GITATTRIBUTES)
    git(project, "add", ".relay")
    git(project, "commit", "-qm", "attributes")
    for branch, item in (("one", "The first thing is missing."), ("two", "The second one is.")):
        git(project, "switch", "-qc", branch, "main")
        done(project, "start")
        draft(project)
        write(project, "review.md", f"## Required Changes\n\n- {item}\n\n## Verdict: reject\n")
        done(project, "advance")
        done(project, "abandon")
        git(project, "add", ".relay")
        git(project, "commit", "-qm", branch)
    git(project, "switch", "-q", "main")
    git(project, "merge", "-q", "one")
    git(project, "merge", "-q", "--no-edit", "two")
    assert len(lessons_in_tree(project)) == 2
    done(project, "validate")
