"""A GUI client's bare environment, and an environment of Python that has been deleted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flow import done
from hooking import Done, hooked, hooks_of, run, write_hook
from support import git

from relay_git.githooks import shims

BARE = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = hooked(tmp_path / "my project (v2)")
    done(path, "start")
    return path


def bare_commit(project: Path, *options: str) -> Done:
    """`env -i HOME=$HOME PATH=… git commit`."""
    variables = [f"HOME={os.environ['HOME']}", f"PATH={BARE}"]
    command = ("git", "commit", "-q", "--allow-empty", "-m", "x", *options)
    return run(project, "env", "-i", *variables, *command)


def break_program(project: Path, program: Path) -> None:
    for hook in shims.HOOKS:
        file = hooks_of(project) / hook
        file.write_text(file.read_text().replace(shims.program(), str(program)))


def test_a_bare_environment_finds_the_program(project: Path) -> None:
    assert bare_commit(project) == (0, "", "")
    assert "Relay-Run" in git(project, "log", "-1", "--format=%B")


@pytest.mark.parametrize("how", ["deleted", "no interpreter", "no package"])
def test_recording_hooks_say_one_line_and_never_block(
    project: Path, tmp_path: Path, how: str
) -> None:
    program = tmp_path / "gone" / "git-relay"
    if how == "no interpreter":
        write_hook(program, "#!/gone/python3\n")
    elif how == "no package":
        write_hook(program, "#!/usr/bin/env python3\nimport relay_git_that_is_gone\n")
    break_program(project, program)
    made = bare_commit(project)
    assert made.code == 0
    [line] = made.err.splitlines()
    assert line.startswith("git-relay: cannot run ")
    assert line.endswith("the commit is not recorded; see git relay doctor")
    assert "Relay-Run" in git(project, "log", "-1", "--format=%B"), "that takes git alone"


def test_the_gate_says_how_to_go_on(project: Path, tmp_path: Path) -> None:
    break_program(project, tmp_path / "gone")
    (project / ".relay/notes.txt").write_text("x\n")
    git(project, "add", ".relay/notes.txt")
    refused = bare_commit(project)
    assert refused.code == 1
    assert "GIT_RELAY=0 git commit goes on without this check" in refused.err
    assert run(project, "git", "commit", "-q", "-m", "x", GIT_RELAY="0").code == 0


def test_the_gate_has_nothing_against_commits_that_leave_us_alone(
    project: Path, tmp_path: Path
) -> None:
    break_program(project, tmp_path / "gone")
    assert bare_commit(project).code == 0


def test_a_program_on_path_stands_in(project: Path, tmp_path: Path) -> None:
    stand_in = write_hook(tmp_path / "bin" / "git-relay", f"#!/bin/sh\necho $* >>{tmp_path}/log\n")
    break_program(project, tmp_path / "gone")
    path = f"{stand_in.parent}:{BARE}"
    assert run(project, "git", "commit", "-q", "--allow-empty", "-m", "x", PATH=path).code == 0
    assert "hook post-commit" in (tmp_path / "log").read_text()
