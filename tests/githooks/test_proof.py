from __future__ import annotations

import os
from pathlib import Path

import pytest
from hooking import hooks_of, program, write_hook
from support import git, relay, repository

from relay_git.githooks import shims
from relay_git.githooks.install import install
from relay_git.githooks.proof import fire


@pytest.fixture
def project(repo_path: Path) -> Path:
    install(repository(repo_path))
    return repo_path


def test_a_hook_that_is_in_place_fires_and_nobody_elses_does(project: Path, tmp_path: Path) -> None:
    hook = hooks_of(project) / "post-checkout"
    hook.unlink()
    write_hook(hook, f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    install(repository(project))
    assert fire(repository(project)) is None
    assert not (tmp_path / "ran").exists()
    git(project, "checkout", "-q", "--detach")
    assert (tmp_path / "ran").exists()
    assert git(project, "status", "--short") == ""


def test_a_hook_that_another_tool_has_replaced_does_not_fire(project: Path) -> None:
    write_hook(hooks_of(project) / "post-checkout", "#!/bin/sh\n")
    problem = fire(repository(project))
    assert problem
    assert "git relay hooks install" in str(problem)


def test_a_dead_program_is_found_out(project: Path, tmp_path: Path) -> None:
    """The file is there and can be executed, and yet it does not run: its interpreter is gone."""
    dead = write_hook(tmp_path / "git-relay", "#!/gone/python\n")
    hook = hooks_of(project) / "post-checkout"
    hook.write_text(hook.read_text().replace(shims.program(), str(dead)))
    assert fire(repository(project))


def test_hooks_that_git_looks_for_elsewhere_do_not_fire(project: Path, tmp_path: Path) -> None:
    git(project, "config", "core.hooksPath", str(tmp_path / "nowhere"))
    problem = fire(repository(project))
    assert problem
    assert "`git relay hooks status` prints" in str(problem)
    told = program(project, "hooks", "status")
    assert told.code == 1
    line = next(line for line in told.out.splitlines() if "add to post-checkout: " in line)
    install(repository(project))
    write_hook(tmp_path / "nowhere" / "post-checkout", "#!/bin/sh\n" + line.partition(": ")[2])
    assert fire(repository(project)) is None


def test_status_says_that_one_was_fired(project: Path) -> None:
    assert "one was fired, and ran" in relay(project, "hooks", "status")
    assert '"fired": true' in relay(project, "hooks", "--json")


def test_the_switch_of_the_caller_does_not_matter(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_RELAY", "0")
    monkeypatch.setenv("GIT_DIR", os.fspath(project / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", "nowhere")
    assert fire(repository(project)) is None
