"""One session from `init` to the lessons of the next run, in every kind of repository."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import kinds
import pytest
from flow import APPROVED, REJECTED, call, done
from hooking import WELL, commit, run, with_program, write_hook
from kinds import Kind, top_of
from support import git

from relay_git.git.open import ENGINES

CASES = [
    *((kind, "native") for kind in (*kinds.PLACES, *kinds.HOOKS)),
    *((kind, engine) for kind in kinds.STORES for engine in ENGINES),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].__name__}-{case[1]}")
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the person works, with one engine asked for."""
    kind: Kind
    kind, engine = request.param
    if kind is kinds.reftable:
        kinds.use_git_with_reftable(monkeypatch, tmp_path)
    ready(monkeypatch, engine)
    return kind(tmp_path / "project")


def test_a_session(here: Path) -> None:
    for _ in session(here):
        continue


@pytest.mark.parametrize("engine", ENGINES)
def test_with_everything_packed_and_pruned_between_any_two_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    ready(monkeypatch, engine)
    here = kinds.main_worktree(tmp_path / "project")
    for _ in session(here):
        git(here, "pack-refs", "--all", "--prune")
        git(here, "gc", "-q", "--prune=now")


def ready(patch: pytest.MonkeyPatch, engine: str) -> None:
    patch.setenv("GIT_RELAY_ENGINE", engine)
    patch.setenv("PATH", with_program())


def session(here: Path) -> Iterator[None]:
    """Yields between any two commands."""
    set_up(here)
    before = git(here, "status", "--porcelain", "--untracked-files=all")
    yield
    done(here, "start")
    yield
    assert "You are the author" in done(here, "next")
    work(here, "draft.md", "A draft.\n")
    yield
    assert commit(top_of(here), "code.py") == ""
    assert "Relay-Run: " in git(here, "log", "-1", "--format=%B")
    yield
    work(here, "review.md", REJECTED)
    yield
    work(here, "draft.md", "A better draft.\n")
    yield
    write(here, "review.md", APPROVED)
    said = commit(top_of(here), "end.py", "end\n", "-m", "Relay-Advance: review.2=approve")
    assert "is done: 1 new lesson" in said
    yield
    assert done(here, "settle") == "nothing to settle\n"
    assert_taught(here)
    yield
    assert_sound(here)
    assert_nothing_else_changed(here, before)


def set_up(here: Path) -> None:
    """The local half; where the hooks are somebody else's, the person adds our lines."""
    role = top_of(here) / ".relay" / "workflows" / "loop" / "roles" / "author.yml"
    role.write_text(role.read_text() + "inject_lessons: true\n")
    told = json.loads(done(here, "init", "--json"))
    place = top_of(here) / ".husky"
    if not place.exists():
        place = Path(git(here, "rev-parse", "--path-format=absolute", "--git-path", "hooks"))
    for hook, line in told["hooks"]["add"].items():
        write_hook(place / hook, f"#!/bin/sh\n{line}\n")
    if git(here, "rev-parse", "--revs-only", "HEAD"):
        git(here, "add", str(top_of(here)))
        git(here, "commit", "-q", "-m", "what the team shares")
    assert "everything is set up" in done(here, "init")


def write(here: Path, name: str, text: str) -> None:
    (top_of(here) / ".relay" / "artifacts" / name).write_text(text)


def work(here: Path, name: str, text: str) -> None:
    write(here, name, text)
    done(here, "advance")


def assert_taught(here: Path) -> None:
    """The lesson is where it is reviewed, and in the next run's prompt."""
    assert ", stage review, visit 1" in done(top_of(here), "blame", "code.py:1")
    assert "The retry never waits" in done(here, "lessons", "list")
    done(here, "start")
    assert "The retry never waits" in done(here, "next")
    done(here, "abandon")


def assert_sound(here: Path) -> None:
    assert "9 of 9 steps ok in 2 runs" in done(here, "verify", "--all")
    assert call(here, "doctor") == (0, WELL, "")
    assert run(here, "git", "fsck", "--strict", "--no-dangling").code == 0
    common = git(here, "rev-parse", "--path-format=absolute", "--git-common-dir")
    assert [*leftovers(Path(common)), *leftovers(top_of(here))] == []
    assert call(here, "status").err == ""


def leftovers(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.suffix in (".lock", ".tmp") or path.name.startswith("tmp_obj"):
            yield path


def assert_nothing_else_changed(here: Path, before: str) -> None:
    """Beside what the person committed there are the lesson and the page, to be reviewed."""
    after = git(here, "status", "--porcelain", "--untracked-files=all")
    new = set(after.splitlines()) - set(before.splitlines())
    assert {line[:3] for line in new} == {"?? "}
    assert len([line for line in new if "/lessons/" in line]) == 1
    assert len(new) == 1 + (top_of(here) / ".relay" / "LESSONS.md").exists()
    assert git(here, "log", "--format=%s", "-2") == "change end.py\nchange code.py"
    assert git(here, "stash", "list") == ""
