"""Hazard 59: a program that keeps a store open for long, while git packs, prunes and moves what
lies under it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chains import RUN, add_step, add_steps, opened, signer
from support import git

from relay_git.chain import chain, history
from relay_git.errors import RelayError
from relay_git.git.notes import read_note, update_note
from relay_git.git.open import ENGINES, GitStore
from relay_git.git.store import Commit
from relay_git.names import Oid, notes_ref, run_ref

REF, NOTES = run_ref(RUN), notes_ref(RUN.month)


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, repo_path: Path) -> Iterator[GitStore]:
    store = opened(repo_path, request.param)
    yield store
    store.close()


def tidy(path: Path) -> None:
    """All that git has for it; nothing of ours is loose afterwards."""
    git(path, "pack-refs", "--all", "--prune")
    git(path, "repack", "-adq")
    git(path, "worktree", "prune")
    git(path, "gc", "-q", "--prune=now")
    assert not list((path / ".git" / "objects").glob("??/*"))
    assert not list((path / ".git" / "refs").rglob("*/*.lock"))


def test_a_chain_grows_while_git_tidies_up(store: GitStore, repo_path: Path) -> None:
    by, steps = signer(repo_path), list[chain.Step]()
    for number in range(4):
        steps += add_steps(store, by, 1, steps[-1] if steps else None)
        tidy(repo_path)
        assert store.ref(REF) == steps[-1].oid
        assert [step.oid for step in chain.walk(store, steps[-1].oid)] == [
            step.oid for step in reversed(steps)
        ]
        assert chain.read_file(store, steps[0], "artifacts/context.md") == b"context\n"
        update_note(
            store, NOTES, steps[-1].oid, lambda _: b"a note\n", steps[-1].commit.author, "x\n"
        )
        tidy(repo_path)
        assert read_note(store, NOTES, steps[number].oid) == b"a note\n"
    filing = history.filing_move(store, steps[-1], "done")
    assert filing
    store.move(filing, *filter(None, [history.run_ref_deletion(store, RUN, steps[-1].oid)]))
    tidy(repo_path)
    assert history.tip_of(store, RUN) == steps[-1].oid
    assert git(repo_path, "rev-list", "--count", steps[-1].oid) == "4"
    git(repo_path, "fsck", "--strict", "--no-dangling")


def test_pruned_in_the_middle_of_a_step(store: GitStore, repo_path: Path) -> None:
    """Nothing names what was pruned, the chain stands as it did, and the step can be made again."""
    by = signer(repo_path)
    (first,) = add_steps(store, by, 1)
    put_commit = store.put_commit

    def late(commit: Commit) -> Oid:
        oid = put_commit(commit)
        git(repo_path, "gc", "-q", "--prune=now")
        return oid

    store.put_commit = late  # type: ignore[method-assign]
    with pytest.raises(RelayError, match="nonexistent object"):
        add_step(store, by, first, {"artifacts/plan.md": b"lost"})
    store.put_commit = put_commit  # type: ignore[method-assign]
    assert store.ref(REF) == first.oid
    git(repo_path, "fsck", "--strict", "--no-dangling")
    again = add_step(store, by, first, {"artifacts/plan.md": b"lost"})
    assert chain.read_file(store, again, "artifacts/plan.md") == b"lost"
    git(repo_path, "fsck", "--strict", "--no-dangling")


def test_what_another_process_writes_and_packs_is_seen(store: GitStore, repo_path: Path) -> None:
    by = signer(repo_path)
    (first,) = add_steps(store, by, 1)
    store.commit(first.oid)
    other = opened(repo_path)
    second = add_step(other, by, first, {"artifacts/plan.md": b"theirs"})
    other.close()
    tidy(repo_path)
    assert store.ref(REF) == second.oid
    assert (
        chain.read_file(store, chain.read_step(store, second.oid), "artifacts/plan.md") == b"theirs"
    )
    third = add_step(store, by, second, {"artifacts/plan.md": b"ours"})
    assert store.ref(REF) == third.oid
