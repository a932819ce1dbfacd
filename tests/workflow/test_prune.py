"""Hiding old runs: what the lists leave out, git keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from flow import REJECTED, call, copy_of, done, draft, everything, make_project, review, tips
from support import git, repository

from relay_git.git.open import GitStore
from relay_git.git.store import Move
from relay_git.names import RunId, history_ref
from relay_git.workflow import pending
from relay_git.workspace import Workspace

DAY = 86400
FIRST = 1777377600
"""2026-04-28T12:00:00Z."""

DAYS = ("20260428", "20260429", "20260430", "20260501", "20260502")


@pytest.fixture
def project(tmp_path: Path, at: Callable[[int], None]) -> Path:
    """Five finished runs, a day apart, over the end of a month. The first taught a lesson."""

    def build(path: Path) -> None:
        make_project(path)
        for number in range(len(DAYS)):
            at(FIRST + number * DAY)
            done(path, "start")
            if number == 0:
                draft(path)
                review(path, REJECTED)
            done(path, "abandon")

    return copy_of("five-runs", build, tmp_path / "project")


def listed(path: Path) -> list[str]:
    return [item["run"] for item in json.loads(done(path, "runs", "--all", "--json"))]


def days(path: Path) -> list[str]:
    return [run[:8] for run in listed(path)]


def test_all_but_the_newest_are_hidden_and_named(project: Path) -> None:
    runs = listed(project)
    told = done(project, "prune", "--keep", "2")
    assert told.splitlines() == [
        *(f"hid {run}" for run in runs[:3]),
        "2 finished runs left in the lists",
        "this frees nothing: history still reaches every step of what is hidden",
    ]
    assert listed(project) == runs[3:]
    git(project, "fsck", "--strict", "--no-dangling")


@pytest.mark.parametrize(
    ("date", "left"),
    [("2026-04-28", 5), ("2026-04-30", 3), ("2026-05-01", 2), ("2027-01-01", 0), ("0005-01-01", 5)],
)
def test_runs_begun_before_a_day_are_hidden(project: Path, date: str, left: int) -> None:
    done(project, "prune", "--before", date)
    assert days(project) == list(DAYS[len(DAYS) - left :])


def test_a_dry_run_tells_the_same_and_hides_nothing(project: Path) -> None:
    before, runs = everything(project), listed(project)
    told = done(project, "prune", "--keep", "4", "--dry-run").splitlines()
    assert told[:2] == [f"would hide {runs[0]}", "4 finished runs left in the lists"]
    found = json.loads(done(project, "prune", "--keep", "4", "--dry-run", "--json"))
    assert found == {"hidden": runs[:1], "left": 4, "dry_run": True}
    assert everything(project) == before


def test_hiding_again_changes_nothing(project: Path) -> None:
    done(project, "prune", "--keep", "2")
    before = everything(project)
    assert done(project, "prune", "--keep", "2") == "nothing to hide among 2 finished runs\n"
    assert done(project, "prune", "--keep", "9") == "nothing to hide among 2 finished runs\n"
    assert everything(project) == before
    done(project, "prune", "--keep", "0")
    assert done(project, "prune", "--keep", "0") == "nothing to hide among 0 finished runs\n"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--keep", "1", "--before", "2026-04-30"),
        ("--keep", "-1"),
        ("--keep", "many"),
        ("--before", "yesterday"),
        ("--before", "2026-02-30"),
    ],
    ids=" ".join,
)
def test_what_is_no_choice_is_refused(project: Path, words: tuple[str, ...]) -> None:
    before = everything(project)
    answer = call(project, "prune", *words)
    assert answer.code == 2
    assert len(answer.err.splitlines()) == 1
    assert everything(project) == before


@pytest.mark.parametrize("command", ["show", "log", "verify", "settle"])
def test_a_hidden_run_is_named_with_the_commit_that_still_has_it(
    project: Path, command: str
) -> None:
    run, ref = listed(project)[0], history_ref("2026-04")
    tip = next(
        line.split()[-1]
        for line in git(project, "log", "--format=%s %P", ref).splitlines()
        if line.startswith(f"file {run}")
    )
    done(project, "prune", "--keep", "4")
    answer = call(project, command, run)
    assert answer.code == 1
    assert answer.err == (
        f"git relay: the run {run} is pruned; git still has its steps: `git log {tip}`\n"
    )
    assert git(project, "show", f"{tip}:artifacts/review.md") == REJECTED.removesuffix("\n")


def test_a_part_of_an_id_that_a_shown_run_has_too_means_that_one(project: Path) -> None:
    done(project, "prune", "--before", "2026-05-02")
    assert listed(project)[0] in done(project, "log", "loop")
    assert call(project, "log", "202604").err.startswith("git relay: '202604' names 3 runs")
    assert call(project, "log", "nowhere").err.startswith("git relay: no run is named 'nowhere'")


def test_what_a_hidden_run_taught_stays(project: Path) -> None:
    before = done(project, "lessons", "list")
    assert "retry" in before
    done(project, "prune", "--keep", "0")
    assert done(project, "lessons", "list") == before
    assert json.loads(done(project, "distill", "--all", "--json"))["runs"] == 0


def test_every_step_of_a_hidden_run_outlives_gc(project: Path) -> None:
    before = set(git(project, "rev-list", "--glob=refs/relay/history").split())
    done(project, "prune", "--keep", "0")
    git(project, "reflog", "expire", "--expire=all", "--all")
    git(project, "gc", "-q", "--prune=now")
    after = set(git(project, "rev-list", "--glob=refs/relay/history").split())
    assert len(after - before) == 2
    assert before <= after
    assert done(project, "verify", "--all") == "0 of 0 steps ok in 0 runs\n"


def test_two_clones_that_hide_the_same_runs_need_no_merge(project: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(project), "clone")
    clone = tmp_path / "clone"
    git(clone, "fetch", "-q", "origin", "refs/relay/*:refs/relay/*")
    for path in (project, clone):
        done(path, "prune", "--before", "2026-05-02")
    assert months(project) == months(clone)


def months(path: Path) -> dict[str, str]:
    return {ref: tip for ref, tip in tips(path).items() if ref.startswith("refs/relay/history/")}


def test_a_run_that_is_open_again_is_not_hidden(project: Path) -> None:
    """As after two clones ended it apart."""
    run = listed(project)[0]
    tip = git(project, "rev-parse", f"{history_ref('2026-04')}~2^2")
    git(project, "update-ref", f"refs/relay/runs/{run}", tip)
    assert listed(project).count(run) == 1
    assert run not in done(project, "prune", "--keep", "0")
    git(project, "update-ref", "-d", f"refs/relay/runs/{run}")
    assert listed(project) == [run]


def test_a_run_that_waits_to_be_settled_and_was_hidden_still_teaches(project: Path) -> None:
    """Its worktree was stopped before its lessons arrived; another clone hid it meanwhile."""
    (lesson,) = project.glob(".relay/lessons/author/*.md")
    text, run = lesson.read_text(), RunId(listed(project)[0])
    done(project, "prune", "--keep", "4")
    lesson.unlink()
    pending.mark(Workspace(repository(project)), run)
    before = tips(project)
    answer = call(project, "status")
    assert f"settled {run}, which was left unsettled" in answer.err
    assert lesson.read_text() == text
    assert tips(project) == before
    assert not (project / ".git/relay/pending" / run).exists()


def test_a_run_that_is_filed_meanwhile_is_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The race is lost once, and what is hidden is chosen anew."""
    runs, april = listed(project), history_ref("2026-04")
    older = git(project, "rev-parse", f"{april}~1")
    newer = git(project, "rev-parse", april)
    git(project, "update-ref", april, older)
    move = GitStore.move
    lost: list[tuple[Move, ...]] = []

    def late(self: GitStore, *moves: Move) -> None:
        if not lost:
            lost.append(moves)
            git(project, "update-ref", april, newer)
        move(self, *moves)

    monkeypatch.setattr(GitStore, "move", late)
    told = done(project, "prune", "--keep", "3")
    assert lost
    assert [line for line in told.splitlines() if line.startswith("hid ")] == [
        f"hid {run}" for run in runs[:2]
    ]
    assert listed(project) == runs[2:]
