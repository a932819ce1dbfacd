"""A rebase runs hooks by the dozen; all is left to one post-rewrite, and nobody is stranded."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow import copy_of, done
from hooking import commit, hooked, hooks_of, run, started, watch, write_hook
from support import git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Five commits of an open run, each with its note."""

    def build(path: Path) -> None:
        done(hooked(path), "start")
        for number in range(5):
            commit(path, f"{number}.txt")

    return copy_of("five-commits", build, tmp_path / "project")


def noted(path: Path, count: int) -> list[bool]:
    ref = git(path, "for-each-ref", "--format=%(refname)", "refs/notes/relay")
    revs = git(path, "rev-list", f"-{count}", "HEAD").split()
    return [run(path, "git", "notes", "--ref", ref, "show", rev).code == 0 for rev in revs]


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_one_program_a_rebase_and_every_note_follows(
    project: Path, tmp_path: Path, backend: str
) -> None:
    log = watch(project, tmp_path / "log")
    run(project, "git", "rebase", "-q", "-f", backend, "HEAD~5", GIT_COMMITTER_DATE="1893456000")
    assert started(log) == ["hook post-rewrite rebase"]
    assert noted(project, 5) == [True] * 5


def test_an_autosquash_joins_notes_and_an_amend_moves_one(project: Path, tmp_path: Path) -> None:
    git(project, "commit", "-q", "--allow-empty", "--fixup", "HEAD~1")
    run(project, "git", "-c", "core.editor=true", "rebase", "-q", "-i", "--autosquash", "HEAD~4")
    assert noted(project, 3) == [True] * 3
    log = watch(project, tmp_path / "log")
    git(project, "commit", "-q", "--amend", "-m", "amended")
    assert "hook post-rewrite amend" in started(log)
    assert noted(project, 1) == [True]


def test_a_hook_that_cannot_run_does_not_strand_the_rebase(project: Path, tmp_path: Path) -> None:
    hook = hooks_of(project) / "post-rewrite"
    write_hook(hook, hook.read_text().replace(" relay=", f" relay={tmp_path}/gone; #"))
    rebased = run(project, "git", "rebase", "-q", "-f", "HEAD~5", GIT_COMMITTER_DATE="1893456000")
    assert rebased.code == 0
    assert git(project, "symbolic-ref", "--short", "HEAD") == "main"
    assert git(project, "status", "--short", "--untracked-files=no") == ""


def test_a_cherry_pick_and_a_bisect_record_nothing_in_between(
    project: Path, tmp_path: Path
) -> None:
    log = watch(project, tmp_path / "log")
    git(project, "checkout", "-q", "-b", "side", "HEAD~5")
    git(project, "cherry-pick", "main~4", "main~3")
    git(project, "bisect", "start", "main", "HEAD~2")
    git(project, "bisect", "bad")
    git(project, "bisect", "reset")
    assert started(log) == []


def test_a_commit_in_the_middle_of_a_rebase_waits_for_its_end(
    project: Path, tmp_path: Path
) -> None:
    log = watch(project, tmp_path / "log")
    editor = {"GIT_SEQUENCE_EDITOR": "sed -i 1s/pick/edit/"}
    assert run(project, "git", "rebase", "-q", "-i", "HEAD~3", **editor).code == 0
    commit(project, "between.txt")
    assert started(log) == []
    assert run(project, "git", "rebase", "--continue").code == 0
    assert started(log) == ["hook post-rewrite rebase"]
    assert noted(project, 2) == [True, True]
