"""Filing finished runs: complete, deterministic, and small whatever lies there already."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chains import OTHER, RUN, add_step, add_steps, opened, signer
from support import git, make_commits, make_repo

from relay_git.chain import history
from relay_git.chain.chain import Step
from relay_git.chain.envelope import Signer
from relay_git.errors import Corrupt, InvalidName, RelayError
from relay_git.git.open import ENGINES, GitStore
from relay_git.git.store import Move
from relay_git.names import Oid, RefName, RunId, history_ref, run_ref

APRIL = history_ref("2026-04")
MAY = RunId("20260501-0000-fix-bug-0a1b")


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, repo_path: Path) -> Iterator[GitStore]:
    made = opened(repo_path, request.param)
    yield made
    made.close()


@pytest.fixture
def by(repo_path: Path) -> Signer:
    return signer(repo_path)


def file(store: GitStore, tip: Step) -> Oid | None:
    """File a run as settling does, in one transaction; the filing commit."""
    filing = history.filing_move(store, tip, "done")
    ending = history.run_ref_deletion(store, tip.envelope.run, tip.oid)
    store.move(*(move for move in (filing, ending) if move))
    return filing.new if filing else None


def test_a_filed_run_lies_under_its_day_and_its_ref_is_gone(
    store: GitStore, by: Signer, repo_path: Path
) -> None:
    tip = add_steps(store, by, 3)[-1]
    filing = file(store, tip)
    assert git(repo_path, "for-each-ref", "--format=%(refname)", "refs/relay/") == APRIL
    path = f"28/{RUN}"
    assert git(repo_path, "rev-parse", f"{APRIL}:{path}") == tip.commit.tree
    assert git(repo_path, "show", f"{APRIL}:{path}/artifacts/plan.md") == "plan 2"
    assert git(repo_path, "rev-parse", f"{APRIL}^2") == tip.oid
    assert git(repo_path, "rev-parse", APRIL) == filing


def test_every_step_stays_reachable_even_after_gc(
    store: GitStore, by: Signer, repo_path: Path
) -> None:
    first, second = add_steps(store, by, 3), add_steps(store, by, 2, run=OTHER)
    rejected = add_step(store, by, None, {"artifacts/plan.md": b"other\n"}, run=MAY)
    first.append(add_step(store, by, first[-1], {}, second_parents=(rejected.oid,)))
    git(repo_path, "update-ref", "-d", run_ref(MAY))
    file(store, first[-1])
    file(store, second[-1])
    git(repo_path, "reflog", "expire", "--expire=all", "--all")
    git(repo_path, "gc", "-q", "--prune=now")
    reachable = set(git(repo_path, "rev-list", "--glob=refs/relay/history").split())
    assert {step.oid for step in [*first, *second, rejected]} <= reachable
    git(repo_path, "fsck", "--strict", "--no-dangling")


def test_the_same_runs_filed_in_two_repositories_are_the_same_commits(
    store: GitStore, by: Signer, repo_path: Path, tmp_path: Path
) -> None:
    tips = [add_steps(store, by, 2, run=run)[-1] for run in (RUN, OTHER, MAY)]
    clone = make_repo(tmp_path / "clone")
    git(clone, "fetch", "-q", repo_path.as_uri(), "refs/relay/*:refs/relay/*")
    other = opened(clone)
    here, there = ([file(s, tip) for tip in tips] for s in (store, other))
    assert here == there
    assert history.months(store) == history.months(other)


def test_a_month_begins_with_the_same_empty_commit_everywhere(
    store: GitStore, by: Signer, repo_path: Path, tmp_path: Path
) -> None:
    file(store, add_steps(store, by, 1)[-1])
    there = make_repo(tmp_path / "there")
    file(opened(there), add_steps(opened(there), signer(there), 2, run=OTHER)[-1])
    roots = [
        git(path, "rev-list", "--max-parents=0", "--first-parent", APRIL)
        for path in (repo_path, there)
    ]
    assert roots[0] == roots[1]
    assert git(repo_path, "log", "-1", "--format=%an %cI %s", roots[0]) == (
        "git-relay 2026-04-01T00:00:00+00:00 history of 2026-04"
    )
    assert git(repo_path, "ls-tree", roots[0]) == ""


def test_filing_a_run_again_changes_nothing(store: GitStore, by: Signer) -> None:
    tip = add_steps(store, by, 2)[-1]
    filing = file(store, tip)
    assert history.filing_move(store, tip, "done") is None
    assert history.run_ref_deletion(store, RUN, tip.oid) is None
    assert store.ref(APRIL) == filing


def test_a_run_that_went_on_keeps_its_ref(store: GitStore, by: Signer) -> None:
    steps = add_steps(store, by, 2)
    assert history.run_ref_deletion(store, RUN, steps[0].oid) is None


def test_runs_are_filed_by_the_month_and_the_day_of_their_id(store: GitStore, by: Signer) -> None:
    for run in (MAY, RUN, OTHER):
        file(store, add_steps(store, by, 1, run=run)[-1])
    assert list(history.months(store)) == ["2026-04", "2026-05"]
    assert history.filed_runs(store) == [RUN, OTHER, MAY]


def test_the_tip_of_each_filed_run_is_found(store: GitStore, by: Signer) -> None:
    tips = {run: add_steps(store, by, 2, run=run)[-1].oid for run in (RUN, OTHER, MAY)}
    for run in tips:
        tip = store.ref(run_ref(run))
        assert tip
        assert not history.is_filed(store, run)
        file(store, next(iter(history_step(store, tip))))
        assert history.is_filed(store, run)
    assert {run: history.tip_of(store, run) for run in tips} == tips


def history_step(store: GitStore, tip: Oid) -> Iterator[Step]:
    from relay_git.chain.chain import walk

    return walk(store, tip)


def test_a_run_that_was_never_filed_is_named(store: GitStore) -> None:
    with pytest.raises(RelayError, match=f"the run {RUN} is not in the history"):
        history.tip_of(store, RUN)


def test_filings_are_listed_newest_first_and_from_a_point_on(store: GitStore, by: Signer) -> None:
    first = file(store, add_steps(store, by, 1)[-1])
    second = file(store, add_steps(store, by, 1, run=OTHER)[-1])
    assert first and second
    assert [(f.oid, f.run) for f in history.filings(store, second)] == [
        (second, OTHER),
        (first, RUN),
    ]
    assert [f.oid for f in history.filings(store, second, since=first)] == [second]


def test_a_foreign_commit_in_a_month_is_named(store: GitStore, repo_path: Path) -> None:
    make_commits(repo_path, 2)
    merge = git(
        repo_path, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-p", "HEAD^", "-m", "a merge"
    )
    with pytest.raises(Corrupt, match="not a filing commit: it names no run") as corrupt:
        list(history.filings(store, Oid(merge)))
    assert corrupt.value.where == merge


def test_foreign_entries_in_a_month_do_not_hide_the_runs(store: GitStore, by: Signer) -> None:
    from relay_git.git.store import BLOB, Commit
    from relay_git.git.trees import edit_tree

    file(store, add_steps(store, by, 1)[-1])
    tip = store.ref(APRIL)
    assert tip
    month = store.commit(tip)
    blob = store.put_blob(b"stray\n")
    tree = edit_tree(
        store,
        month.tree,
        {"README": (BLOB, blob), "28/notes.md": (BLOB, blob), "x/y/z": (BLOB, blob)},
    )
    assert tree
    stray = store.put_commit(Commit(tree, (tip,), month.author, month.committer, "stray\n"))
    store.move(Move(APRIL, tip, stray))
    assert history.filed_runs(store) == [RUN]
    assert [f.run for f in history.filings(store, stray)] == [RUN]


def test_a_run_that_lies_under_another_day_or_month_is_none(store: GitStore, by: Signer) -> None:
    """It could not be found by its name."""
    from relay_git.git.store import TREE, Commit
    from relay_git.git.trees import edit_tree

    filing = file(store, add_steps(store, by, 1)[-1])
    assert filing
    month = store.commit(filing)
    step = add_steps(store, by, 1, run=OTHER)[-1].commit.tree
    edits = {f"27/{OTHER}": (TREE, step), f"01/{MAY}": (TREE, step)}
    tree = edit_tree(store, month.tree, edits)
    assert tree
    odd = store.put_commit(Commit(tree, (filing,), month.author, month.committer, "odd\n"))
    store.move(Move(APRIL, filing, odd))
    assert history.filed_runs(store) == [RUN]
    assert history.hidden_runs(store) == []


def test_what_changes_an_entry_and_files_nothing_is_named(store: GitStore, by: Signer) -> None:
    from relay_git.git.store import TREE, Commit
    from relay_git.git.trees import edit_tree

    first, second = add_steps(store, by, 2)
    filing = file(store, first)
    assert filing
    month = store.commit(filing)
    tree = edit_tree(store, month.tree, {f"28/{RUN}": (TREE, second.commit.tree)})
    assert tree
    odd = store.put_commit(Commit(tree, (filing,), month.author, month.committer, "odd\n"))
    store.move(Move(APRIL, filing, odd))
    assert list(history.filings(store, odd)) == []
    with pytest.raises(Corrupt, match=f"it changes 28/{RUN} and does not file it") as corrupt:
        history.tip_of(store, RUN)
    assert corrupt.value.where == odd


def test_a_ref_that_is_no_month_does_not_hide_the_others(store: GitStore, by: Signer) -> None:
    tip = add_steps(store, by, 1)[-1]
    file(store, tip)
    store.move(Move(RefName("refs/relay/history/junk"), None, tip.oid))
    assert history.filed_runs(store) == [RUN]


def test_filing_among_many_writes_few_trees(store: GitStore, by: Signer, repo_path: Path) -> None:
    tip = add_steps(store, by, 1)[-1]
    file(store, tip)
    for number in range(40):
        run = RunId(f"202604{number % 27 + 1:02}-0930-fix-bug-{number:04x}")
        file(store, add_steps(store, by, 1, run=run)[-1])
    last = add_steps(store, by, 1, run=OTHER)[-1]
    before = objects(repo_path)
    filing = file(store, last)
    assert filing
    made = objects(repo_path) - before
    kinds = [git(repo_path, "cat-file", "-t", oid) for oid in made]
    assert sorted(kinds) == ["commit", "tree", "tree"]
    changed = git(repo_path, "diff-tree", "--name-only", f"{filing}^", filing)
    assert changed == "28"


def objects(path: Path) -> set[str]:
    listed = git(path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())


@pytest.mark.parametrize("date", ["20261301", "20260001", "20260132", "20260100", "00000101"])
def test_a_day_that_no_month_has_is_no_run_id(date: str) -> None:
    with pytest.raises(InvalidName):
        RunId(f"{date}-0930-fix-bug-3f9a")
