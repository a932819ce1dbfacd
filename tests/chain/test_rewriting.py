"""Rewriting without banned blobs: a pure function that merging does not disturb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from chains import OTHER, RUN, add_step, add_steps, opened, signer
from hypothesis import given, settings
from hypothesis import strategies as st
from support import git, make_repo

from relay_git.chain import history
from relay_git.chain.chain import Step
from relay_git.chain.purged import marker
from relay_git.chain.rewriting import Rewriter, reaching
from relay_git.chain.union import merge_histories
from relay_git.git.open import GitStore
from relay_git.git.revisions import reaches
from relay_git.git.trees import read_path, walk
from relay_git.names import Oid, RunId, history_ref

NEXT_DAY = RunId("20260429-0930-fix-bug-3f9a")
RUNS = (RUN, OTHER, NEXT_DAY)


class Bench(NamedTuple):
    path: Path
    store: GitStore
    tips: dict[RunId, Step]
    blobs: list[Oid]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    path = make_repo(tmp_path_factory.mktemp("rewriting") / "repo")
    store, by = opened(path), signer(path)
    tips = {}
    for run in RUNS:
        steps = add_steps(store, by, 2, run=run)
        files = {"artifacts/plan.md": f"the plan of {run}\n".encode()}
        tips[run] = add_step(store, by, steps[-1], files, run=run)
    trees = [step.commit.tree for step in tips.values()]
    found = {e.oid for tree in trees for at, e in walk(store, tree) if at.startswith("artifacts/")}
    for run, tip in tips.items():
        git(path, "update-ref", f"refs/kept/{run}", tip.oid)
    yield Bench(path, store, tips, sorted(found))
    store.close()


def filed(bench: Bench, runs: Sequence[RunId]) -> Oid:
    """A history in which these runs were filed one after the other."""
    ref = history_ref("2026-04")
    git(bench.path, "update-ref", "-d", ref)
    for run in runs:
        if move := history.filing_move(bench.store, bench.tips[run], "done"):
            bench.store.move(move)
    tip = bench.store.ref(ref)
    assert tip
    git(bench.path, "update-ref", f"refs/kept/{tip}", tip)
    return tip


def merged(bench: Bench, ours: Oid, theirs: Oid) -> Oid:
    for tip, other in ((ours, theirs), (theirs, ours)):
        if reaches(bench.store.repo, tip, other):
            return tip
    return merge_histories(bench.store, ours, theirs)


orders = st.lists(st.sampled_from(RUNS), min_size=1, max_size=3, unique=True)


@settings(max_examples=25, deadline=None)
@given(ours=orders, theirs=orders, data=st.data())
def test_the_rewritten_merge_is_the_merge_of_what_was_rewritten(
    bench: Bench, ours: list[RunId], theirs: list[RunId], data: st.DataObject
) -> None:
    banned = set(data.draw(st.lists(st.sampled_from(bench.blobs), unique=True)))
    mine, yours = filed(bench, ours), filed(bench, theirs)
    rewriter = Rewriter(bench.store, banned)
    after = rewriter.rewrite(merged(bench, mine, yours))
    assert after == merged(bench, rewriter.rewrite(mine), rewriter.rewrite(yours))
    again = Rewriter(bench.store, banned)
    assert again.rewrite(after) == after
    assert not reaching(bench.store.repo, [after], banned)


def test_only_what_is_banned_changes(bench: Bench) -> None:
    tip = filed(bench, RUNS)
    banned = {bench.blobs[0]}
    assert Rewriter(bench.store, frozenset()).rewrite(tip) == tip
    after = bench.store.commit(Rewriter(bench.store, banned).rewrite(tip))
    before = bench.store.commit(tip)
    assert (after.author, after.committer, after.message) == (
        before.author,
        before.committer,
        before.message,
    )
    was, now = (dict(walk(bench.store, commit.tree)) for commit in (before, after))
    changed = {path for path in was if was[path] != now[path]}
    assert was.keys() == now.keys() and changed
    for path in changed:
        assert was[path].oid in banned
        entry = read_path(bench.store, after.tree, path)
        assert entry and bench.store.blob(entry.oid) == marker(was[path].oid)


def test_what_reaches_nothing_banned_is_not_written_again(bench: Bench) -> None:
    tips = [filed(bench, [RUN]), filed(bench, [NEXT_DAY])]
    artifacts = {e.oid for at, e in walk(bench.store, bench.tips[RUN].commit.tree) if "/" in at}
    alone = artifacts - {e.oid for _, e in walk(bench.store, bench.tips[NEXT_DAY].commit.tree)}
    assert alone
    assert reaching(bench.store.repo, tips, alone) == tips[:1]
    assert reaching(bench.store.repo, tips, alone, clean=tips[:1]) == []
    assert Rewriter(bench.store, alone).rewrite(tips[1]) == tips[1]
