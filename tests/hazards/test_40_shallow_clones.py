"""A clone cut off at depth 1, as CI makes them: what runs record does not reach into the code."""

from __future__ import annotations

from pathlib import Path

from clones import make_clone, make_server
from flow import APPROVED, call, done, draft, review, tips
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


def test_runs_whose_steps_were_cut_off_say_so(tmp_path: Path) -> None:
    """Somebody fetched our refs too at depth 1: the month is there, what it filed is not."""
    ada = make_clone(make_server(tmp_path / "server"), tmp_path / "ada")
    for slug in ("a-hidden", "b-early", "c-last"):
        done(ada, "start", "--slug", slug)
        done(ada, "abandon")
    done(ada, "prune", "--keep", "2")
    here = tmp_path / "here"
    git(tmp_path, "clone", "-q", "--depth=1", ada.as_uri(), str(here))
    git(here, "fetch", "-q", "--depth=1", "origin", *REFSPECS)
    assert done(here, "runs", "--all").count("filed") == 2
    for slug in ("a-hidden", "b-early", "c-last"):
        answer = call(here, "log", slug)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.endswith("run `git fetch --unshallow`\n"), answer.err
    git(here, "fetch", "-q", "--unshallow", "origin", *REFSPECS)
    assert "abandoned" in done(here, "log", "b-early")
