"""Hazard 31: whatever a run, a remote or somebody's ref is called, a sync takes it for that."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import assert_same, in_step, make_clone, make_server, relay_refs, tracked
from flow import call, done
from hostile import Workshop
from support import git

ODD = (
    *("", "a b", "a..b", "a.lock", "a.lock.lock", ".h", "@{", "a:b", "-x", "CON", "x|y", "HEAD"),
    *("\u00e9", "e\u0301", "x" * 300, "a/b", "new\nline", "\U0001f4a5 1"),
)
PLAIN = ("con", "head", "lock", "a-lock", "x" * 40, "20260428-0930-fix-bug-3f9a", "0")


def test_what_a_run_may_be_called_travels_and_never_collides(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server")
    ada, bob = (make_clone(server, tmp_path / name) for name in ("ada", "bob"))
    for name in ODD:
        answer = call(ada, "start", f"--slug={name}")
        assert (answer.code, len(answer.err.splitlines())) == (1, 1), answer
    assert relay_refs(ada) == {}
    for name in (*PLAIN, *PLAIN):
        done(ada, "start", f"--slug={name}")
    started = relay_refs(ada)
    assert len(started) == 2 * len(PLAIN)
    in_step([ada, bob])
    assert assert_same([ada, bob, server]) == started


@pytest.mark.parametrize("name", ["b/c", "\u00e9", "-dash", "x|y", "CON", "a.b", "UPPER"])
def test_remotes_of_any_name_that_git_takes(tmp_path: Path, name: str) -> None:
    server = make_server(tmp_path / "server")
    ada = make_clone(server, tmp_path / "ada")
    git(ada, "config", "--rename-section", "remote.origin", f"remote.{name}")
    done(ada, "init", "--no-hooks")
    done(ada, "start")
    git(ada, "config", "relay.remote", name)
    done(ada, "sync")
    assert relay_refs(server) == relay_refs(ada)
    done(ada, "sync")
    assert tracked(ada, name) == relay_refs(ada)


def test_refs_of_somebody_else_below_ours_are_named_and_left(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server")
    ada = make_clone(server, tmp_path / "ada")
    shop = Workshop(server)
    names = ("CON", "\u00e9", "e\u0301", "x|y", "HEAD", "-x", "20260428-0930-UPPER-3f9a", "x/y")
    for name in names:
        shop.point(f"refs/relay/runs/{name}", shop.tip("main"))
    answer = call(ada, "sync")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert len(lines) == len(names)
    assert all(line.endswith(": not the name of a run") for line in lines)
    assert relay_refs(ada) == {}


def test_our_own_odd_ref_is_not_sent(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server")
    ada = make_clone(server, tmp_path / "ada")
    git(ada, "update-ref", "refs/relay/runs/mine", "HEAD")
    git(ada, "update-ref", "refs/relay/history/once", "HEAD")
    git(ada, "update-ref", "refs/relay/elsewhere/x", "HEAD")
    assert done(ada, "sync") == "in step with origin\n"
    assert relay_refs(server) == {}
