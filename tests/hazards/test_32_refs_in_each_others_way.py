"""Hazard 32: a ref and a directory of refs by one name, here, there, or one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import make_clone, make_server, relay_refs, tracked
from flow import call, done
from hostile import Workshop
from support import git


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return make_server(tmp_path / "server")


@pytest.fixture
def ada(server: Path, tmp_path: Path) -> Path:
    return make_clone(server, tmp_path / "ada")


def a_run(path: Path, slug: str) -> str:
    done(path, "start", "--slug", slug)
    (ref,) = [ref for ref in relay_refs(path) if f"-{slug}-" in ref]
    return ref


def test_a_ref_at_the_remote_becomes_a_directory_and_one_again(
    ada: Path, server: Path, tmp_path: Path
) -> None:
    ref, other = a_run(ada, "build"), a_run(ada, "other")
    done(ada, "sync")
    bob = make_clone(server, tmp_path / "bob")
    done(bob, "sync")
    tip = relay_refs(ada)[ref]
    for packed in (False, True):
        git(server, "update-ref", "-d", ref)
        Workshop(server).point(f"{ref}/lint", tip)
        if packed:
            git(server, "pack-refs", "--all")
        answer = call(bob, "fetch")
        assert answer.code == 1
        assert answer.out == f"kept apart: {ref}/lint: not the name of a run\n"
        assert tracked(bob).keys() == {f"{ref}/lint", other}
        assert relay_refs(bob).keys() == {ref, other}
        git(server, "update-ref", "-d", f"{ref}/lint")
        git(server, "update-ref", ref, tip)
        assert done(bob, "fetch") == "in step with origin\n"
        assert tracked(bob).keys() == {ref, other}


def test_a_ref_of_somebody_else_is_in_the_way_here(ada: Path, server: Path, tmp_path: Path) -> None:
    """It is named, and holds back no other; when it is gone the run comes."""
    ref, other = a_run(ada, "build"), a_run(ada, "other")
    done(ada, "sync")
    bob = make_clone(server, tmp_path / "bob")
    git(bob, "update-ref", f"{ref}/lint", "HEAD")
    answer = call(bob, "sync")
    assert answer.code == 1
    taken, apart = answer.out.splitlines()
    assert taken == "took in 1 run from origin"
    assert apart.startswith(f"kept apart: {ref}: ")
    assert f"'{ref}/lint' exists" in apart
    assert relay_refs(bob).keys() == {f"{ref}/lint", other}
    assert relay_refs(server).keys() == {ref, other}
    git(bob, "update-ref", "-d", f"{ref}/lint")
    done(bob, "sync")
    assert relay_refs(bob) == relay_refs(server)


def test_a_ref_of_somebody_else_is_in_the_way_there(
    ada: Path, server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relay_git.sync.exchange._LONGEST", 0.0)
    ref, other = a_run(ada, "build"), a_run(ada, "other")
    Workshop(server).point(f"{ref}/lint", git(server, "rev-parse", "main"))
    answer = call(ada, "sync")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert f"kept apart: {ref}/lint: not the name of a run" in lines
    assert lines[-1].startswith(f"unsent: {ref}: [remote rejected]")
    assert other in relay_refs(server)
    git(server, "update-ref", "-d", f"{ref}/lint")
    done(ada, "sync")
    assert relay_refs(server) == relay_refs(ada)
