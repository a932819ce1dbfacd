"""What is too large to record is named, and the commit is made."""

from __future__ import annotations

from pathlib import Path

from flow import artifact
from hooking import commit, hooked
from support import git, relay


def test_a_huge_artifact_and_many_paths(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    git(project, "config", "relay.maxArtifact", "1m")
    relay(project, "start")
    with artifact(project, "draft.md").open("wb") as file:
        file.truncate(150 * 2**20)
    for folder in ("one", "two", ".claude/worktrees/x"):
        (project / folder).mkdir(parents=True)
        for number in range(700):
            (project / folder / f"{number}.txt").touch()
    git(project, "add", ".")
    said = commit(project, "a.txt")
    assert said.startswith("git-relay: not recorded: ")
    assert len(said.splitlines()) == 1
    assert "draft.md" in said
    tip = git(project, "for-each-ref", "--format=%(objectname)", "refs/relay/runs")
    assert git(project, "log", "-1", "--format=%s", tip).startswith("commit ")
    assert int(git(project, "cat-file", "-s", f"{tip}:step.json")) < 100_000
