"""Two tools that chain each other's hook, and a hook that ends in `exit 0`."""

from __future__ import annotations

from pathlib import Path

from flow import done
from hooking import commit, hooked, hooks_of, run, started, watch, write_hook
from support import repository

from relay_git.githooks import shims
from relay_git.githooks.install import install


def test_a_chain_that_comes_back_to_us_ends(tmp_path: Path) -> None:
    """Ours calls what was there, and that calls ours."""
    project = hooked(tmp_path / "project")
    hook = hooks_of(project) / "post-commit"
    script = f'#!/usr/bin/env -S python3\nimport os\nos.execv("{hook}", ["{hook}"])\n'
    write_hook(hook.with_name(f"post-commit{shims.KEPT}"), script)
    done(project, "start")
    log = watch(project, tmp_path / "log")
    commit(project, "a.txt")
    assert [line for line in started(log) if "post-commit" in line] == ["hook post-commit"]


def test_a_copy_of_ours_that_is_called_first_runs_once(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    hook = hooks_of(project) / "post-commit"
    hook.rename(hook.with_name("post-commit.old"))
    write_hook(hook, '#!/bin/sh\n"$0.old" "$@"\nexit 0\n')
    install(repository(project))
    install(repository(project))
    done(project, "start")
    log = watch(project, tmp_path / "log")
    commit(project, "a.txt")
    assert [line for line in started(log) if "post-commit" in line] == ["hook post-commit"]


def test_a_hook_that_exits_does_not_make_ours_dead_code(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    hook = hooks_of(project) / "post-commit"
    write_hook(hook, "#!/bin/sh\nexit 0\n")
    install(repository(project))
    done(project, "start")
    log = watch(project, tmp_path / "log")
    commit(project, "a.txt")
    assert "hook post-commit" in started(log)


def test_a_commit_that_a_users_hook_makes_in_another_repository_is_hooked_too(
    tmp_path: Path,
) -> None:
    """What stops a loop must not reach further than the loop."""
    other = hooked(tmp_path / "other")
    done(other, "start")
    project = hooked(tmp_path / "project")
    script = f"#!/bin/sh\ncd '{other}' && git commit -q --allow-empty -m nested\n"
    write_hook(hooks_of(project) / "post-commit", script)
    install(repository(project))
    done(project, "start")
    commit(project, "a.txt")
    assert "Relay-Run" in run(other, "git", "log", "-1", "--format=%B").out
