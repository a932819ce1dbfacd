"""Many runs read at once teach what they teach one at a time, whoever reads them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import histories
import pytest
from flow import call
from histories import Size
from support import git, processes, repository

from relay_git import parallel
from relay_git.chain import history
from relay_git.errors import Corrupt, RelayError
from relay_git.git.open import GitStore, open_store
from relay_git.lessons.model import Lesson
from relay_git.names import Oid
from relay_git.workflow import harvest as module
from relay_git.workflow import reviews
from relay_git.workflow.harvest import harvest

RUNS = 66
SHARE = 20
"""More than three shares, the last of them short."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("h")
    git(path, "init", "-q")
    histories.build(path, Size(RUNS, rejections=1, settled=False))
    return path


@pytest.fixture
def store(path: Path) -> Iterator[GitStore]:
    store = open_store(repository(path))
    yield store
    store.close()


@pytest.fixture
def tips(store: GitStore) -> list[Oid]:
    months = history.months(store).values()
    return [filing.tip for tip in months for filing in history.filings(store, tip)]


def one_at_a_time(store: GitStore, tips: list[Oid]) -> list[tuple[Lesson, ...]]:
    return [reviews.lessons_of(store, reviews.outline(store, tip)) for tip in tips]


def test_several_processes_teach_the_same_in_the_same_order(
    store: GitStore, path: Path, tips: list[Oid], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    alone = one_at_a_time(store, tips)
    assert len(tips) == RUNS and all(len(lessons) == 3 for lessons in alone)
    monkeypatch.setattr(parallel, "_cores", lambda: 3)
    monkeypatch.setattr(module, "_SHARE", SHARE)
    shared = harvest(repository(path), tips, told.append)
    assert [taught.lessons for taught in shared] == alone
    assert told == [20, 40, 60, 66]
    monkeypatch.setattr(parallel, "_cores", lambda: 1)
    assert harvest(repository(path), tips, told.append) == shared


def test_a_share_is_read_with_few_processes_and_questions(
    path: Path, tips: list[Oid], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_RELAY_TRACE", str(tmp_path / "trace"))
    harvest(repository(path), tips, lambda done: None)
    asked = [line for line in processes(tmp_path / "trace") if "cat-file" in line]
    assert len(asked) == 1


def test_a_run_that_cannot_be_read_is_named(
    store: GitStore, path: Path, tips: list[Oid], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_cores", lambda: 2)
    monkeypatch.setattr(module, "_SHARE", SHARE)
    broken = store.commit(tips[0]).parents[0]
    tree = store.commit(broken).tree
    with pytest.raises(Corrupt, match=tree):
        harvest(repository(path), [*tips[:50], tree, *tips[50:]], lambda done: None)


def test_a_reader_that_is_killed_ends_the_work_with_one_line(
    path: Path, tips: list[Oid], monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(store: object, tips: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(parallel, "_cores", lambda: 2)
    monkeypatch.setattr(module, "_SHARE", SHARE)
    monkeypatch.setattr(module, "_fetch_chains", killed)
    with pytest.raises(RelayError, match="was killed"):
        harvest(repository(path), tips, lambda done: None)


def test_made_histories_are_read_by_every_command(path: Path) -> None:
    """They are what the benchmarks stand on."""
    assert call(path, "runs", "--all").out.count("filed") == RUNS
    told = call(path, "log", f"change-{RUNS - 1}")
    assert told.code == 0 and "plan_review: reject → plan_draft (visit 2)" in told.out
    assert "7 of 7 steps ok" in call(path, "verify", f"change-{RUNS - 1}").out
    git(path, "fsck", "--strict", "--no-dangling")
