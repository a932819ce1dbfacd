"""Hazard 38: what a crash has left broken is named, and everything else is synced all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import assert_same, in_step, make_clone, make_server, neighbours, relay_refs
from flow import call, done, draft
from support import git


def build(folder: Path) -> None:
    server = make_server(folder / "server")
    clones = [make_clone(server, folder / name) for name in ("ada", "bob")]
    for slug in ("one", "two"):
        done(clones[0], "start", "--slug", slug)
    in_step(clones)
    for slug in ("one", "two"):
        done(clones[0], "switch", slug)
        draft(clones[0])
    done(clones[0], "sync")


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return neighbours("the-first-goes-on", build, tmp_path)


@pytest.fixture
def clones(server: Path) -> list[Path]:
    """Two clones in step, with two open runs; the first has then gone on with both."""
    return [server.with_name(name) for name in ("ada", "bob")]


def named(path: Path, slug: str) -> str:
    (ref,) = [ref for ref in relay_refs(path) if f"-{slug}-" in ref]
    return ref


@pytest.mark.parametrize("part", ["", ":step.json", "^{tree}"])
def test_an_empty_object_of_a_run(clones: list[Path], server: Path, part: str) -> None:
    """git fetches nothing where one of its refs cannot be followed: its words name the object."""
    ada, bob = clones
    file = object_file(bob, f"{named(bob, 'one')}{part}")
    kept, before = emptied(file), relay_refs(bob)
    answer = call(bob, "sync")
    assert answer.code == 1, answer
    (line,) = answer.out.splitlines()
    assert line.startswith(("not all of origin could be fetched: ", "cannot reach origin: "))
    assert file.name in line or named(bob, "one") in line
    assert relay_refs(bob) == before
    file.write_bytes(kept)
    done(bob, "sync")
    assert_same([ada, bob, server])


def object_file(path: Path, spec: str) -> Path:
    oid = git(path, "rev-parse", spec)
    return path / ".git/objects" / oid[:2] / oid[2:]


def emptied(file: Path) -> bytes:
    """What was in it."""
    kept = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(b"")
    return kept


def test_an_empty_ref_file(clones: list[Path], server: Path) -> None:
    """As with an object; and what was fetched before the crash is taken in all the same."""
    ada, bob = clones
    one, two = named(ada, "one"), named(ada, "two")
    git(bob, "fetch", "-q")
    file = bob / ".git" / one
    kept = emptied(file)
    answer = call(bob, "sync")
    assert answer.code == 1
    assert "took in 1 run from origin" in answer.out + answer.err
    (apart,) = [line for line in answer.out.splitlines() if line.startswith("kept apart: ")]
    assert apart.startswith(f"kept apart: {one}: ")
    assert "broken" in apart
    assert f"not all of origin could be fetched: bad object {one}" in answer.out
    assert file.read_bytes() == b""
    assert relay_refs(bob) == {two: relay_refs(ada)[two]}
    assert one in call(bob, "doctor").out
    file.write_bytes(kept)
    done(bob, "sync")
    assert_same([ada, bob, server])


def test_a_lock_that_nobody_holds(
    clones: list[Path], server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named with its age and the remedy; never removed by us."""
    monkeypatch.setattr("relay_git.sync.incoming._SECONDS", 0.1)
    ada, bob = clones
    one, two = named(ada, "one"), named(ada, "two")
    lock = bob / ".git" / f"{one}.lock"
    lock.touch()
    answer = call(bob, "sync")
    assert answer.code == 1
    taken, apart = answer.out.splitlines()
    assert taken == "took in 1 run from origin"
    assert apart.startswith(f"kept apart: {one}: {one} is locked by {lock} (for ")
    assert "if no git process is running any more, remove that file" in apart
    assert lock.exists()
    assert relay_refs(bob)[two] == relay_refs(ada)[two]
    lock.unlink()
    done(bob, "sync")
    assert_same([ada, bob, server])


def test_a_lock_on_what_the_remote_had(clones: list[Path], server: Path) -> None:
    """git cannot write that tracking ref; the others come, and it with the next sync."""
    ada, bob = clones
    one, two = named(ada, "one"), named(ada, "two")
    tracking = f"refs/relay-local/remotes/origin/{one.removeprefix('refs/')}"
    lock = bob / ".git" / f"{tracking}.lock"
    lock.touch()
    answer = call(bob, "fetch")
    assert answer.code == 1
    assert "not all of origin could be fetched: cannot lock ref" in answer.out
    assert relay_refs(bob)[two] == relay_refs(ada)[two]
    assert relay_refs(bob)[one] != relay_refs(ada)[one]
    lock.unlink()
    done(bob, "sync")
    assert_same([ada, bob, server])


def test_an_empty_object_of_the_history_holds_back_no_run(clones: list[Path], server: Path) -> None:
    ada, bob = clones
    done(bob, "start", "--slug", "done")
    done(bob, "abandon")
    (history,) = [ref for ref in relay_refs(bob) if "/history/" in ref]
    git(bob, "fetch", "-q")
    file = object_file(bob, f"{history}^{{tree}}")
    kept = emptied(file)
    answer = call(bob, "sync")
    assert answer.code == 1
    assert relay_refs(bob)[named(ada, "two")] == relay_refs(ada)[named(ada, "two")]
    assert [line for line in answer.out.splitlines() if file.name in line or history in line]
    file.write_bytes(kept)
    in_step([bob, ada])
    assert_same([ada, bob, server])
