from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import git, make_commits, repository

from relay_git import clock
from relay_git.errors import Conflict, GitError, Locked
from relay_git.git.refs import Refs, retrying
from relay_git.git.store import Move
from relay_git.names import Oid, RefName

REF = RefName("refs/relay/runs/x")


@pytest.fixture
def refs(repo_path: Path) -> Iterator[Refs]:
    refs = Refs(repository(repo_path))
    yield refs
    refs.close()


def head_of(path: Path) -> Oid:
    return Oid(git(path, "rev-parse", "HEAD"))


def test_a_stale_lock_is_named_and_never_removed(refs: Refs, repo_path: Path) -> None:
    """Hazard 38: its owner is dead, but only a person can know that."""
    lock = repo_path / ".git" / (REF + ".lock")
    lock.parent.mkdir(parents=True)
    lock.write_text("")
    os.utime(lock, (clock.now() - 90, clock.now() - 90))
    with pytest.raises(Locked) as caught:
        retrying(lambda: refs.move(Move(REF, None, head_of(repo_path))), tries=3)
    assert f"locked by {lock} (for 9" in str(caught.value)
    assert "remove that file" in str(caught.value)
    assert lock.exists()
    lock.unlink()
    refs.move(Move(REF, None, head_of(repo_path)))


def test_moves_that_git_made_and_was_killed_before_it_said_so_are_made(
    refs: Refs, repo_path: Path
) -> None:
    one, other = make_commits(repo_path, 2)
    hook = repo_path / ".git/hooks/reference-transaction"
    hook.write_text('#!/bin/sh\n[ "$1" = committed ] && kill -9 $PPID\nexit 0\n')
    hook.chmod(0o755)
    beside = RefName(f"{REF}-beside")
    refs.move(Move(REF, None, Oid(one)), Move(beside, None, Oid(one)))
    refs.move(Move(REF, Oid(one), Oid(other)), Move(beside, Oid(one), None))
    assert (refs.ref(REF), refs.ref(beside)) == (other, None)
    hook.write_text('#!/bin/sh\n[ "$1" = prepared ] && kill -9 $PPID\nexit 0\n')
    with pytest.raises(GitError):
        refs.move(Move(REF, Oid(other), Oid(one)))
    hook.unlink()
    assert refs.ref(REF) == other


def test_a_lock_that_goes_away_is_waited_for(refs: Refs, repo_path: Path) -> None:
    lock = repo_path / ".git" / (REF + ".lock")
    lock.parent.mkdir(parents=True)
    lock.write_text("")
    attempts = []

    def attempt() -> None:
        attempts.append(1)
        if len(attempts) == 3:
            lock.unlink()
        refs.move(Move(REF, None, head_of(repo_path)))

    retrying(attempt)
    assert len(attempts) == 3
    assert refs.ref(REF) == head_of(repo_path)


