"""Hazard 12: notes and state that a remote refuses are fetched, merged and sent again, or named."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import assert_same, in_step, make_clone, make_server, relay_refs
from flow import call, done, outcome, spawn
from hooking import write_hook
from support import git


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return make_server(tmp_path / "server")


def noted(path: Path) -> str:
    """A code commit made during a run, and its note."""
    git(path, "commit", "-q", "--allow-empty", "-m", f"by {path.name}")
    done(path, "hook", "post-commit")
    return git(path, "rev-parse", "HEAD")


def notes_on(path: Path, commit: str) -> list[str]:
    (ref,) = [ref for ref in relay_refs(path) if ref.startswith("refs/notes/")]
    return git(path, "notes", f"--ref={ref}", "show", commit).splitlines()


def test_notes_on_different_commits_and_on_the_same(tmp_path: Path, server: Path) -> None:
    """Two clones note and push within the same second, five times."""
    a, b = clones = [make_clone(server, tmp_path / name) for name in ("a", "b")]
    for path in clones:
        done(path, "start", "--slug", path.name)
    commits = []
    for _ in range(5):
        own = [noted(path) for path in clones]
        git(b, "fetch", "-q", str(a), "HEAD")
        git(b, "checkout", "-q", "--detach", "FETCH_HEAD")
        done(b, "hook", "post-commit")
        running = [spawn(path, "sync") for path in clones]
        assert {outcome(process).code for process in running} == {0}
        commits.append(own)
    in_step(clones)
    assert_same([a, b, server])
    for of_a, of_b in commits:
        assert len(notes_on(server, of_a)) == 2, "both runs have a note on it"
        assert len(notes_on(server, of_b)) == 1
    git(server, "fsck", "--strict", "--no-dangling")


def test_a_fresh_clone_that_never_fetched_notes_pushes(tmp_path: Path, server: Path) -> None:
    a, b = (make_clone(server, tmp_path / name) for name in ("a", "b"))
    for path in (a, b):
        done(path, "start", "--slug", path.name)
        noted(path)
    done(a, "sync")
    refused = call(b, "push")
    assert refused.code == 1
    (line,) = [line for line in refused.out.splitlines() if line.startswith("unsent: ")]
    assert "refs/notes/relay/" in line
    assert "(fetch first)" in line
    done(b, "sync")
    done(a, "sync")
    assert_same([a, b, server])


def test_a_remote_that_refuses_notes_for_good_is_named_each_time(
    tmp_path: Path, server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relay_git.sync.exchange._LONGEST", 0.0)
    a = make_clone(server, tmp_path / "a")
    done(a, "start")
    noted(a)
    write_hook(
        server / "hooks/update", "#!/bin/sh\ncase $1 in refs/notes/*) echo full >&2; exit 1; esac\n"
    )
    before = relay_refs(a)
    for _ in range(2):
        answer = call(a, "sync")
        assert answer.code == 1
        assert answer.out.splitlines()[-1].startswith("unsent: refs/notes/relay/")
        assert answer.out.rstrip().endswith("[remote rejected] (hook declined): full")
        assert relay_refs(a) == before
    assert [ref.split("/")[1] for ref in relay_refs(server)] == ["relay"]
