"""GIT_INDEX_FILE names another file in each form of `git commit`. Hooks read it, never write."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow import APPROVED, REJECTED, copy_of, done, draft, write
from hooking import hooked, run
from support import git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A run one commit before its end; one file is staged, another dirty."""

    def build(path: Path) -> None:
        hooked(path)
        for name in ("staged", "dirty", "asked"):
            (path / f"{name}.txt").write_text("before\n")
        (path / ".relay/notes.txt").write_text("notes\n")
        git(path, "add", ".")
        git(path, "commit", "-q", "-m", "files")
        done(path, "start")
        draft(path)
        write(path, "review.md", REJECTED)
        done(path, "advance")
        draft(path, "A better draft.\n")
        write(path, "review.md", APPROVED)
        for name in ("staged", "dirty", "asked"):
            (path / f"{name}.txt").write_text("after\n")
        (path / ".relay/notes.txt").write_text("more notes\n")
        git(path, "add", "staged.txt", ".relay/notes.txt")

    return copy_of("about-to-end-hooked", build, tmp_path / "project")


@pytest.mark.parametrize(
    ("form", "committed", "left"),
    [
        ((), [".relay/notes.txt", "staged.txt"], [" M asked.txt", " M dirty.txt"]),
        (
            ("asked.txt",),
            ["asked.txt"],
            ["M  .relay/notes.txt", " M dirty.txt", "M  staged.txt"],
        ),
        (
            ("--include", "asked.txt"),
            [".relay/notes.txt", "asked.txt", "staged.txt"],
            [" M dirty.txt"],
        ),
        (("-a",), [".relay/notes.txt", "asked.txt", "dirty.txt", "staged.txt"], []),
    ],
    ids=["plain", "pathspec", "include", "all"],
)
def test_a_commit_holds_what_was_asked_and_status_has_no_phantoms(
    project: Path, form: tuple[str, ...], committed: list[str], left: list[str]
) -> None:
    message = "end\n\nRelay-Advance: review.2=approve\n"
    made = run(project, "git", "commit", "-q", "-F", "-", *form, input=message)
    assert made.code == 0
    assert "is done: 1 new lesson" in made.err
    assert git(project, "show", "--format=", "--name-only", "HEAD").splitlines() == committed
    shown = git(project, "status", "--short", "--untracked-files=all").splitlines()
    assert [line for line in shown if not line.startswith("?? .relay/lessons/")] == left
    assert not (project / ".git/index.lock").exists()
    assert run(project, "git", "fsck", "--strict").code == 0
