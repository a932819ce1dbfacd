"""Which remote is meant, by which refspecs its refs come, and what would endanger runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from clones import make_clone, make_server, relay_refs, tracked
from flow import call, done, draft, make_project, tips
from support import git, repository

from relay_git.errors import Refused
from relay_git.joining import rules
from relay_git.sync import remotes
from relay_git.workspace import Workspace

OF_ORIGIN = [
    "+refs/relay/*:refs/relay-local/remotes/origin/relay/*",
    "+refs/notes/relay/*:refs/relay-local/remotes/origin/notes/*",
]
NOON = "1777377600"
"""2026-04-28."""


def opened(path: Path) -> Workspace:
    return Workspace(repository(path))


def add_remotes(path: Path, *names: str) -> None:
    for name in names:
        git(path, "remote", "add", name, f"/elsewhere/{name}")


def refused(path: Path, asked: str | None = None) -> str:
    with pytest.raises(Refused) as error:
        remotes.choose(opened(path), asked)
    return str(error.value)


# Which


def test_the_order_in_which_a_remote_is_found(repo_path: Path) -> None:
    assert (
        refused(repo_path) == "this repository has no remote; add one: `git remote add origin URL`"
    )
    add_remotes(repo_path, "fork")
    assert remotes.choose(opened(repo_path), None) == "fork", "the only one"
    add_remotes(repo_path, "b/c")
    assert "which remote? there are fork, b/c; name one" in refused(repo_path)
    add_remotes(repo_path, "origin")
    assert remotes.choose(opened(repo_path), None) == "origin"
    git(repo_path, "config", "branch.main.remote", "fork")
    assert remotes.choose(opened(repo_path), None) == "fork", "the branch's own"
    git(repo_path, "config", "relay.remote", "b/c")
    assert remotes.choose(opened(repo_path), None) == "b/c"
    assert remotes.choose(opened(repo_path), "origin") == "origin"


def test_a_branch_that_follows_another_of_this_repository(repo_path: Path) -> None:
    add_remotes(repo_path, "origin")
    git(repo_path, "config", "branch.main.remote", ".")
    assert remotes.choose(opened(repo_path), None) == "origin"
    git(repo_path, "checkout", "-q", "--detach")
    assert remotes.choose(opened(repo_path), None) == "origin"


def test_a_remote_that_is_not_there(repo_path: Path) -> None:
    said = "there is no remote 'gone'; add it with `git remote add gone URL`"
    assert refused(repo_path, "gone") == said
    add_remotes(repo_path, "origin")
    assert refused(repo_path, "gone") == "there is no remote 'gone'; known: origin"
    git(repo_path, "config", "relay.remote", "old")
    assert refused(repo_path) == "there is no remote 'old'; known: origin"
    answer = call(repo_path, "sync", "--upload-pack=evil")
    assert answer.code == 2


# Refspecs


def fetch_specs(path: Path, remote: str) -> list[str]:
    return git(path, "config", "--get-all", f"remote.{remote}.fetch").splitlines()


def test_init_adds_refspecs_for_every_remote_once_and_uninit_takes_them_out(tmp_path: Path) -> None:
    path = make_project(tmp_path / "project")
    add_remotes(path, "origin", "b/c")
    before = git(path, "config", "--local", "--list")
    for _ in range(2):
        done(path, "init", "--no-hooks")
        assert fetch_specs(path, "origin")[1:] == OF_ORIGIN
        assert fetch_specs(path, "b/c")[1:] == [s.replace("/origin/", "/b/c/") for s in OF_ORIGIN]
    assert "everything is set up" in done(path, "init", "--no-hooks")
    said = done(path, "uninit")
    assert said.count("took out git config remote.") == 4
    assert git(path, "config", "--local", "--list") == before


def test_five_inits_at_once_add_each_refspec_once(tmp_path: Path) -> None:
    path = make_project(tmp_path / "project")
    add_remotes(path, "origin", "fork")
    command = [sys.executable, "-m", "relay_git", "init", "--no-hooks"]
    running = [subprocess.Popen(command, cwd=path, stdout=subprocess.DEVNULL) for _ in range(5)]
    assert [process.wait(60) for process in running] == [0] * 5
    assert fetch_specs(path, "origin")[1:] == OF_ORIGIN
    assert len(fetch_specs(path, "fork")) == 3


def test_a_remote_whose_name_no_ref_can_hold(tmp_path: Path) -> None:
    path = make_project(tmp_path / "project")
    git(path, "config", "remote.my fork.url", "/elsewhere")
    done(path, "init", "--no-hooks")
    assert git(path, "config", "--list").count("my fork") == 1


def test_a_plain_fetch_brings_runs_beside_our_own(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server")
    ada, bob = (make_clone(server, tmp_path / name) for name in ("ada", "bob"))
    done(ada, "start")
    done(ada, "sync")
    git(bob, "fetch", "-q")
    assert tracked(bob) == relay_refs(ada)
    assert relay_refs(bob) == {}


def test_a_renamed_remote(tmp_path: Path) -> None:
    """git leaves our refspecs as they are, so its runs come under the old name: they are taken in
    all the same, the doctor tells of it, and init mends it."""
    server = make_server(tmp_path / "server")
    ada, bob = (make_clone(server, tmp_path / name) for name in ("ada", "bob"))
    git(bob, "remote", "rename", "origin", "up")
    done(ada, "start")
    done(ada, "sync")
    git(bob, "fetch", "-q", "up")
    assert "open at draft" in done(bob, "runs")
    assert relay_refs(bob) == relay_refs(ada)
    told = call(bob, "doctor").out
    assert told.count("a fetch keeps runs under the name of another remote") == 2
    done(bob, "init", "--no-hooks")
    assert fetch_specs(bob, "up")[1:] == [s.replace("/origin/", "/up/") for s in OF_ORIGIN]
    assert "another remote" not in call(bob, "doctor").out


# A limit to recent months


def test_months_are_counted_across_years(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_RELAY_NOW", "1769000000")
    assert remotes.recent_months(3) == ["2025-11", "2025-12", "2026-01", "2026-02"]
    assert remotes.recent_months(1) == ["2026-01", "2026-02"]
    monkeypatch.setenv("GIT_RELAY_NOW", "1764500000")
    assert remotes.recent_months(1) == ["2025-11", "2025-12"]


def test_fetch_months_limits_what_is_kept_by_month(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = make_server(tmp_path / "server")
    ada, bob = (make_clone(server, tmp_path / name) for name in ("ada", "bob"))
    monkeypatch.setenv("GIT_RELAY_NOW", "1769000000")
    done(ada, "start", "--slug", "winter")
    done(ada, "abandon")
    monkeypatch.setenv("GIT_RELAY_NOW", NOON)
    done(ada, "start", "--slug", "spring")
    done(ada, "abandon")
    done(ada, "start", "--slug", "open")
    done(ada, "sync")
    git(bob, "config", "relay.fetchMonths", "2")
    said = done(bob, "init", "--no-hooks")
    assert said.count("refs/relay/runs/*:") == 1
    assert len(fetch_specs(bob, "origin")) == 2, "a plain fetch brings open runs alone"
    done(bob, "sync")
    here = {ref.rpartition("/")[2] for ref in relay_refs(bob) if "/runs/" not in ref}
    assert here == {"2026-04"}
    assert len(relay_refs(bob)) == 3
    assert done(bob, "sync") == "in step with origin\n"
    assert len(relay_refs(server)) == 5, "what is absent here is not gone there"
    git(bob, "config", "--unset", "relay.fetchMonths")
    done(bob, "sync")
    assert relay_refs(bob) == relay_refs(server)


def test_a_month_that_this_clone_has_is_synced_however_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or its own filings in it would be refused for ever."""
    server = make_server(tmp_path / "server")
    ada, bob = (make_clone(server, tmp_path / name) for name in ("ada", "bob"))
    git(bob, "config", "relay.fetchMonths", "1")
    monkeypatch.setenv("GIT_RELAY_NOW", "1769000000")
    for path in (ada, bob):
        done(path, "start", "--slug", path.name)
    monkeypatch.setenv("GIT_RELAY_NOW", NOON)
    for path in (ada, bob):
        done(path, "abandon")
        done(path, "sync")
    done(ada, "sync")
    assert relay_refs(ada) == relay_refs(bob) == relay_refs(server)
    assert len(git(bob, "ls-tree", "-r", "--name-only", "refs/relay/history/2026-01").split()) > 2


