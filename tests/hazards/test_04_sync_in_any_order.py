"""Hazard 4: syncs in any order, on any branch, by clones of any age lose and revive nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from clones import assert_same, in_step, make_clone, make_server, reachable, relay_refs
from flow import call, copy_of, done, draft
from support import git

NOON = 1777377600
WEEK = 7 * 86400


def set_up(path: Path) -> None:
    """Both have the open run r0. A adds r1; B adds r2 and closes r0."""
    path.mkdir()
    server = make_server(path / "server")
    a, b = (make_clone(server, path / name) for name in ("a", "b"))
    done(a, "start", "--slug", "r0")
    in_step([a, b])
    done(a, "start", "--slug", "r1")
    done(b, "start", "--slug", "r2")
    done(b, "switch", "r0")
    done(b, "abandon")


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = copy_of("both-at-work", set_up, tmp_path / "house")
    for clone in ("a", "b"):
        git(path / clone, "remote", "set-url", "origin", str(path / "server"))
    return path


def runs_of(path: Path) -> dict[str, str]:
    """By slug, what each run is."""
    listed = json.loads(done(path, "runs", "--all", "--json"))
    return {item["run"].split("-")[2]: item["status"] for item in listed}


@pytest.mark.parametrize("order", [*permutations("aabb", 4)][::5], ids="".join)
def test_any_order_of_syncs_ends_alike(house: Path, order: tuple[str, ...]) -> None:
    before = reachable(house / "a") | reachable(house / "b")
    for name in order:
        done(house / name, "sync")
    in_step([house / "a", house / "b"])
    assert_same([house / name for name in ("a", "b", "server")])
    assert runs_of(house / "a") == {"r0": "filed", "r1": "open", "r2": "open"}
    assert runs_of(house / "b") == runs_of(house / "a")
    assert before <= reachable(house / "a")


def test_the_second_sync_does_nothing(house: Path) -> None:
    in_step([house / "a", house / "b"])
    before = [relay_refs(house / name) for name in ("a", "b", "server")]
    for name in ("a", "b", "a"):
        assert done(house / name, "sync") == "in step with origin\n"
    assert [relay_refs(house / name) for name in ("a", "b", "server")] == before


def test_a_week_offline_with_another_clock(house: Path, at: Callable[[int], None]) -> None:
    """Times decide nothing: who is behind by a week has the last word on nothing."""
    at(NOON + WEEK)
    for number in range(3):
        done(house / "b", "start", "--slug", f"late{number}")
        done(house / "b", "abandon")
    done(house / "b", "sync")
    at(NOON - WEEK)
    done(house / "a", "start", "--slug", "early")
    done(house / "a", "abandon")
    in_step([house / "a", house / "b"])
    assert_same([house / name for name in ("a", "b", "server")])
    expected = {"r0": "filed", "r1": "open", "r2": "open", "early": "filed"}
    assert runs_of(house / "a") == expected | {f"late{number}": "filed" for number in range(3)}


def test_a_branch_that_never_saw_the_run(house: Path) -> None:
    """Runs are on no branch, so none of them is missing on one."""
    git(house / "b", "checkout", "-q", "--orphan", "fresh")
    git(house / "b", "rm", "-rfq", ".")
    in_step([house / "a"])
    answer = call(house / "b", "sync")
    assert answer.code == 0, answer
    in_step([house / "b", house / "a"])
    assert_same([house / name for name in ("a", "b", "server")])
    assert len(runs_of(house / "b")) == 3


def test_a_fresh_clone_takes_everything_and_drops_nothing(house: Path) -> None:
    in_step([house / "a", house / "b"])
    c = make_clone(house / "server", house / "c")
    assert relay_refs(c) == {}
    done(c, "sync")
    assert_same([house / name for name in ("a", "b", "c", "server")])


def test_hidden_runs_stay_hidden_when_an_old_clone_comes_back(house: Path) -> None:
    a, b = house / "a", house / "b"
    in_step([a, b])
    old = make_clone(house / "server", house / "old")
    done(old, "sync")
    done(old, "start", "--slug", "old")
    done(old, "abandon")
    done(a, "prune", "--keep", "0")
    in_step([a, b])
    in_step([old, a, b])
    assert_same([a, b, old, house / "server"])
    assert runs_of(b) == {"r1": "open", "r2": "open", "old": "filed"}


def test_a_step_on_a_run_that_was_closed_meanwhile_is_not_dropped(house: Path) -> None:
    a, b = house / "a", house / "b"
    done(a, "switch", "r0")
    draft(a)
    (mine,) = [tip for ref, tip in relay_refs(a).items() if "-r0-" in ref]
    in_step([b])
    in_step([a, b])
    assert_same([a, b, house / "server"])
    assert runs_of(b)["r0"] == "diverged"
    assert mine in reachable(b)
