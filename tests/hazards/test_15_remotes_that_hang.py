"""Hazard 15: whatever a remote does, ours ends within its deadline, asks nobody, and says so."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clones import make_clone, make_server, neighbours, relay_refs
from flow import done, tips
from hooking import program, run, with_program, write_hook
from silent import Silent
from support import git, repository

from relay_git.joining import rules
from relay_git.sync import exchange
from relay_git.workspace import Workspace


def build(folder: Path) -> None:
    done(make_clone(make_server(folder / "server"), folder / "ada"), "start")


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return neighbours("started-by-ada", build, tmp_path)


@pytest.fixture
def ada(server: Path) -> Path:
    return server.with_name("ada")


@pytest.fixture
def silent() -> Iterator[Silent]:
    with Silent() as server:
        yield server


def hook_of(path: Path, line: str) -> None:
    write_hook(path / ".git/hooks/pre-push", f"#!/bin/sh\n{line}\n")


SHORT = (
    "from relay_git.git.repo import discover; from relay_git.joining import rules; "
    "from relay_git.sync import exchange; from relay_git.workspace import Workspace; "
    "print(exchange.sync(Workspace(discover()), 'slow', rules(), deadline=1.0).unreached)"
)


def test_a_hook_ends_while_the_remote_is_silent_and_the_push_goes_on(
    ada: Path, server: Path, silent: Silent
) -> None:
    """The hook's own remote is another one than the user pushes to."""
    git(ada, "remote", "add", "slow", silent.url)
    hook_of(ada, f'"{sys.executable}" -c "{SHORT}" >&2')
    git(ada, "commit", "-q", "--allow-empty", "-m", "code")
    begun = time.monotonic()
    pushed = run(ada, "git", "push", "-q", "origin", "main")
    assert pushed.code == 0
    assert "slow did not answer within 1 seconds" in pushed.err
    assert time.monotonic() - begun < 6
    assert silent.calls == 1
    assert git(server, "rev-parse", "main") == git(ada, "rev-parse", "main")


def test_a_sync_from_pre_push_does_not_call_itself(ada: Path, server: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    hook_of(ada, f"echo once >>'{log}'; exec git relay sync")
    git(ada, "commit", "-q", "--allow-empty", "-m", "code")
    assert run(ada, "git", "push", "-q", "origin", "main", PATH=with_program()).code == 0
    assert log.read_text() == "once\n"
    assert relay_refs(server) == relay_refs(ada)
    assert git(server, "rev-parse", "main") == git(ada, "rev-parse", "main")


def test_a_remote_that_wants_a_password_is_not_waited_for(
    ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ssh is told to fail instead of asking; and it has no terminal to ask at."""
    ssh = write_hook(
        tmp_path / "bin/ssh",
        "#!/bin/sh\n"
        "case $* in *BatchMode=yes*) echo 'Permission denied.' >&2; exit 255; esac\n"
        "sleep 60\n",
    )
    monkeypatch.setenv("PATH", f"{ssh.parent}{os.pathsep}{os.environ['PATH']}")
    git(ada, "remote", "set-url", "origin", "ssh://host/path")
    begun = time.monotonic()
    answer = program(ada, "sync")
    assert time.monotonic() - begun < 15
    assert answer.code == 1
    assert answer.out.startswith(
        "cannot reach origin: Permission denied.\nunsent: refs/relay/runs/"
    )
    assert answer.err == ""


def test_a_server_that_stops_in_the_middle_of_a_push(
    ada: Path, server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hook never ends: we do, and the next sync finds what became of it."""
    write_hook(server / "hooks/pre-receive", "#!/bin/sh\nexec sleep 60\n")
    before = tips(ada)
    begun = time.monotonic()
    report = exchange.sync(Workspace(repository(ada)), "origin", rules(), deadline=1.0)
    assert time.monotonic() - begun < 6
    assert "did not answer within 1 seconds" in str(report.unreached)
    assert [trouble.reason for trouble in report.unsent] == ["not sent"]
    assert tips(ada) == before
    (server / "hooks/pre-receive").unlink()
    done(ada, "sync")
    assert relay_refs(server) == relay_refs(ada)


def test_a_large_backlog_goes_within_the_deadline_or_is_named(ada: Path, server: Path) -> None:
    """The time is up in a push that has begun: nothing is half sent."""
    write_hook(server / "hooks/update", "#!/bin/sh\nsleep 0.2\n")
    for number in range(6):
        done(ada, "start", "--slug", f"run-{number}")
    report = exchange.sync(Workspace(repository(ada)), "origin", rules(), deadline=0.7)
    assert not report.ok
    assert len(report.unsent) == 7
    assert relay_refs(server).items() <= relay_refs(ada).items()
    (server / "hooks/update").unlink()
    done(ada, "sync")
    assert relay_refs(server) == relay_refs(ada)
