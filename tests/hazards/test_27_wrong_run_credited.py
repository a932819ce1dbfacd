"""A commit is credited to a run on evidence alone; where that is missing or double, to none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow import APPROVED, done, draft, run_ref, write
from hooking import commit, hooked, run
from support import git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return hooked(tmp_path / "project")


def start(path: Path, slug: str) -> str:
    """A run of this worktree; its id."""
    return str(json.loads(done(path, "start", "--slug", slug, "--json"))["run"])


def blame(path: Path, name: str) -> dict[str, Any]:
    (origin,) = json.loads(done(path, "blame", "--json", name))
    found: dict[str, Any] = origin
    return found


def credited(path: Path, name: str) -> str | None:
    run: str | None = blame(path, name)["run"]
    return run


def recorded(path: Path, run_id: str) -> list[str]:
    """The code commits that the run has as steps, oldest first."""
    told = git(path, "log", "--reverse", "--format=%s", f"refs/relay/runs/{run_id}")
    return [line.split()[1] for line in told.splitlines() if line.startswith("commit ")]


def test_two_agents_and_a_human_in_one_checkout(project: Path) -> None:
    """Agents say whose turn it is by `switch`; the human by `GIT_RELAY=0`."""
    first, second = start(project, "first"), start(project, "second")
    expected: dict[str, str | None] = {}
    for turn, (name, who) in enumerate(
        [("a", first), ("b", None), ("c", second), ("d", first), ("e", None), ("f", second)]
    ):
        if who:
            done(project, "switch", who)
        (project / f"{name}.txt").write_text(f"{turn}\n")
        git(project, "add", f"{name}.txt")
        environment = {} if who else {"GIT_RELAY": "0"}
        assert run(project, "git", "commit", "-q", "-m", name, **environment).code == 0
        expected[name] = who
    assert {name: credited(project, f"{name}.txt") for name in expected} == expected
    assert len(recorded(project, first)) == len(recorded(project, second)) == 2


def test_a_message_that_names_another_run_leaves_it_open_whose_it_is(project: Path) -> None:
    first, second = start(project, "first"), start(project, "second")
    commit(project, "a.txt", "text\n", "-m", f"Relay-Run: {first}")
    assert second in git(project, "log", "-1", "--format=%B")
    assert blame(project, "a.txt")["run"] is None
    assert ", unknown run" in done(project, "blame", "a.txt")


def test_an_agent_of_one_worktree_commits_in_another(project: Path, tmp_path: Path) -> None:
    """What counts is the worktree of the commit, whose own run or none is open."""
    first = start(project, "first")
    plain, busy = tmp_path / "plain", tmp_path / "busy"
    for tree in (plain, busy):
        git(project, "worktree", "add", "-q", "-b", tree.name, str(tree))
    other = start(busy, "other")
    for tree in (plain, busy):
        (tree / "a.txt").write_text("a\n")
        assert run(project, "git", "-C", str(tree), "add", "a.txt").code == 0
        assert run(project, "git", "-C", str(tree), "commit", "-q", "-m", "a").code == 0
    assert credited(plain, "a.txt") is None
    assert "Relay-Run" not in git(plain, "log", "-1", "--format=%B")
    assert credited(busy, "a.txt") == other
    assert recorded(project, first) == []
    git(project, "checkout", "-q", "busy~0")
    assert credited(project, "a.txt") == other, "seen from the first worktree"


def finish(path: Path) -> None:
    draft(path)
    write(path, "review.md", APPROVED)
    done(path, "advance")


def abandon(path: Path) -> None:
    done(path, "abandon", "-m", "enough")


def leave_a_stale_mark(path: Path) -> None:
    """As a crash does, or a clean-up of refs by hand."""
    git(path, "update-ref", "-d", run_ref(path))
    assert (path / ".git/relay/current").exists()


@pytest.mark.parametrize("end", [finish, abandon, leave_a_stale_mark], ids=lambda end: end.__name__)
def test_a_run_of_yesterday_that_has_ended_gets_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch, end: Any
) -> None:
    monkeypatch.setenv("GIT_RELAY_NOW", "1777368600")
    start(project, "yesterday")
    end(project)
    monkeypatch.setenv("GIT_RELAY_NOW", str(1777368600 + 24 * 3600))
    commit(project, "a.txt")
    assert "Relay-Run" not in git(project, "log", "-1", "--format=%B")
    assert credited(project, "a.txt") is None


def test_idle_runs_elsewhere_get_nothing(project: Path, tmp_path: Path) -> None:
    idle = []
    for number in range(3):
        tree = tmp_path / f"tree-{number}"
        git(project, "worktree", "add", "-q", str(tree))
        idle.append(start(tree, f"idle-{number}"))
    mine = start(project, "mine")
    commit(project, "a.txt")
    assert credited(project, "a.txt") == mine
    assert [recorded(project, other) for other in idle] == [[], [], []]


def test_commits_of_two_runs_melted_into_one_are_nobody_s(project: Path) -> None:
    """Their notes and trailers both come along, and do not say which line is whose."""
    start(project, "first")
    commit(project, "a.txt")
    start(project, "second")
    commit(project, "b.txt")
    script = {"GIT_SEQUENCE_EDITOR": "sed -i 2s/pick/squash/", "GIT_EDITOR": "true"}
    assert run(project, "git", "rebase", "-q", "-i", "HEAD~2", **script).code == 0
    assert git(project, "log", "-1", "--format=%B").count("Relay-Run") == 2
    assert credited(project, "a.txt") is None


def test_commits_of_two_visits_melted_into_one_name_the_run_alone(project: Path) -> None:
    mine = start(project, "mine")
    commit(project, "a.txt")
    draft(project)
    commit(project, "b.txt")
    script = {"GIT_SEQUENCE_EDITOR": "sed -i 2s/pick/fixup/", "GIT_EDITOR": "true"}
    assert run(project, "git", "rebase", "-q", "-i", "HEAD~2", **script).code == 0
    origin = blame(project, "b.txt")
    assert (origin["run"], origin["stage"], origin["role"]) == (mine, None, None)
    assert f"run {mine}, stage unknown" in done(project, "blame", "b.txt")


def test_amended_in_another_run_it_is_nobody_s(project: Path) -> None:
    start(project, "first")
    commit(project, "a.txt")
    start(project, "second")
    git(project, "commit", "-q", "--amend", "--no-edit")
    assert credited(project, "a.txt") is None


def test_a_note_that_followed_no_patch_is_not_copied(project: Path) -> None:
    """What a squash on a server or a picked patch made has no note; only its message counts."""
    mine = start(project, "mine")
    commit(project, "a.txt")
    picked = git(project, "rev-parse", "HEAD")
    git(project, "checkout", "-q", "-b", "side", "HEAD~1")
    git(project, "commit", "-q", "--no-verify", "--allow-empty", "-m", "x")
    git(project, "cherry-pick", picked)
    origin = blame(project, "a.txt")
    assert (origin["run"], origin["stage"]) == (mine, None)
