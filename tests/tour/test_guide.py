"""The tour's commands run for real, in its own repository and by its own configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import git

from relay_git.errors import GitError
from relay_git.tour import guide
from relay_git.tour.stops import STOPS, Run, Write


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "tour").mkdir()
    guide.lay_out(str(tmp_path / "tour"))
    return str(tmp_path / "tour")


def test_what_is_shown_is_an_excerpt_and_says_how_much_it_leaves_out(folder: str) -> None:
    told = guide.carry_out(Run("cat downloads/context.md", most=2, since="## Why"), folder)
    whole = (Path(folder) / "downloads" / "context.md").read_text().splitlines()
    at = whole.index("## Why")
    assert told.did == "$ cat downloads/context.md"
    assert list(told.lines) == whole[at : at + 2]
    assert (told.before, told.after) == (at, len(whole) - at - 2)


def test_what_a_role_writes_lies_where_it_would_write_it(folder: str) -> None:
    told = guide.carry_out(Write("planner", "01-plan_draft", most=1), folder)
    written = (Path(folder) / ".relay" / "artifacts" / "plan.md").read_text()
    assert told.did == "# the planner writes .relay/artifacts/plan.md"
    assert list(told.lines) == written.splitlines()[:1]


def test_a_command_that_fails_is_not_passed_over(folder: str) -> None:
    with pytest.raises(GitError, match="failed with exit code 1"):
        guide.carry_out(Run("git relay status"), folder)


def test_the_callers_repository_and_configuration_are_left_out(
    folder: str, sealed: Path, repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (
        "[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n[core]\n\thooksPath = /nowhere\n"
    )
    with (sealed / ".gitconfig").open("a") as file:
        file.write(broken)
    monkeypatch.setenv("GIT_DIR", str(repo_path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo_path / "another-index"))
    monkeypatch.setenv("GIT_RELAY", "0")
    before = git(repo_path, "rev-parse", "HEAD")
    told = [guide.carry_out(act, folder) for stop in STOPS[:8] for act in stop.acts]
    assert any("hooks in" in line for one in told for line in one.lines)
    assert any(line.startswith("Relay-Run: ") for one in told for line in one.lines)
    assert git(repo_path, "rev-parse", "HEAD") == before
    assert not (repo_path / "another-index").exists()
    assert not (repo_path / ".relay").exists()
