"""What a plain `git fetch` or `git pull` brings of other people's runs is taken in by the hooks."""

from __future__ import annotations

import json
import os
import shutil
import time
from itertools import count
from pathlib import Path

import kinds
import pytest
from clones import ORIGIN, make_clone, make_server, neighbours, relay_refs, tracked
from flow import APPROVED, call, done, draft, review, tips
from hooking import Done, commit, git_processes, hooks_of, run, started, watch
from support import git, repository

from relay_git import arriving
from relay_git.workspace import Workspace


def build(folder: Path) -> None:
    server = make_server(folder / "server")
    make_clone(server, folder / "ada")
    done(make_clone(server, folder / "ben's clone"), "hooks", "install")


@pytest.fixture
def server(tmp_path: Path) -> Path:
    return neighbours("taking-in", build, tmp_path)


@pytest.fixture
def ada(server: Path) -> Path:
    """Somebody who sends by hand."""
    return server.with_name("ada")


@pytest.fixture
def ben(server: Path) -> Path:
    """Somebody with hooks, who types git commands alone."""
    return server.with_name("ben's clone")


def finish(path: Path) -> None:
    done(path, "start")
    draft(path)
    review(path)
    draft(path, "Another draft.\n")
    review(path, APPROVED)


def share(path: Path, name: str = "a.txt") -> None:
    """Commit and push code, and send runs."""
    commit(path, name)
    git(path, "pull", "-q", "--rebase")
    git(path, "push", "-q", "origin", "main")
    done(path, "sync")


def said(answer: Done) -> str:
    assert answer.code == 0, answer
    return answer.err


def refs_of(path: Path) -> dict[str, str]:
    """Without those that are at the remote alone."""
    return {ref: tip for ref, tip in tips(path).items() if not ref.startswith(ORIGIN)}


def test_a_pull_brings_an_open_run(ada: Path, ben: Path) -> None:
    done(ada, "start")
    share(ada)
    assert said(run(ben, "git", "pull", "-q")) == "git-relay: took in 1 run from origin\n"
    assert relay_refs(ben) == relay_refs(ada)


def test_a_pull_brings_history_and_notes(ada: Path, ben: Path) -> None:
    finish(ada)
    share(ada)
    told = said(run(ben, "git", "pull", "-q"))
    assert told == "git-relay: took in 1 month of history, 1 month of notes from origin\n"
    assert relay_refs(ben) == relay_refs(ada)
    assert (ben / ".git/relay/noted").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("checkout", "-q", "-b", "other"),
        ("commit", "-q", "--allow-empty", "-m", "x"),
        ("commit", "-q", "--allow-empty", "--amend", "-m", "x"),
        ("merge", "-q", "origin/main"),
    ],
    ids=lambda words: words[0],
)
def test_every_hook_takes_in_what_was_fetched(
    ada: Path, ben: Path, command: tuple[str, ...]
) -> None:
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    assert not relay_refs(ben)
    assert tracked(ben) == relay_refs(ada)
    assert "took in 1 run from origin" in said(run(ben, "git", *command))
    assert relay_refs(ben) == relay_refs(ada)


def test_a_commit_after_a_fetch_follows_what_came(ada: Path, ben: Path) -> None:
    """And does not part the run."""
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    done(ben, "switch", "loop")
    draft(ada)
    share(ada, "b.txt")
    git(ben, "fetch", "-q")
    said = commit(ben, "c.txt")
    assert "git-relay: took in 1 run from origin" in said
    run = json.loads(done(ben, "status", "--json"))
    assert (run["status"], run["stage"]) == ("open", "review")
    last = git(ben, "log", "-1", "--format=%s", "--glob=refs/relay/runs")
    assert last.endswith("at review (visit 1)")


def test_a_commit_after_a_fetch_that_ended_the_run_is_the_users_alone(ada: Path, ben: Path) -> None:
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    done(ben, "switch", "loop")
    done(ada, "abandon")
    share(ada, "b.txt")
    git(ben, "fetch", "-q")
    assert "1 run finished elsewhere, and filed" in commit(ben, "c.txt")
    assert json.loads(done(ben, "status", "--json"))["run"] is None
    assert relay_refs(ben) == relay_refs(ada)


def test_a_rebase_takes_in_at_its_end(ada: Path, ben: Path) -> None:
    done(ada, "start")
    share(ada)
    commit(ben, "b.txt")
    assert "took in 1 run" in said(run(ben, "git", "pull", "-q", "--rebase"))
    assert relay_refs(ben) == relay_refs(ada)


