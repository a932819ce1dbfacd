"""Judging runs and histories of somebody else: in bulk, once, and where a clone is cut off.

What is refused, and how it is named, is shown in tests/test_joining.py on real remotes.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from clones import make_clone, make_server, relay_refs
from flow import call, done, draft, review
from support import git, processes, repository

from relay_git.chain.judging import Judging
from relay_git.names import Oid, RunId
from relay_git.workflow.consistency import rule
from relay_git.workspace import Workspace


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    return make_clone(make_server(tmp_path / "server"), tmp_path / "ada")


def judging(path: Path, told: list[int] | None = None) -> Judging:
    return Judging(Workspace(repository(path)), rule, lambda: (told or []).append(1))


def tips(path: Path, prefix: str = "refs/relay/runs/") -> dict[RunId, Oid]:
    found = relay_refs(path).items()
    return {RunId(r.removeprefix(prefix)): Oid(t) for r, t in found if r.startswith(prefix)}


def month_of(path: Path) -> tuple[str, Oid]:
    ((ref, tip),) = [(r, t) for r, t in relay_refs(path).items() if "/history/" in r]
    return ref.rpartition("/")[2], Oid(tip)


def finished(path: Path, count: int) -> None:
    for _ in range(count):
        done(path, "start")
        draft(path)
        done(path, "abandon")


def test_many_runs_cost_no_more_processes_than_few(
    ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And each of them is told."""
    counts: list[int] = []
    for number in (2, 10):
        finished(ada, number - len(counts) * 2)
        for _ in range(number):
            done(ada, "start")
        git(ada, "gc", "-q")
        trace = tmp_path / f"trace-{number}"
        monkeypatch.setenv("GIT_RELAY_TRACE", str(trace))
        told = [0]
        judge = judging(ada, told)
        assert judge.chains(tips(ada).items()) == {}
        month, tip = month_of(ada)
        assert judge.history(month, tip, None) == []
        monkeypatch.delenv("GIT_RELAY_TRACE")
        counts.append(len(processes(trace)))
        assert len(told) == 1 + len(tips(ada)) + number
    assert counts[1] <= counts[0] <= 12


def test_only_what_is_new_in_a_history_is_judged(ada: Path) -> None:
    finished(ada, 3)
    month, known = month_of(ada)
    finished(ada, 2)
    told = [0]
    assert judging(ada, told).history(month, month_of(ada)[1], known) == []
    assert len(told) == 1 + 2
    assert judging(ada, told).history(month, known, known) == []
    assert len(told) == 1 + 2


def test_the_history_of_another_month_is_none_of_this_one(ada: Path) -> None:
    finished(ada, 1)
    _, tip = month_of(ada)
    (problem,) = judging(ada).history("1999-01", tip, None)
    assert "neither files a run" in problem


def test_hidden_runs_merges_and_runs_filed_again_are_sound(ada: Path, tmp_path: Path) -> None:
    """Everything that the program itself makes of a history."""
    bob = make_clone(tmp_path / "server", tmp_path / "bob")
    finished(ada, 2)
    finished(bob, 2)
    done(ada, "start", "--slug", "again")
    (run,) = tips(ada)
    for path in (ada, bob):
        done(path, "sync")
    done(bob, "switch", run)
    draft(bob)
    mine = git(bob, "rev-parse", f"refs/relay/runs/{run}")
    done(ada, "abandon")
    done(ada, "prune", "--keep", "1")
    for path in (ada, bob, ada):
        done(path, "sync")
    done(ada, "resolve", run, mine)
    done(ada, "switch", run)
    review(ada)
    done(ada, "abandon")
    for path in (ada, bob):
        done(path, "sync")
    month, tip = month_of(bob)
    subjects = git(bob, "log", "--format=%s", tip)
    assert "hide " in subjects
    assert subjects.count(f"file {run}: ") == 2
    assert "merge two histories" in subjects
    assert judging(bob).history(month, tip, None) == []


def test_where_a_clone_is_cut_off_there_is_nothing_to_judge(ada: Path, tmp_path: Path) -> None:
    finished(ada, 3)
    month, tip = month_of(ada)
    path = tmp_path / "shallow"
    git(tmp_path, "init", "-q", str(path))
    git(path, "fetch", "-q", "--depth=2", f"file://{ada}", f"{tip}:refs/relay/history/{month}")
    assert len(git(path, "rev-list", tip).split()) < len(git(ada, "rev-list", tip).split())
    assert judging(path).history(month, tip, None) == []
    assert call(path, "verify", "--all").code == 0
