"""What git says of many commits at once: those of a range, the last on a path, who reaches whom."""

from __future__ import annotations

from collections.abc import Iterator

from relay_git.git.process import failure
from relay_git.git.repo import Repository
from relay_git.names import Oid
from relay_git.record import Record

_FORMAT = "%H %T %P%n%B%x00"


class Revision(Record):
    """A commit of a listing. Where the repository is shallow, its last ones have no parents."""

    oid: Oid
    tree: Oid
    parents: tuple[Oid, ...]
    message: str


def revisions(repo: Repository, tip: Oid, since: Oid | None = None) -> Iterator[Revision]:
    """Every commit that `tip` reaches and `since` does not, each before its parents."""
    without = (f"^{since}",) if since else ()
    options = ("--topo-order", "--no-commit-header", "--encoding=UTF-8", f"--format={_FORMAT}")
    listed = repo.git("--no-replace-objects", "rev-list", *options, tip, *without).stdout
    for item in listed.split(b"\0\n")[:-1]:
        head, _, message = item.decode("utf-8", "replace").partition("\n")
        oid, tree, *parents = map(Oid, head.split())
        yield Revision(oid, tree, tuple(parents), message)


def last_change(repo: Repository, tip: Oid, path: str) -> Oid | None:
    """The last commit before and at `tip` that gave `path` what it holds; None if none did."""
    options = ("--no-replace-objects", "--literal-pathspecs", "rev-list", "--max-count=1")
    found = repo.git(*options, tip, "--", path).stdout.decode("ascii").strip()
    return Oid(found) if found else None


def reaches(repo: Repository, tip: Oid, oid: Oid) -> bool:
    """Whether `oid` is `tip` or an ancestor of it."""
    asked = ("--no-replace-objects", "merge-base", "--is-ancestor", oid, tip)
    result = repo.git(*asked, check=False)
    if result.code not in (0, 1):
        raise failure(("git", *asked), result)
    return result.code == 0
