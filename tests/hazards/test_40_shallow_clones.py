"""A clone cut off at depth 1, as CI makes them: what runs record does not reach into the code."""

from __future__ import annotations

from pathlib import Path

from flow import APPROVED, done, draft, review, tips
from hooking import commit
from kinds import shallow_clone
from support import git

REFSPECS = ("refs/relay/*:refs/relay/*", "refs/notes/relay/*:refs/notes/relay/*")


def test_runs_of_a_shallow_clone_go_to_a_remote_that_has_nothing(tmp_path: Path) -> None:
    here = shallow_clone(tmp_path / "here")
    done(here, "init")
    for name, ends in (("one.py", True), ("two.py", False)):
        done(here, "start")
        draft(here)
        assert commit(here, name) == ""
        review(here)
        draft(here, "A better draft.\n")
        if ends:
            review(here, APPROVED)
    git(tmp_path, "init", "-q", "--bare", "fresh.git")
    git(here, "push", "-q", str(tmp_path / "fresh.git"), *REFSPECS)
    sent = {ref: oid for ref, oid in tips(here).items() if "/relay/" in ref}
    assert sent.items() <= tips(tmp_path / "fresh.git").items()
    git(tmp_path / "fresh.git", "fsck", "--strict", "--connectivity-only")
    there = tmp_path / "there"
    git(tmp_path, "clone", "-q", str(tmp_path / "origin of here"), str(there))
    git(there, "fetch", "-q", str(tmp_path / "fresh.git"), *REFSPECS)
    assert "ok in 2 runs" in done(there, "verify", "--all")
    (run,) = [ref.rpartition("/")[2] for ref in sent if ref.startswith("refs/relay/runs/")]
    done(there, "switch", run)
    review(there, APPROVED)
