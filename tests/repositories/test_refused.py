"""Repositories in which nothing can be written: it is said, and hooks hold no commit up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from disks import read_only
from flow import (
    REJECTED,
    call,
    copy_of,
    done,
    draft,
    everything,
    make_project,
    review,
    tips,
    write,
)
from hooking import hooked, program, run
from support import git

from relay_git.commands.hook import _RECORDING as RECORDING

SOMEBODY = 12345


def reviewing(tmp_path: Path) -> Path:
    """A rejected draft waits to be written anew; a commit is about to be made."""

    def build(path: Path) -> None:
        hooked(path)
        done(path, "start", "--slug", "first")
        done(path, "start", "--slug", "second")
        draft(path)
        review(path, REJECTED)
        write(path, "draft.md", "A better draft.\n")
        (path / "a.txt").write_text("a\n")
        git(path, "add", "a.txt")

    return copy_of("rejected and rewritten", build, tmp_path / "project")


# Somebody else owns it


@pytest.fixture
def of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = reviewing(tmp_path)
    if os.geteuid():
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        return path
    for folder, below, files in os.walk(path):
        for name in (".", *below, *files):
            os.chown(os.path.join(folder, name), SOMEBODY, SOMEBODY, follow_symlinks=False)
    return path


@pytest.mark.parametrize("hook", RECORDING)
def test_a_hook_repeats_gits_advice_and_exits_0(of_somebody_else: Path, hook: str) -> None:
    before = (of_somebody_else / ".git" / "relay" / "current").read_text()
    said = program(of_somebody_else, "hook", hook, str(of_somebody_else / "message"))
    assert said.code == 0
    (line,) = said.out.splitlines()
    assert f"git-relay: {hook} is left for later: " in line
    assert f"git config --global --add safe.directory {of_somebody_else}" in line
    assert (of_somebody_else / ".git" / "relay" / "current").read_text() == before


def test_after_gits_advice_it_works(of_somebody_else: Path) -> None:
    assert call(of_somebody_else, "advance").code == 1
    if os.geteuid():
        pytest.skip("nobody but root can give files away, so this one is still nobody else's")
    git(Path("/"), "config", "--global", "--add", "safe.directory", str(of_somebody_else))
    done(of_somebody_else, "advance")
    made = run(of_somebody_else, "git", "commit", "-q", "-m", "a change")
    assert (made.code, made.err) == (0, "")
    assert "Relay-Run: " in git(of_somebody_else, "log", "-1", "--format=%B")


# Its objects cannot be written


@pytest.mark.parametrize("engine", ["native", "libgit"])
@pytest.mark.parametrize(
    "words", ["advance", "start", "rollback --to 1", "reset", "reset --clean", "abandon"]
)
def test_a_read_only_object_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, engine: str
) -> None:
    monkeypatch.setenv("GIT_RELAY_ENGINE", engine)
    path = reviewing(tmp_path)
    before = everything(path)
    with read_only(path / ".git" / "objects"):
        answer = call(path, *words.split())
        for command in ("status", "log", "runs", "next", "verify", "show"):
            done(path, command)
    assert (answer.code, answer.out) == (1, "")
    (line,) = answer.err.splitlines()
    assert f"{path}/.git/objects: cannot write an object: " in line
    after = everything(path)
    mark = f".git/relay/pending/{(path / '.git/relay/current').read_text().strip()}"
    assert {name: after[name] for name in after if name != mark} == before
    git(path, "fsck", "--strict", "--no-dangling")
    done(path, *words.split())


@pytest.mark.parametrize("engine", ["native", "libgit"])
def test_a_hook_in_a_read_only_object_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setenv("GIT_RELAY_ENGINE", engine)
    path = reviewing(tmp_path)
    run(path, "git", "commit", "-q", "-m", "a change", GIT_RELAY="0")
    before = tips(path)
    with read_only(path / ".git" / "objects"):
        said = program(path, "hook", "post-commit")
        examined = program(path, "doctor")
    assert said.code == 0
    (line,) = said.out.splitlines()
    assert line.startswith("git-relay: post-commit is left for later: ")
    assert f"disk: {path}/.git/objects: " in examined.out
    assert tips(path) == before
    assert program(path, "hook", "post-commit") == (0, "", "")
    assert "commit " in done(path, "log").splitlines()[-2]


# It cannot be named


def test_a_newline_in_the_path(tmp_path: Path) -> None:
    path = make_project(tmp_path / "new\nline")
    (path / "a.txt").write_text("a\n")
    git(path, "add", "a.txt")
    for words in ("init", "start", "status", "verify", "doctor"):
        answer = call(path, words)
        assert (answer.code, answer.out) == (1, "")
        (line,) = answer.err.splitlines()
        assert "a path with a newline in it cannot be used" in line
    for hook in RECORDING:
        said = program(path, "hook", hook, "x")
        assert said.code == 0
        assert len(said.out.splitlines()) == 1
    assert not (path / ".git" / "relay").exists()
