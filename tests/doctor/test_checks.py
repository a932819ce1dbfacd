from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

import pytest
from flow import call, done
from hooking import (
    WELL,
    commit,
    finding,
    hooked,
    hooks_of,
    mend,
    program,
    run,
    with_program,
    write_hook,
)
from support import git, relay

from relay_git.githooks import shims


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set up, and all is well, as one test sees."""
    monkeypatch.setenv("PATH", with_program())
    return hooked(tmp_path / "project")


def an_hour_old(path: Path) -> None:
    then = time.time() - 3600
    os.utime(path, (then, then))


def test_where_all_is_well_it_says_so(project: Path) -> None:
    assert done(project, "doctor") == WELL


def test_each_hook_that_is_gone_is_named_and_mended(project: Path) -> None:
    (hooks_of(project) / "pre-commit").unlink()
    line = finding(project)
    assert "pre-commit is missing" in line
    mend(project, line)


def test_no_hooks_at_all_is_one_finding(project: Path) -> None:
    done(project, "hooks", "uninstall")
    line = finding(project)
    assert line.startswith("hooks: no hooks are installed")
    mend(project, line)


def test_a_dead_program_behind_the_hooks_is_found(project: Path, tmp_path: Path) -> None:
    dead = write_hook(tmp_path / "git-relay", "#!/gone/python\n")
    hook = hooks_of(project) / "post-checkout"
    hook.write_text(hook.read_text().replace(shlex.quote(shims.program()), str(dead)))
    mend(project, finding(project))


def test_a_program_that_git_does_not_find(project: Path) -> None:
    bare = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep)[1:])
    done = program(project, "doctor", PATH=bare)
    assert done.code == 1
    assert "`git relay` is not found" in done.out


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("remote.origin.mirror", "true", "`git push` mirrors"),
        ("remote.origin.fetch", "+refs/*:refs/*", "a fetch overwrites"),
        ("remote.origin.fetch", "+refs/relay/*:refs/relay/*", "a fetch overwrites"),
        ("remote.origin.fetch", "refs/notes/*:refs/notes/*", "a fetch overwrites"),
        ("remote.origin.push", "+refs/relay/*:refs/relay/*", "a push overwrites"),
    ],
)
def test_a_remote_that_would_lose_runs(project: Path, key: str, value: str, says: str) -> None:
    git(project, "remote", "add", "origin", str(project.parent / "elsewhere"))
    git(project, "config", "--add", "remote.origin.fetch", "+refs/heads/x:refs/remotes/origin/x")
    assert done(project, "doctor").startswith("all is well")
    git(project, "config", "--add", key, value)
    line = finding(project)
    assert says in line
    mend(project, line)
    assert git(project, "config", "--get-all", "remote.origin.fetch").count("\n") == 1


def test_refs_of_runs_in_every_log(project: Path) -> None:
    git(project, "config", "--unset-all", "log.excludeDecoration")
    mend(project, finding(project))


def test_the_list_of_what_was_purged_is_ours(project: Path) -> None:
    done(project, "start", "--slug", "leak")
    done(project, "purge", "leak:context.md", "--yes")
    assert "purged" not in call(project, "doctor").out


@pytest.mark.parametrize("name", ["refs/relay", "refs/notes/relay", "refs/relay-local"])
def test_a_ref_in_the_way_of_ours(project: Path, name: str) -> None:
    git(project, "update-ref", name, "HEAD")
    line = finding(project)
    assert f"refs: {name}: not a ref of git-relay" in line
    mend(project, line)


def test_a_foreign_ref_and_a_broken_one(project: Path) -> None:
    git(project, "update-ref", "refs/relay/runs/not-a-run", "HEAD")
    line = finding(project)
    assert "refs/relay/runs/not-a-run: not a ref of git-relay" in line
    mend(project, line)
    broken = project / ".git/refs/relay/history/2026-04"
    broken.parent.mkdir(parents=True, exist_ok=True)
    broken.write_text("")
    line = finding(project)
    assert "refs/relay/history/2026-04: the ref is broken" in line
    mend(project, line)
    git(project, "update-ref", "refs/relay/trust/2026-04", "HEAD")
    assert done(project, "doctor").startswith("all is well"), "of a later version"


@pytest.mark.parametrize(
    "name",
    ["config.lock", "packed-refs.lock", "refs/relay/runs/x.lock", "reftable/tables.list.lock"],
)
def test_a_lock_that_nobody_holds(project: Path, name: str) -> None:
    lock = project / ".git" / name
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    assert done(project, "doctor").startswith("all is well"), "it may be in use"
    an_hour_old(lock)
    line = finding(project)
    assert "a lock has been there for 3" in line
    mend(project, line)


def test_a_key_that_others_can_read(project: Path) -> None:
    keys = project / ".git/relay/keys"
    [private] = [key for key in keys.glob("SHA256-*") if not key.suffix]
    private.chmod(0o644)
    mend(project, finding(project))
    assert private.stat().st_mode & 0o777 == 0o600
    keys.chmod(0o755)
    mend(project, finding(project))


def test_a_clone_without_a_key(project: Path) -> None:
    for file in (project / ".git/relay/keys").iterdir():
        file.unlink()
    line = finding(project)
    assert "no signing key" in line
    mend(project, line)


def test_a_run_that_waits_in_another_worktree(project: Path) -> None:
    done(project, "start")
    run_id = (project / ".git/relay/current").read_text().strip()
    mark = project / ".git/relay/pending" / run_id
    mark.parent.mkdir()
    mark.write_text('{"branch":null,"format":1,"worktree":"/gone/.git/worktrees/w"}\n')
    assert done(project, "doctor").startswith("all is well"), "its last step may come any moment"
    an_hour_old(mark)
    line = finding(project)
    assert f"{run_id} has ended in /gone/.git/worktrees/w" in line
    assert mark.exists(), "looking changes nothing"


def test_commits_that_went_by_without_a_record(project: Path) -> None:
    commit(project, "before.txt")
    done(project, "start")
    commit(project, "seen.txt")
    assert done(project, "doctor").startswith("all is well")
    for name in ("one", "two"):
        (project / f"{name}.txt").write_text(name)
        git(project, "add", f"{name}.txt")
        assert run(project, "git", "commit", "-q", "-m", name, GIT_RELAY="0").code == 0
    answer = program(project, "doctor")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert lines[2] == "2 problems"
    assert lines[0].endswith("without a record: two; run `git relay hook post-commit`")
    assert "without a record: one; " in lines[1]
    assert relay(project, "hook", "post-commit") == ""
    assert "without a record: one; " in finding(project)


def test_what_others_committed_is_not_missed(project: Path) -> None:
    done(project, "start")
    other = {"GIT_COMMITTER_EMAIL": "eve@example.com", "GIT_RELAY": "0"}
    run(project, "git", "commit", "-q", "--allow-empty", "-m", "theirs", **other)
    assert done(project, "doctor").startswith("all is well")


def test_one_broken_part_does_not_hide_the_others(project: Path) -> None:
    [private] = [k for k in (project / ".git/relay/keys").glob("SHA256-*") if not k.suffix]
    private.write_text("garbage\n")
    (hooks_of(project) / "pre-commit").unlink()
    done = program(project, "doctor")
    assert done.code == 1
    assert "hooks: " in done.out
    assert "keys: " in done.out
