from __future__ import annotations

from pathlib import Path

import pytest
from support import git, make_repo

from relay_git.git.underway import underway


@pytest.fixture
def divided(tmp_path: Path) -> Path:
    """Two branches that change the same file."""
    path = make_repo(tmp_path / "repo")
    for name in ("main", "other"):
        git(path, "checkout", "-q", "-B", name, "main" if name == "main" else "main^")
        (path / "a.txt").write_text(name)
        git(path, "add", "a.txt")
        git(path, "commit", "-q", "-m", name)
    return path


def test_a_worktree_at_rest(divided: Path) -> None:
    assert underway(str(divided / ".git")) == set()


@pytest.mark.parametrize(
    ("command", "code", "what"),
    [
        (("merge", "main"), 1, {"merge"}),
        (("rebase", "--merge", "main"), 1, {"rebase"}),
        (("rebase", "--apply", "main"), 1, {"rebase"}),
        (("cherry-pick", "main"), 1, {"cherry-pick"}),
        (("revert", "main"), 1, {"revert"}),
        (("bisect", "start", "HEAD", "HEAD^"), 0, {"bisect"}),
    ],
)
def test_what_git_is_in_the_middle_of(
    divided: Path, command: tuple[str, ...], code: int, what: set[str]
) -> None:
    git(divided, *command, code=code)
    assert underway(str(divided / ".git")) >= what
