"""Hazard 5: no fetch, prune or removal of the user's own touches what is not pushed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from clones import make_clone, make_server, neighbours, relay_refs, tracked
from flow import call, done, draft
from support import git


def build(folder: Path) -> None:
    server = make_server(folder / "server")
    ada, bob = (make_clone(server, folder / name) for name in ("ada", "bob"))
    done(ada, "start", "--slug", "shared")
    done(ada, "sync")
    done(bob, "sync")
    done(bob, "switch", "shared")
    draft(bob, "His.\n")
    done(bob, "sync")
    draft(ada, "Hers.\n")
    done(ada, "start", "--slug", "local")


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return neighbours("diverged-from-the-server", build, tmp_path)


@pytest.fixture
def ada(server: Path) -> Path:
    """Her run has diverged from what the server has, and another is nowhere else."""
    return server.with_name("ada")


@pytest.mark.parametrize(
    "words",
    [
        ("fetch",),
        ("fetch", "--prune"),
        ("fetch", "--prune", "--force"),
        ("fetch", "--all", "--prune", "--tags"),
        ("remote", "update", "--prune"),
        ("remote", "prune", "origin"),
        ("pull", "--rebase"),
        ("remote", "rename", "origin", "upstream"),
        ("remote", "remove", "origin"),
        ("pack-refs", "--all", "--prune"),
        ("gc", "--prune=now", "--quiet"),
    ],
    ids=" ".join,
)
def test_local_runs_stay_as_they_are(ada: Path, words: tuple[str, ...]) -> None:
    before = relay_refs(ada)
    git(ada, *words)
    assert relay_refs(ada) == before
    assert len(before) == 2


def test_what_the_server_lost_is_pruned_beside_and_sent_again(ada: Path, server: Path) -> None:
    done(ada, "sync")
    for ref in relay_refs(server):
        git(server, "update-ref", "-d", ref)
    before = relay_refs(ada)
    git(ada, "fetch", "-q", "--prune")
    assert tracked(ada) == {}
    assert relay_refs(ada) == before
    done(ada, "sync")
    assert relay_refs(server) == before


@pytest.mark.parametrize(
    "spec", ["+refs/relay/*:refs/relay/*", "+refs/*:refs/*", "refs/relay/runs/*:refs/relay/runs/*"]
)
def test_a_refspec_that_writes_in_place_is_found_before_it_does_harm(
    ada: Path, server: Path, spec: str
) -> None:
    """By the doctor, and by every sync, with the command that mends it."""
    git(ada, "config", "--add", "remote.origin.fetch", spec)
    before = relay_refs(ada)
    answer = call(ada, "sync")
    assert answer.code == 1
    assert f"a fetch overwrites or prunes the runs here ({spec})" in answer.err
    assert answer.err.removeprefix("git relay: ").strip() in call(ada, "doctor").out
    assert relay_refs(ada) == before
    mend = answer.err.rpartition("run `")[2].strip().rstrip("`")
    subprocess.run(["sh", "-c", mend], cwd=ada, check=True)
    git(ada, "fetch", "-q", "--prune")
    assert relay_refs(ada) == before
    done(ada, "sync")


def test_our_own_fetch_prunes_no_tag_and_no_branch(ada: Path) -> None:
    git(ada, "config", "fetch.prune", "true")
    git(ada, "config", "fetch.pruneTags", "true")
    git(ada, "tag", "mine")
    git(ada, "update-ref", "refs/remotes/origin/gone", "HEAD")
    done(ada, "sync")
    git(ada, "rev-parse", "--verify", "refs/tags/mine")
    git(ada, "rev-parse", "--verify", "refs/remotes/origin/gone")
