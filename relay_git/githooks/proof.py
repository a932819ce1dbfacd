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

_MEND = "run `git relay hooks install`"
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


def _make(scratch: str, place: Place) -> None:
    """A run seems to wait in it, for a hook with nothing to do starts no program. What a line in
    somebody else's hook calls lies where that line looks for it."""
    _git(".", "init", "--quiet", scratch)
    _git(scratch, *_QUIET, "-c", f"core.hooksPath={os.devnull}", *_EMPTY_COMMIT)
    local = os.path.join(scratch, ".git", "relay")
    files.make_directory(os.path.join(local, "pending"))
    files.write_atomic(os.path.join(local, "pending", "probe"), b"")
    if place.managed and os.path.isdir(place.directory):
        shutil.copytree(place.directory, os.path.join(local, "hooks"))


def _check_out(scratch: str, hooks: str, proof: str) -> None:
    env = {**process.environment(foreign=True), PROBE: proof}
    env.pop("GIT_RELAY", None)
    env.pop("GIT_RELAY_HOOK", None)
    checkout = ("git", "-c", f"core.hooksPath={hooks}", "checkout", "--quiet", "--detach")
    process.run(*checkout, cwd=scratch, env=env, check=False)


def _git(cwd: str, *args: str) -> None:
    process.git(*args, cwd=cwd, foreign=True)
