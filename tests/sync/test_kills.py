"""`kill -9` at any moment of a sync: nothing is lost, and the next one finishes the work."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest
from clones import assert_same, in_step, make_clone, make_server, reachable, relay_refs
from flow import call, copy_of, done, draft, outcome, spawn
from hooking import write_hook
from support import git


def set_up(path: Path) -> None:
    """A server and two clones that share an open run, each with work that the other lacks: a run
    of its own that is open, one that is filed, and a step more on the shared one."""
    path.mkdir()
    server = make_server(path / "server")
    clones = [make_clone(server, path / name) for name in ("ada", "bob")]
    done(clones[0], "start", "--slug", "shared")
    shared = next(iter(relay_refs(clones[0]))).rpartition("/")[2]
    in_step(clones)
    for clone in clones:
        done(clone, "start", "--slug", f"open-{clone.name}")
        done(clone, "start", "--slug", f"filed-{clone.name}")
        done(clone, "abandon")
        done(clone, "switch", shared)
        draft(clone, f"By {clone.name}.\n")
    done(clones[1], "sync")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = copy_of("crashing", set_up, tmp_path / "house")
    for clone in ("ada", "bob"):
        git(path / clone, "remote", "set-url", "origin", str(path / "server"))
    return path


def everyone(house: Path) -> list[Path]:
    return [house / name for name in ("server", "ada", "bob")]


def written(house: Path) -> set[str]:
    """Every step and filing that anybody has."""
    return set().union(*(reachable(path) for path in everyone(house)))


def assert_sound(path: Path) -> None:
    git(path, "fsck", "--strict", "--no-dangling")
    answer = call(path, "verify", "--all")
    assert answer.code == 0, answer.out + answer.err


def assert_finished_by_the_next(house: Path, before: set[str], mine: set[str]) -> None:
    """`before` is what there was, `mine` what the clone had that was killed."""
    server, ada, bob = everyone(house)
    assert mine <= reachable(ada)
    assert_sound(ada)
    answer = call(ada, "sync")
    assert answer.code == 0, answer
    in_step([bob, ada])
    assert_same([server, ada, bob])
    assert before <= reachable(ada)
    assert_sound(ada)


@pytest.mark.timeout(3600)
def test_a_kill_at_any_time(house: Path, tmp_path: Path, soak: bool) -> None:
    original = shutil.copytree(house, tmp_path / "original", symlinks=True)
    begun = time.monotonic()
    assert outcome(spawn(house / "ada", "sync")).code == 0
    usual = time.monotonic() - begun
    chance = random.Random("sync")
    finished = 0
    for _ in range(300 if soak else 5):
        shutil.rmtree(house)
        shutil.copytree(original, house, symlinks=True)
        before, mine = written(house), reachable(house / "ada")
        process = spawn(house / "ada", "sync")
        time.sleep(chance.uniform(0.1, 1.1) * usual)
        process.kill()
        finished += outcome(process).code == 0
        assert_finished_by_the_next(house, before, mine)
    if soak:
        assert finished < 150


STOPS = """#!/bin/sh
count=$(($(cat "$KILL_DIR/count") + 1))
echo $count >"$KILL_DIR/count.$$" && mv "$KILL_DIR/count.$$" "$KILL_DIR/count"
[ $count = "$KILL_AT" ] || exec "$KILL_GIT" "$@"
[ $KILL_WHEN = before ] || { trap '' TERM; "$KILL_GIT" "$@"; }
kill -9 $PPID
"""


@pytest.mark.timeout(3600)
def test_a_kill_before_and_after_each_call_of_git(house: Path, tmp_path: Path, soak: bool) -> None:
    """So at each step of it: the fetch, the reading, each move, each push."""
    original = shutil.copytree(house, tmp_path / "original", symlinks=True)
    trap = tmp_path / "trap"
    calls = stopped_at(trap, house, 0, "before")
    assert calls > 8
    moments = [(at, when) for at in range(1, calls + 1) for when in ("before", "after")]
    for at, when in moments if soak else moments[calls % 9 :: 9]:
        shutil.rmtree(house)
        shutil.copytree(original, house, symlinks=True)
        before, mine = written(house), reachable(house / "ada")
        stopped_at(trap, house, at, when)
        assert_finished_by_the_next(house, before, mine)


def stopped_at(trap: Path, house: Path, at: int, when: str) -> int:
    """Sync with a git that kills the program at that call; how many calls were made."""
    path = shutil.which("git")
    write_hook(trap / "git", STOPS)
    (trap / "count").write_text("0")
    environment = {
        "KILL_DIR": str(trap),
        "KILL_GIT": str(path),
        "KILL_AT": str(at),
        "KILL_WHEN": when,
    }
    search = {"PATH": f"{trap}:/usr/local/bin:/usr/bin:/bin"}
    code = outcome(spawn(house / "ada", "sync", **environment, **search)).code
    count = int((trap / "count").read_text())
    # a git that serves to the end of the program may end after it: nothing is left to kill
    assert code == (0 if at == 0 or count < at else -9) or (when == "after" and code == 0)
    return count
