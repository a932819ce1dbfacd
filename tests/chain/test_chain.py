"""Append, read, walk: on both engines, with git as the judge."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from chains import NOON, OTHER, RUN, a_draft, ada, add_step, add_steps, opened, signer
from support import git, make_commits, make_repo

from relay_git.chain.chain import append, read_file, read_step, walk
from relay_git.chain.envelope import Signer, sha256
from relay_git.errors import Conflict, Corrupt, InvalidName, MissingObject
from relay_git.git.open import ENGINES, GitStore
from relay_git.git.store import Move
from relay_git.names import Oid, RefName, run_ref

REF = run_ref(RUN)


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, repo_path: Path) -> Iterator[GitStore]:
    made = opened(repo_path, request.param)
    yield made
    made.close()


@pytest.fixture
def by(repo_path: Path) -> Signer:
    return signer(repo_path)


def record(path: Path, step: str) -> dict[str, object]:
    """`step.json` as git shows it."""
    loaded: dict[str, object] = json.loads(git(path, "show", f"{step}:step.json"))
    return loaded


def test_the_first_step_has_no_parent_and_is_its_own_first(
    store: GitStore, by: Signer, repo_path: Path
) -> None:
    step = add_step(store, by, None, {"artifacts/plan.md": b"plan\n"})
    said = record(repo_path, step.oid)
    assert git(repo_path, "rev-parse", REF) == step.oid
    assert git(repo_path, "rev-list", "--parents", REF) == step.oid
    assert (said["first"], said["parent"], said["step"], said["nonce"]) == (None, None, 1, 1)
    assert said["timestamp"] == "2026-04-28T12:00:00Z"
    assert said["key"] == by.fingerprint
    assert said["files"] == {"artifacts/plan.md": sha256(b"plan\n")}


def test_later_steps_name_the_first_and_the_one_before_by_the_digests_of_their_records(
    store: GitStore, by: Signer, repo_path: Path
) -> None:
    steps = add_steps(store, by, 3)
    whole = [git(repo_path, "show", f"{step.oid}:step.json").encode() for step in steps]
    assert [step.digest for step in steps] == [sha256(data) for data in whole]
    for before, step in pairwise(steps):
        assert step.envelope.first == steps[0].digest
        assert step.envelope.parent == before.digest
        assert step.commit.parents == (before.oid,)
    assert [step.envelope.step for step in steps] == [1, 2, 3]


def test_a_tree_holds_what_did_not_change_and_loses_what_was_taken_out(
    store: GitStore, by: Signer, repo_path: Path
) -> None:
    first = add_step(store, by, None, {"artifacts/a.md": b"a\n", "artifacts/b.md": b"b\n"})
    second = add_step(store, by, first, {"artifacts/b.md": None, "artifacts/c.md": b"c\n"})
    listed = git(repo_path, "ls-tree", "-r", "--name-only", second.oid).splitlines()
    assert listed == ["artifacts/a.md", "artifacts/c.md", "step.json"]
    assert set(second.envelope.files) == {"artifacts/a.md", "artifacts/c.md"}
    assert read_file(store, second, "artifacts/a.md") == b"a\n"
    assert read_file(store, second, "artifacts/b.md") is None
    assert read_file(store, first, "artifacts/b.md") == b"b\n"
    assert read_file(store, second, "artifacts") is None


def test_what_is_read_is_what_was_appended(store: GitStore, by: Signer) -> None:
    steps = add_steps(store, by, 2)
    assert [read_step(store, step.oid) for step in steps] == steps


def test_both_engines_make_the_same_chain(
    repo_path: Path, by: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_RELAY_ENGINE", "native")
    native = add_steps(opened(repo_path), by, 3)
    git(repo_path, "update-ref", "-d", REF)
    monkeypatch.setenv("GIT_RELAY_ENGINE", "libgit")
    assert add_steps(opened(repo_path), by, 3) == native


def test_walk_goes_back_to_the_first(store: GitStore, by: Signer) -> None:
    steps = add_steps(store, by, 4)
    assert list(walk(store, steps[-1].oid)) == steps[::-1]


def test_walk_follows_first_parents_alone(store: GitStore, by: Signer) -> None:
    steps = add_steps(store, by, 2)
    aside = add_step(store, by, None, {"artifacts/plan.md": b"rejected\n"}, run=OTHER)
    merged = add_step(store, by, steps[-1], {}, second_parents=(aside.oid,))
    assert merged.commit.parents == (steps[-1].oid, aside.oid)
    assert list(walk(store, merged.oid)) == [merged, *steps[::-1]]


def test_walk_ends_where_a_shallow_clone_does(repo_path: Path, by: Signer, tmp_path: Path) -> None:
    steps = add_steps(opened(repo_path), by, 4)
    shallow = make_repo(tmp_path / "shallow")
    git(shallow, "fetch", "-q", "--depth=2", repo_path.as_uri(), f"{REF}:{REF}")
    found = list(walk(opened(shallow), steps[-1].oid))
    assert [step.oid for step in found] == [steps[3].oid, steps[2].oid]


def test_nonces_rise_strictly_whatever_the_steps_record(store: GitStore, by: Signer) -> None:
    steps = add_steps(store, by, 3)
    back = add_step(store, by, steps[-1], {"artifacts/plan.md": b"plan 0\n"}, at=NOON - 86400)
    again = add_steps(store, by, 2, back)
    nonces = [step.envelope.nonce for step in [*steps, back, *again]]
    assert nonces == sorted(set(nonces)) == [1, 2, 3, 4, 5, 6]


def test_git_finds_nothing_wrong_with_a_chain(store: GitStore, by: Signer, repo_path: Path) -> None:
    add_steps(store, by, 3)
    git(repo_path, "fsck", "--strict", "--full", "--no-dangling")
    assert git(repo_path, "log", "--format=%an <%ae> %cI %s", "-1", REF) == (
        "Ada <ada@example.com> 2026-04-28T12:02:00+00:00 a step"
    )


def test_a_step_on_a_tip_that_moved_is_a_conflict_and_moves_nothing(
    store: GitStore, by: Signer
) -> None:
    steps = add_steps(store, by, 2)
    with pytest.raises(Conflict):
        add_step(store, by, steps[0], {"artifacts/plan.md": b"too late\n"})
    with pytest.raises(Conflict):
        add_step(store, by, None, {"artifacts/plan.md": b"once more\n"})
    assert store.ref(REF) == steps[-1].oid


def test_other_refs_move_with_the_chain_or_nothing_does(store: GitStore, by: Signer) -> None:
    mark = RefName("refs/relay-local/mark")
    first = add_step(store, by, None, {}, also=(Move(mark, None, head(store)),))
    assert (store.ref(REF), store.ref(mark)) == (first.oid, head(store))
    with pytest.raises(Conflict):
        add_step(store, by, first, {}, also=(Move(mark, None, first.oid),))
    assert (store.ref(REF), store.ref(mark)) == (first.oid, head(store))


def test_the_budget_is_recorded(store: GitStore, by: Signer, repo_path: Path) -> None:
    step = add_step(store, by, None, {}, budget_used=1200, budget_total=5000)
    assert record(repo_path, step.oid)["budget"] == {"used": 1200, "total": 5000}
    assert read_step(store, step.oid).envelope.budget_total == 5000


def test_what_is_no_step_is_named(store: GitStore, repo_path: Path) -> None:
    (commit,) = make_commits(repo_path, 1)
    with pytest.raises(Corrupt, match=r"not a step: it has no step\.json") as corrupt:
        read_step(store, Oid(commit))
    assert corrupt.value.where == commit
    with pytest.raises(Corrupt, match="a blob where a commit was expected"):
        read_step(store, store.put_blob(b"no commit"))
    with pytest.raises(MissingObject):
        list(walk(store, Oid("1" * 40)))


def test_a_step_signs_as_its_signer_at_the_time_of_its_committer(
    store: GitStore, by: Signer
) -> None:
    made = a_draft({}, at=NOON + 1)
    step = append(store, REF, None, made, by)
    assert step.commit.committer == ada(NOON + 1)
    assert step.envelope.timestamp == "2026-04-28T12:00:01Z"


def test_sha256_repositories_and_packed_chains_work(tmp_path: Path) -> None:
    path = make_repo(tmp_path / "sha256", object_format="sha256")
    store, by = opened(path), signer(path)
    steps = add_steps(store, by, 3)
    subprocess.run(["git", "gc", "-q", "--prune=now"], cwd=path, check=True)
    steps += add_steps(store, by, 1, steps[-1])
    assert list(walk(store, steps[-1].oid)) == steps[::-1]
    git(path, "fsck", "--strict", "--no-dangling")


def head(store: GitStore) -> Oid:
    assert store.repo.head
    return store.repo.head


@pytest.mark.parametrize(
    "files",
    [
        {"step.json": b"{}"},
        {"step.json/inside": b"x"},
        {"artifacts": b"a file"},
        {"artifacts/plan.md/inside": b"x"},
        {"artifacts/../../up": b"x"},
        {"artifacts//plan.md": b"x"},
        {".git/config": b"x"},
        {"/etc/passwd": b"x"},
    ],
    ids=lambda files: next(iter(files)),
)
def test_a_path_that_the_steps_tree_cannot_hold_is_refused(
    store: GitStore, by: Signer, files: dict[str, bytes | None]
) -> None:
    first = add_step(store, by, None, {"artifacts/plan.md": b"plan\n"})
    with pytest.raises(InvalidName):
        add_step(store, by, first, files)
    assert store.ref(REF) == first.oid