def test_a_command_takes_in_what_was_fetched(ada: Path, ben: Path) -> None:
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    answer = call(ben, "runs")
    assert answer.code == 0
    assert answer.err == "git relay: took in 1 run from origin\n"
    assert relay_refs(ada).keys() == {f"refs/relay/runs/{answer.out.split()[0]}"}
    assert call(ben, "runs") == (0, answer.out, "")


def test_a_run_that_ended_and_is_not_filed_is_settled_here(
    ada: Path, ben: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner's program was killed between its last step and the filing."""
    done(ada, "start")
    draft(ada)
    (run_ref,) = relay_refs(ada)
    review(ada, APPROVED)
    (month,) = [tip for ref, tip in relay_refs(ada).items() if "/history/" in ref]
    git(ada, "push", "-q", "origin", f"{month}^2:{run_ref}")
    git(ben, "fetch", "-q")
    told = said(run(ben, "git", "checkout", "-q", "-b", "other"))
    run_id = run_ref.rpartition("/")[2]
    assert told == f"git-relay: took in 1 run from origin; {run_id} is done: filed\n"
    assert not list((ben / ".git/relay/pending").iterdir())
    assert git(ben, "rev-parse", f"refs/relay/history/{run_id[:4]}-{run_id[4:6]}^{{tree}}")


def test_what_is_wrong_is_named_once(ada: Path, ben: Path, tmp_path: Path) -> None:
    commit(ada, "a.txt")
    git(ada, "push", "-q", "origin", "main:refs/relay/runs/20260101-0000-x-0000", "main")
    log = watch(ben, tmp_path / "log")
    told = said(run(ben, "git", "pull", "-q"))
    assert told.startswith(
        "git-relay: kept apart of origin: refs/relay/runs/20260101-0000-x-0000: "
    )
    assert len(told.splitlines()) == 1
    assert not relay_refs(ben)
    assert len(started(log)) == 1
    assert commit(ben, "b.txt") == ""
    assert len(started(log)) == 1


# What starts a program, and what does not


def calm(ben: Path, log: Path) -> None:
    """After one look too many, perhaps: git may have written in the very moment of the stamp."""
    commit(ben, "calm.txt", os.urandom(4).hex())
    log.unlink(missing_ok=True)


def test_nothing_of_ours_starts_no_program(ada: Path, ben: Path, tmp_path: Path) -> None:
    log = watch(ben, tmp_path / "log")
    for number in range(3):
        commit(ada, f"{number}.txt")
        git(ada, "push", "-q", "origin", "main", f"main:b{number}")
        run(ben, "git", "pull", "-q", "--no-rebase", "--no-edit")
    commit(ben, "b.txt")
    git(ben, "checkout", "-q", "-b", "other")
    git(ben, "pack-refs", "--all")
    commit(ben, "c.txt")
    assert started(log) == []


def test_a_pull_after_runs_were_taken_in_starts_none_either(
    ada: Path, ben: Path, tmp_path: Path
) -> None:
    finish(ada)
    done(ada, "start")
    share(ada)
    git(ben, "pull", "-q")
    log = watch(ben, tmp_path / "log")
    calm(ben, log)
    for number in range(3):
        commit(ada, f"{number}.txt")
        git(ada, "push", "-q", "origin", "main")
        git(ben, "pull", "-q", "--no-rebase", "--no-edit")
    assert started(log) == []
    draft(ada)
    share(ada, "again.txt")
    git(ben, "pull", "-q", "--no-rebase", "--no-edit")
    assert started(log)
    assert relay_refs(ben) == relay_refs(ada)


def test_refs_that_gc_packs_are_not_missed(ada: Path, ben: Path) -> None:
    """The directories that told of them are gone then."""
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    git(ben, "pack-refs", "--all")
    shutil.rmtree(ben / ".git/refs/relay-local", ignore_errors=True)
    commit(ben, "b.txt")
    assert relay_refs(ben) == relay_refs(ada)


def test_a_second_fetch_within_the_same_second_is_not_missed(ada: Path, ben: Path) -> None:
    """File systems that count whole seconds: stamp and directory are as old as each other."""
    done(ada, "start")
    share(ada)
    git(ben, "pull", "-q")
    draft(ada)
    done(ada, "sync")
    git(ben, "fetch", "-q")
    for path in [ben / ".git/relay/taken-in", *(ben / ".git/refs/relay-local").rglob("*")]:
        os.utime(path, (10**9, 10**9))
    commit(ben, "b.txt")
    assert relay_refs(ben) == relay_refs(ada)


def test_a_stamp_of_the_future_counts_for_nothing_in_a_command(ada: Path, ben: Path) -> None:
    """The clock was set back since."""
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    os.utime(ben / ".git/relay/taken-in", (2**33, 2**33))
    done(ben, "runs")
    assert relay_refs(ben) == relay_refs(ada)


def test_a_stamp_of_the_future_hides_nothing_from_a_hook(
    ada: Path, ben: Path, tmp_path: Path
) -> None:
    """What git has just written itself is older, so the clock was set back; and once is enough."""
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    log = watch(ben, tmp_path / "log")
    os.utime(ben / ".git/relay/taken-in", (2**33, 2**33))
    commit(ben, "b.txt")
    assert relay_refs(ben) == relay_refs(ada)
    calm(ben, log)
    commit(ben, "c.txt")
    assert started(log) == []


def test_an_intake_that_is_killed_is_made_again(ada: Path, ben: Path) -> None:
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    stamp = ben / ".git/relay/taken-in"
    before = stamp.stat().st_mtime_ns
    ws = Workspace(repository(ben))
    assert arriving.waiting(ws)
    assert arriving.take_in(ws, seconds=0.0)[0].apart, "there is no time for it"
    assert stamp.stat().st_mtime_ns == before
    assert arriving.waiting(ws)
    commit(ben, "b.txt")
    assert relay_refs(ben) == relay_refs(ada)
    assert [path.name for path in stamp.parent.glob("taken-in*")] == ["taken-in"]


def test_a_look_that_ran_out_of_time_is_not_tried_at_once(
    ada: Path, ben: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much somebody has put there, commands do not wait for it again and again."""
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    ws, ticks = Workspace(repository(ben)), count(step=3)
    with monkeypatch.context() as patched:
        patched.setattr("relay_git.clock.monotonic", lambda: float(next(ticks)))
        arriving.take_in(ws, seconds=1.0)
    assert relay_refs(ben) == {}
    assert not arriving.waiting(ws)
    done(ben, "status")
    assert relay_refs(ben) == {}
    for other in (-1, 10**6):
        then = time.time() + other
        os.utime(ben / ".git/relay/taken-in-later", (then, then))
        assert arriving.waiting(ws), "it is time, or the clock was set back"
    done(ben, "status")
    assert relay_refs(ben) == relay_refs(ada)


def test_linked_worktrees_share_what_was_taken_in(ada: Path, ben: Path, tmp_path: Path) -> None:
    git(ben, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side tree"))
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    commit(tmp_path / "side tree", "b.txt")
    assert relay_refs(ben) == relay_refs(ada)


def test_a_remote_with_a_slash_in_its_name(ada: Path, server: Path, tmp_path: Path) -> None:
    ben = make_clone(server, tmp_path / "ben", "--origin", "team/hub")
    done(ben, "hooks", "install")
    done(ada, "start")
    for act, name in ((draft, "a.txt"), (review, "b.txt")):
        act(ada)
        share(ada, name)
        git(ben, "fetch", "-q", "team/hub")
        commit(ben, name)
        assert relay_refs(ben) == relay_refs(ada)


def test_reftable(ada: Path, server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds.use_git_with_reftable(monkeypatch, tmp_path)
    ben = make_clone(server, tmp_path / "ben", "--ref-format=reftable")
    done(ben, "hooks", "install")
    log = watch(ben, tmp_path / "log")
    commit(ben, "b.txt")
    git(ben, "checkout", "-q", "-b", "other")
    assert started(log) == []
    done(ada, "start")
    share(ada)
    git(ben, "fetch", "-q")
    commit(ben, "c.txt")
    assert relay_refs(ben) == relay_refs(ada)


def test_hooks_with_nothing_to_do_start_no_git_process_either(
    ada: Path, ben: Path, tmp_path: Path
) -> None:
    done(ada, "start")
    share(ada)
    git(ben, "pull", "-q")
    calm(ben, tmp_path / "log")
    ours = git_processes(ben, tmp_path / "trace", "checkout", "-q", "-b", "other")
    for hook in hooks_of(ben).iterdir():
        hook.unlink()
    assert ours == git_processes(ben, tmp_path / "trace", "checkout", "-q", "-b", "third")
