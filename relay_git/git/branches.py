"""The default branch: the one that other people start from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from relay_git.git.repo import Repository
from relay_git.names import Oid, RefName

if TYPE_CHECKING:
    from relay_git.git.config import Config

_REMOTE_HEAD = "refs/remotes/origin/HEAD"


def default_branch(repo: Repository, config: Callable[[], Config]) -> tuple[RefName, Oid] | None:
    """Its full name and its tip, as the remote has it where there is one.

    In this order: what HEAD is in a bare repository, where others push any ref; what `origin/HEAD`
    points to; `main` and `master`, each at the remote and then here; the branch that
    `init.defaultBranch` names.
    """
    if repo.is_bare and repo.branch and repo.head:
        return repo.branch, repo.head
    usual = [_REMOTE_HEAD, *_places("main"), *_places("master")]
    if found := _first(repo, usual):
        return found
    named = config().get("init.defaultbranch")
    return _first(repo, _places(named)) if named else None


def _places(branch: str) -> list[str]:
    return [f"refs/remotes/origin/{branch}", f"refs/heads/{branch}"]


def _first(repo: Repository, wanted: list[str]) -> tuple[RefName, Oid] | None:
    listed = repo.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)", *wanted)
    found: dict[str, tuple[Oid, str]] = {}
    for line in listed.stdout.decode("utf-8", "surrogateescape").splitlines():
        ref, oid, target = line.split(" ")
        found[ref] = (Oid(oid), target or ref)
    for ref in wanted:
        if ref in found:
            oid, name = found[ref]
            return RefName(name), oid
    return None
