"""Whether a hook really fires: git is made to run one, in a scratch repository."""

from __future__ import annotations

import os
import shutil
import tempfile

from relay_git import files
from relay_git.errors import GitError, RelayError
from relay_git.git import process
from relay_git.git.repo import Repository
from relay_git.githooks.handlers import PROBE
from relay_git.githooks.install import Place, find_place
from relay_git.names import RUNS

_MEND = "run `git relay hooks install`"
_MEND_GATE = "run `git relay hooks install --server`"
_REFUSED = f"{RUNS}probe"
"""The name of no run."""

_EMPTY_COMMIT = ("commit", "--quiet", "--allow-empty", "--no-verify", "--message", "probe")
_QUIET = ("-c", "user.name=probe", "-c", "user.email=probe@localhost", "-c", "commit.gpgSign=false")


def fire(repo: Repository) -> RelayError | None:
    """Check a branch out where git looks for hooks in the same directory; what is wrong.

    A shim that is asked to prove itself ends there, so that nobody else's hook runs.
    """
    place = find_place(repo)
    directory = place.managed or place.directory
    with tempfile.TemporaryDirectory(prefix="git-relay-") as scratch:
        proof = os.path.join(scratch, "proof")
        try:
            repository = os.path.join(scratch, "repository")
            _make(repository, place)
            _check_out(repository, directory, proof)
        except GitError as error:
            hint = "see what git says"
            return RelayError(f"no hook can be fired: {error.what}", where=directory, hint=hint)
        if os.path.exists(proof):
            return None
    hint = "add the lines that `git relay hooks status` prints" if place.managed else _MEND
    return RelayError(
        "a checkout does not reach our post-checkout hook", where=directory, hint=hint
    )


def fire_gate(repo: Repository) -> RelayError | None:
    """Push what a gate must refuse into a scratch repository with the same hooks; what is wrong."""
    place = find_place(repo)
    with tempfile.TemporaryDirectory(prefix="git-relay-") as scratch:
        server = os.path.join(scratch, "server")
        try:
            _make(os.path.join(scratch, "repository"), place)
            _git(".", "init", "--quiet", "--bare", server)
            _git(server, "config", "core.hooksPath", place.managed or place.directory)
            _copy_aside(place, server)
            push = ("push", server, f"HEAD:{_REFUSED}")
            cwd = os.path.join(scratch, "repository")
            said = process.git(*push, cwd=cwd, foreign=True, check=False).stderr
        except GitError as error:
            hint = "see what git says"
            return RelayError(f"no hook can be fired: {error.what}", where=server, hint=hint)
    if f"git relay: {_REFUSED}: ".encode() in said:
        return None
    return RelayError("a push does not reach our gate", where=place.directory, hint=_MEND_GATE)


def _make(scratch: str, place: Place) -> None:
    """A run seems to wait in it, for a hook with nothing to do starts no program."""
    _git(".", "init", "--quiet", scratch)
    _git(scratch, *_QUIET, "-c", f"core.hooksPath={os.devnull}", *_EMPTY_COMMIT)
    local = os.path.join(scratch, ".git", "relay")
    files.make_directory(os.path.join(local, "pending"))
    files.write_atomic(os.path.join(local, "pending", "probe"), b"")
    _copy_aside(place, os.path.join(scratch, ".git"))


def _copy_aside(place: Place, git_dir: str) -> None:
    """What a line in somebody else's hook calls lies where that line looks for it."""
    if place.managed and os.path.isdir(place.directory):
        shutil.copytree(place.directory, os.path.join(git_dir, "relay", "hooks"))


def _check_out(scratch: str, hooks: str, proof: str) -> None:
    env = {**process.environment(foreign=True), PROBE: proof}
    env.pop("GIT_RELAY", None)
    env.pop("GIT_RELAY_HOOK", None)
    checkout = ("git", "-c", f"core.hooksPath={hooks}", "checkout", "--quiet", "--detach")
    process.run(*checkout, cwd=scratch, env=env, check=False)


def _git(cwd: str, *args: str) -> None:
    process.git(*args, cwd=cwd, foreign=True)
