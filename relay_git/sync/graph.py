"""Who follows whom, asked for many commits in one process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal

from relay_git.git.repo import Repository
from relay_git.git.revisions import reaches
from relay_git.names import Oid

Side = Literal["ahead", "behind", "apart"]


def compare(repo: Repository, pairs: Collection[tuple[Oid, Oid]]) -> dict[tuple[Oid, Oid], Side]:
    """Where the second of each pair stands, seen from the first.

    One listing for all leaves out what the two of any pair have in common. What is left of one
    ends at the other, if that is its ancestor; only refs that share commits with refs of another
    name are asked about one by one.
    """
    asked = (f"{ours}...{theirs}" for ours, theirs in pairs)
    lines = [line.split() for line in _rev_list(repo, asked, "--parents")]
    alone = {oid: parents for oid, *parents in lines}
    return {pair: _side(repo, alone, *pair) for pair in pairs}


def kinds(repo: Repository, oids: Iterable[Oid]) -> dict[Oid, str]:
    """What each object is: a commit, a tag, a tree or a blob; one that is not there is missing."""
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    command = ("--no-replace-objects", "cat-file", "--batch-check")
    lines = repo.git(*command, input=asked).stdout.decode().splitlines() if asked else []
    return {Oid(oid): kind for oid, kind, *_ in map(str.split, lines)}


def reached(repo: Repository, tips: Collection[Oid], by: Collection[Oid]) -> set[Oid]:
    """Those of the tips that are among `by` or their ancestors."""
    if not tips or not by:
        return set()
    return set(tips).difference(_rev_list(repo, [*tips, *(f"^{oid}" for oid in by)]))


def ancestry(repo: Repository, tips: Iterable[Oid]) -> list[Oid]:
    """Every commit that some tip reaches, the newest first."""
    return [Oid(line) for line in _rev_list(repo, tips)]


def new_objects(repo: Repository, tip: Oid, known: Oid | None) -> Iterator[Oid]:
    """What `tip` reaches and `known` does not: commits, trees and blobs. What a partial clone
    lacks is left out."""
    options = ("--objects", "--no-object-names", "--missing=allow-promisor")
    yield from map(Oid, _rev_list(repo, [tip, *([f"^{known}"] if known else [])], *options))


def _side(repo: Repository, alone: Mapping[str, list[str]], ours: Oid, theirs: Oid) -> Side:
    if ours in alone and theirs in alone:
        return "apart"
    if theirs in _ends(alone, ours):
        return "behind"
    if ours in _ends(alone, theirs):
        return "ahead"
    if reaches(repo, ours, theirs):
        return "behind"
    return "ahead" if reaches(repo, theirs, ours) else "apart"


def _ends(alone: Mapping[str, list[str]], tip: str) -> set[str]:
    """The first commits that were left out on the ways back from a tip."""
    ahead, met = [tip], {tip}
    while ahead:
        new = [oid for oid in alone.get(ahead.pop(), ()) if oid not in met]
        met.update(new)
        ahead += new
    return met - alone.keys() - {tip}


def _rev_list(repo: Repository, revisions: Iterable[str], *options: str) -> list[str]:
    asked = "".join(f"{revision}\n" for revision in revisions).encode()
    if not asked:
        return []
    command = ("--no-replace-objects", "rev-list", *options, "--stdin")
    return repo.git(*command, input=asked).stdout.decode().splitlines()
