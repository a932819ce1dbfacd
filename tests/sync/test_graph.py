"""Who follows whom, with git's own answers for each pair as the judge."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from support import git, processes, repository

from relay_git.names import Oid
from relay_git.sync import graph


def history(path: Path, chance: random.Random, size: int) -> list[Oid]:
    """A random history of several roots and many merges."""
    made: list[Oid] = []
    for number in range(size):
        parents = chance.sample(made, min(len(made), chance.choice((0, 1, 1, 1, 2, 2))))
        words = [word for parent in parents for word in ("-p", parent)]
        made.append(Oid(git(path, "commit-tree", *words, "-m", f"{number}", "HEAD^{tree}")))
    return made


def follows(path: Path, tip: str, other: str) -> bool:
    return other in reached_from(path, tip)


@cache
def reached_from(path: Path, tip: str) -> frozenset[str]:
    return frozenset(git(path, "rev-list", tip).split())


@pytest.mark.parametrize("seed", range(4))
def test_any_pairs_of_a_random_history(repo_path: Path, seed: int) -> None:
    """Also such as share commits, in one listing."""
    chance = random.Random(seed)
    made = history(repo_path, chance, 12)
    repo = repository(repo_path)
    every = [pair for pair in product(made, made) if pair[0] != pair[1]]
    for pairs in (every, *([pair] for pair in chance.sample(every, 12)), chance.sample(every, 6)):
        found = graph.compare(repo, pairs)
        for ours, theirs in pairs:
            behind, ahead = follows(repo_path, ours, theirs), follows(repo_path, theirs, ours)
            expected = "behind" if behind else "ahead" if ahead else "apart"
            assert found[ours, theirs] == expected
    tips, by = chance.sample(made, 4), chance.sample(made, 3)
    reached = {tip for tip in tips if any(follows(repo_path, other, tip) for other in by)}
    assert graph.reached(repo, tips, by) == reached


def test_refs_that_share_nothing_cost_one_process(
    repo_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = []
    for number in range(6):
        first = git(repo_path, "commit-tree", "-m", f"{number}", "HEAD^{tree}")
        last = git(repo_path, "commit-tree", "-p", first, "-m", "x", "HEAD^{tree}")
        pairs.append((Oid(first), Oid(last)) if number % 2 else (Oid(last), Oid(first)))
    repo = repository(repo_path)
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    sides = graph.compare(repo, pairs)
    assert [sides[pair] for pair in pairs] == ["behind", "ahead"] * 3
    assert len(processes(tmp_path / "trace")) == 1
    assert graph.compare(repo, []) == {}
    assert len(processes(tmp_path / "trace")) == 1


def test_the_kinds_of_objects(repo_path: Path) -> None:
    repo = repository(repo_path)
    blob = Oid(git(repo_path, "hash-object", "-w", "--stdin", input=b"x"))
    git(repo_path, "tag", "-a", "-m", "x", "x")
    named = {spec: Oid(git(repo_path, "rev-parse", spec)) for spec in ("HEAD", "HEAD^{tree}", "x")}
    missing = Oid("f" * 40)
    assert graph.kinds(repo, [*named.values(), blob, missing]) == {
        named["HEAD"]: "commit",
        named["HEAD^{tree}"]: "tree",
        named["x"]: "tag",
        blob: "blob",
        missing: "missing",
    }


def test_new_objects_are_what_the_one_has_and_the_other_has_not(repo_path: Path) -> None:
    repo = repository(repo_path)
    (repo_path / "a").write_text("a\n")
    git(repo_path, "add", ".")
    git(repo_path, "commit", "-q", "-m", "a")
    old, new = (Oid(git(repo_path, "rev-parse", spec)) for spec in ("HEAD^", "HEAD"))
    expected = git(repo_path, "rev-parse", "HEAD", "HEAD^{tree}", "HEAD:a").split()
    assert set(graph.new_objects(repo, new, old)) == set(expected)
    assert len(list(graph.new_objects(repo, new, None))) == 5
