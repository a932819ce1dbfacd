"""With core.hooksPath, hooks in .git/hooks never run: installing refuses, status never lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flow import call, done, make_project
from hooking import write_hook
from support import git


@pytest.mark.parametrize("place", [".husky/_", "global"])
def test_nothing_is_written_there_and_init_names_the_line(tmp_path: Path, place: str) -> None:
    project = make_project(tmp_path / "project")
    theirs = tmp_path / "hooks" if place == "global" else project / place
    theirs.mkdir(parents=True)
    git(project, "config", "core.hooksPath", str(theirs) if place == "global" else place)
    told = done(project, "init")
    assert "add to post-commit: relay=$(git rev-parse --git-common-dir)" in told
    assert os.listdir(theirs) == []
    assert git(project, "config", "core.hooksPath") in (str(theirs), place)
    examined = call(project, "doctor")
    assert examined.code == 1
    assert "a checkout does not reach our post-checkout hook" in examined.out


def test_a_path_set_after_installing_is_found_out(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    done(project, "init")
    assert call(project, "hooks", "status").code == 0
    git(project, "config", "core.hooksPath", ".husky")
    assert call(project, "hooks", "status").code == 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    hooks = project / ".git/hooks"
    write_hook(hooks / "pre-commit", "#!/bin/sh\n")
    (hooks / "post-commit").mkdir()
    refused = call(project, "hooks", "install")
    assert refused.code == 1
    assert f"{hooks}/post-commit: not a file" in refused.err
    assert (hooks / "post-merge").exists(), "the others are in"