def test_no_move_is_no_process(repo_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refs = Refs(repository(repo_path))
    monkeypatch.setenv("PATH", "")
    refs.move()


def test_a_symbolic_ref_is_moved_itself(refs: Refs, repo_path: Path) -> None:
    """Never the branch that it points to: the user's work is theirs."""
    first, second = head_of(repo_path), Oid(make_commits(repo_path, 1)[0])
    git(repo_path, "branch", "precious", first)
    git(repo_path, "symbolic-ref", REF, "refs/heads/precious")
    refs.move(Move(REF, first, second))
    assert git(repo_path, "rev-parse", "precious") == first
    assert refs.ref(REF) == second


def test_a_dead_helper_is_replaced(refs: Refs, repo_path: Path) -> None:
    first, second = head_of(repo_path), Oid(make_commits(repo_path, 1)[0])
    refs.move(Move(REF, None, first))
    assert refs._child
    refs._child._process.kill()
    refs._child._process.wait()
    refs.move(Move(REF, first, second))
    assert refs.ref(REF) == second


def test_an_interrupted_move_leaves_no_lock_and_no_stale_answer(
    refs: Refs, repo_path: Path
) -> None:
    hook = repo_path / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\nexec sleep 30\n")
    hook.chmod(0o755)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            refs.move(Move(REF, None, head_of(repo_path)))
    finally:
        signal.signal(signal.SIGALRM, before)
    hook.unlink()
    assert not list(repo_path.rglob("*.lock"))
    assert refs.ref(REF) is None
    refs.move(Move(REF, None, head_of(repo_path)))
    assert refs.ref(REF) == head_of(repo_path)


def test_a_reflog_where_the_user_keeps_them_all(refs: Refs, repo_path: Path) -> None:
    git(repo_path, "config", "core.logAllRefUpdates", "always")
    refs.move(Move(REF, None, head_of(repo_path)))
    assert git(repo_path, "reflog", REF).endswith("relay")


def test_what_is_no_race_is_not_tried_again(refs: Refs, repo_path: Path) -> None:
    attempts = []

    def attempt() -> None:
        attempts.append(1)
        refs.move(Move(REF, None, Oid("1" * 40)))

    with pytest.raises(GitError):
        retrying(attempt)
    assert len(attempts) == 1


def test_retrying_is_bounded() -> None:
    attempts = []

    def lose() -> None:
        attempts.append(1)
        raise Conflict(REF, None, "1" * 40)

    with pytest.raises(Conflict):
        retrying(lose, tries=4)
    assert len(attempts) == 4
    with pytest.raises(Conflict):
        retrying(lose, within=-1.0)
    assert len(attempts) == 5


COUNTER = """
import sys
from relay_git.git.open import open_store
from relay_git.git.refs import retrying
from relay_git.git.repo import discover
from relay_git.git.store import Move
from relay_git.names import RefName
ref = RefName("refs/relay/runs/x")
store = open_store(discover())
def once():
    old = store.ref(ref)
    count = int(store.blob(old)) if old else 0
    store.move(Move(ref, old, store.put_blob(b"%d" % (count + 1))))
for _ in range(5):
    retrying(once)
store.close()
"""


def test_sixteen_processes_on_one_ref_lose_nothing(refs: Refs, repo_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-c", COUNTER], cwd=repo_path, env=env) for _ in range(16)
    ]
    assert [process.wait(120) for process in running] == [0] * 16
    tip = refs.ref(REF)
    assert tip and git(repo_path, "cat-file", "blob", tip) == "80"


def test_refs_packed_anew_within_a_second_are_not_remembered(refs: Refs, repo_path: Path) -> None:
    """A git that runs for long compares second, size and inode of the file, and a second rewriting
    gives it the inode that it had: then an overtaken move would be made, and what was written in
    between lost.
    """
    one, two, three = map(Oid, make_commits(repo_path, 3))
    other = RefName("refs/relay/runs/other")
    for _ in range(10):
        git(repo_path, "update-ref", REF, one)
        git(repo_path, "pack-refs", "--all", "--prune")
        refs.move(Move(other, refs.ref(other), one))
        git(repo_path, "update-ref", REF, two)
        git(repo_path, "pack-refs", "--all", "--prune")
        git(repo_path, "pack-refs", "--all", "--prune")
        with pytest.raises(Conflict):
            refs.move(Move(REF, one, three))
        assert refs.ref(REF) == two


def test_an_object_id_is_that_object_whatever_branch_is_called_so(
    refs: Refs, repo_path: Path
) -> None:
    first, second = head_of(repo_path), Oid(make_commits(repo_path, 1)[0])
    git(repo_path, "update-ref", f"refs/heads/{first}", second)
    git(repo_path, "update-ref", f"refs/tags/{first}", second)
    refs.move(Move(REF, None, first))
    assert refs.ref(REF) == first
    refs.move(Move(REF, first, second))
    assert git(repo_path, "rev-parse", REF) == second


def test_after_a_refusal_the_next_move_is_made(refs: Refs, repo_path: Path) -> None:
    """By another git, for this one has begun its next transaction already."""
    first, second = head_of(repo_path), Oid(make_commits(repo_path, 1)[0])
    for _ in range(3):
        refs.move(Move(REF, None, first))
        with pytest.raises(Conflict):
            refs.move(Move(REF, second, first))
        refs.move(Move(REF, first, second))
        refs.move(Move(REF, second, None))
    assert refs.ref(REF) is None
    refs.close()
    assert not list(repo_path.rglob("*.lock"))