def test_refspecs_name_the_kinds_that_are_not_monthly(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_RELAY_NOW", NOON)
    assert remotes.refspecs(opened(repo_path), "origin", rules()) == OF_ORIGIN
    git(repo_path, "config", "relay.fetchMonths", "1")
    specs = remotes.refspecs(opened(repo_path), "origin", rules())
    assert [spec.partition(":")[0] for spec in specs] == [
        "+refs/relay/purged*",
        "+refs/relay/runs/*",
        "+refs/relay/history/2026-04*",
        "+refs/notes/relay/2026-04*",
        "+refs/relay/history/2026-05*",
        "+refs/notes/relay/2026-05*",
    ]


# Dangers


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("remote.origin.mirror", "true"),
        ("remote.origin.fetch", "+refs/*:refs/*"),
        ("remote.origin.fetch", "+refs/relay/*:refs/relay/*"),
        ("remote.origin.push", "+refs/relay/*:refs/relay/*"),
    ],
)
def test_a_remote_that_would_lose_runs_is_not_talked_to(
    tmp_path: Path, key: str, value: str
) -> None:
    """Refused with the command that mends it, as the doctor says it; then it works."""
    server = make_server(tmp_path / "server")
    ada = make_clone(server, tmp_path / "ada")
    done(ada, "start")
    draft(ada)
    git(ada, "config", "--add", key, value)
    before = tips(ada)
    for command in ("sync", "fetch", "push"):
        answer = call(ada, command)
        assert answer.code == 1
        (line,) = answer.err.splitlines()
        assert line in (f"git relay: {problem}" for problem in dangers(ada))
    assert tips(ada) == before
    assert relay_refs(server) == {}
    mend = line.rpartition("run `")[2].rstrip("`")
    subprocess.run(["sh", "-c", mend], cwd=ada, check=True)
    done(ada, "sync")
    assert relay_refs(server) == relay_refs(ada)


def dangers(path: Path) -> list[str]:
    return [str(danger) for danger in remotes.dangers(opened(path).config, "origin")]


def test_our_own_refspecs_are_no_danger(tmp_path: Path) -> None:
    assert dangers(make_clone(make_server(tmp_path / "server"), tmp_path / "ada")) == []
