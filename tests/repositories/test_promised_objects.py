"""Hazard 39: a partial clone, whose runs lie with the remote. That the remote is gone is not that
a run is damaged.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow import APPROVED, call, copy_of, done, draft, review, run_ref, write
from hooking import hooked, run, with_program
from support import git

REFS = "refs/relay/*:refs/relay/*"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Without a blob of the two runs that it has fetched, one open and one filed."""
    monkeypatch.setenv("PATH", with_program())

    def build(path: Path) -> None:
        hooked(path)
        for text in ("A draft.\n", "Another.\n"):
            done(path, "start")
            draft(path, text)
            review(path)
            draft(path, f"Better: {text}")
            if text == "A draft.\n":
                review(path, APPROVED)
        git(path, "config", "uploadpack.allowFilter", "true")
        git(path, "config", "uploadpack.allowAnySHA1InWant", "true")

    origin = copy_of("promised", build, tmp_path / "origin")
    path = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{origin}", str(path))
    git(path, "fetch", "-q", "origin", REFS, "refs/notes/relay/*:refs/notes/relay/*")
    done(path, "init")
    return path


@pytest.fixture(params=["native", "libgit"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_RELAY_ENGINE", request.param)


def lacks(path: Path) -> list[str]:
    listed = git(path, "rev-list", "--objects", "--all", "--missing=print").splitlines()
    return [line for line in listed if line.startswith("?")]


def test_what_is_needed_is_fetched(engine: None, clone: Path) -> None:
    assert lacks(clone)
    assert "ok in 2 runs" in done(clone, "verify", "--all")
    word = run_ref(clone).rpartition("/")[2]
    done(clone, "switch", word)
    assert "Better: Another." in done(clone, "show")
    review(clone, APPROVED)
    assert "The retry never waits" in done(clone, "lessons", "list")
    git(clone, "fsck", "--strict", "--no-dangling")
    assert call(clone, "doctor").code == 0


def test_the_remote_is_gone(engine: None, clone: Path) -> None:
    """Each command that needs it says so, and takes nothing for damaged; hooks exit 0."""
    before = git(clone, "for-each-ref")
    clone.with_name("origin").rename(clone.with_name("offline"))
    word = run_ref(clone).rpartition("/")[2]
    for command in (("switch", word), ("show", word), ("log", word), ("verify",)):
        answer = call(clone, *command)
        assert answer.code == 1
        (said,) = answer.err.splitlines()
        assert " was left with the remote, which cannot be reached (" in said
        assert said.endswith("; do it again when it can be")
    (listed,) = done(clone, "runs").splitlines()
    assert "which cannot be reached" in listed
    examined = call(clone, "doctor").out
    for text in (examined, listed, answer.out):
        assert "tampered" not in text
        assert "missing" not in text
        assert "damaged" not in text
    made = run(clone, "git", "commit", "-q", "--allow-empty", "-m", "a change")
    assert (made.code, made.err) == (0, "")
    assert git(clone, "for-each-ref", "refs/relay", "refs/notes") in before
    clone.with_name("offline").rename(clone.with_name("origin"))
    assert "ok in 2 runs" in done(clone, "verify", "--all")


def test_a_run_of_its_own_needs_the_remote_only_to_be_counted(engine: None, clone: Path) -> None:
    """What other runs taught is in notes that were left there."""
    done(clone, "start")
    draft(clone)
    review(clone)
    clone.with_name("origin").rename(clone.with_name("offline"))
    draft(clone, "A better draft.\n")
    write(clone, "review.md", APPROVED)
    answer = call(clone, "advance")
    assert answer.code == 1
    assert " is done, but cannot be settled yet: object " in answer.err
    clone.with_name("offline").rename(clone.with_name("origin"))
    done(clone, "settle")
    assert "The retry never waits" in done(clone, "lessons", "list")


def test_an_object_of_its_own_that_is_gone_is_missing(engine: None, clone: Path) -> None:
    done(clone, "start")
    ref = f"refs/relay/runs/{(clone / '.git/relay/current').read_text().strip()}"
    gone = git(clone, "rev-parse", f"{ref}:step.json")
    (clone / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    for command in ("doctor", "verify"):
        examined = call(clone, command)
        assert examined.code == 1
        assert f"object {gone} is missing" in examined.out
