"""Line ends, marks and odd paths in the files that git runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from flow import call, done, make_project
from hooking import HOOKS, commit, hooks_of, run, write_hook
from support import git

ROOT = Path(__file__).parents[2]


def test_shims_are_written_with_line_feeds_whatever_git_converts(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    git(project, "config", "core.autocrlf", "true")
    done(project, "init")
    for hook in HOOKS:
        assert b"\r" not in (hooks_of(project) / hook).read_bytes()
    commit(project, "a.txt", "x\r\n")


def test_a_program_in_a_path_with_spaces_quotes_and_brackets(tmp_path: Path) -> None:
    """The program is started from there, and so that is where the hooks find it."""
    if " " in sys.executable:
        pytest.skip("a first line `#!…` cannot name an interpreter in a folder with spaces")
    folder = tmp_path / "o'brien (x86)" / "my tools"
    folder.mkdir(parents=True)
    script = folder / "git-relay"
    start = "from relay_git.main import main\nraise SystemExit(main())\n"
    write_hook(script, f"#!{sys.executable} -P\n{start}")
    project = make_project(tmp_path / "it's a project")
    subprocess.run([str(script), "init"], cwd=project, check=True, capture_output=True)
    assert run(project, str(script), "hooks", "status").code == 0
    done(project, "start")
    commit(project, "a.txt")
    assert "Relay-Run" in git(project, "log", "-1", "--format=%B")
    shutil.rmtree(folder)
    assert "which is gone" in call(project, "hooks", "status").err


def test_the_checkout_keeps_its_shims_as_they_are(tmp_path: Path) -> None:
    """Tracked hooks that autocrlf has rewritten would run nowhere."""
    attributes = ROOT / ".gitattributes"
    assert "hooks/* text eol=lf" in attributes.read_text().splitlines()
    copy = tmp_path / "copy"
    git(tmp_path, "init", "-q", str(copy))
    shutil.copytree(ROOT / "hooks", copy / "hooks")
    shutil.copy(attributes, copy)
    git(copy, "config", "core.autocrlf", "true")
    git(copy, "add", ".")
    shutil.rmtree(copy / "hooks")
    git(copy, "checkout", "-q", "--", "hooks")
    for hook in HOOKS:
        assert b"\r" not in (copy / "hooks" / hook).read_bytes()
        assert os.access(copy / "hooks" / hook, os.X_OK)
