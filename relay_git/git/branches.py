"""The default branch: the one that other people start from."""

from __future__ import annotations

from relay_git.git.config import Config
from relay_git.git.repo import Repository
from relay_git.names import Oid, RefName

_REMOTE_HEAD = "refs/remotes/origin/HEAD"


def default_branch(repo: Repository, config: Config) -> tuple[RefName, Oid] | None:
    """Its full name and its tip, as the remote has it where there is one.

    In this order: what `origin/HEAD` points to, then the branch that `init.defaultBranch`
    names, `main` and `master`, each at the remote and then here.
    """
    named = [name for name in (config.get("init.defaultbranch"), "main", "master") if name]
    wanted = [
        f"{where}/{name}" for name in named for where in ("refs/remotes/origin", "refs/heads")
    ]
    listed = repo.git(
        "for-each-ref", "--format=%(refname) %(objectname) %(symref)", _REMOTE_HEAD, *wanted
    )
    found: dict[str, tuple[Oid, str]] = {}
    for line in listed.stdout.decode("utf-8", "surrogateescape").splitlines():
        ref, oid, target = line.split(" ")
        found[ref] = (Oid(oid), target or ref)
    for ref in (_REMOTE_HEAD, *wanted):
        if ref in found:
            oid, name = found[ref]
            return RefName(name), oid
    return None
