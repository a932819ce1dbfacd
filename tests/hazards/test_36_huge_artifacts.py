"""What is too large to record is named, and the commit is made."""

from __future__ import annotations

import json
from pathlib import Path

from flow import artifact, call, done, run_ref
from hooking import commit, hooked, run
from support import git

FOLDERS = ("src", "docs/a b", ".claude/worktrees/x/src")


def test_an_artifact_of_150_mb(tmp_path: Path) -> None:
    project = hooked(tmp_path / "project")
    done(project, "start")
    tip = git(project, "rev-parse", run_ref(project))
    with artifact(project, "draft.md").open("wb") as file:
        file.write(b"text\n")
        file.truncate(150 * 2**20)
    answer = call(project, "advance")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == (
        "git relay: .relay/artifacts/draft.md: larger than 10 MB; "
        "shorten it, or allow more with `git config relay.maxArtifact 50m`\n"
    )
    assert git(project, "rev-parse", run_ref(project)) == tip
    said = commit(project, "a.txt")
    assert said.startswith("git-relay: not recorded: .relay/artifacts/draft.md: larger than 10 MB")
    assert len(said.splitlines()) == 1
    assert git(project, "log", "-1", "--format=%s", run_ref(project)).startswith("commit ")
    assert "draft.md" not in git(project, "ls-tree", "-r", "--name-only", run_ref(project))


def test_a_commit_of_65000_paths(tmp_path: Path) -> None:
    """The step says how many there were, and stays small."""
    project = hooked(tmp_path / "project")
    done(project, "start")
    blob = git(project, "hash-object", "-w", "--stdin", input=b"x")
    paths = [f"{FOLDERS[n % 3]}/{n % 500}/{n}.txt" for n in range(65_000)]
    lines = "".join(f"100644 {blob}\t{path}\n" for path in paths)
    git(project, "update-index", "--add", "--index-info", input=lines.encode())
    made = run(project, "git", "commit", "-q", "-m", "everything")
    assert (made.code, made.err) == (0, "")
    assert "Relay-Run: " in git(project, "log", "-1", "--format=%B")
    record = git(project, "show", f"{run_ref(project)}:step.json")
    assert len(record) < 50_000
    event = json.loads(record)["state"]["event"]
    assert len(event["paths"]) + event["left_out"] == 65_000
    for command in ("status", "next", "log", "show", "verify"):
        done(project, command)
