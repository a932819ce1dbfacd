from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support import git, repository

from relay_git import clock
from relay_git.backends import manual
from relay_git.backends.registry import open_backend
from relay_git.drive.asking import Answer, Backend, Nobody, Question
from relay_git.drive.choice import Choice
from relay_git.errors import BackendError
from relay_git.git.config import read_config

PROMPT = "list[int] [/foo] \x1b[1m\r\n"


class Person(Nobody):
    """Does something at each look, and says after the last one that it is enough if `says_so`."""

    def __init__(self, *does: Callable[[], object], says_so: bool = False) -> None:
        self.does = list(does)
        self.says_so = says_so
        self.shown = ""
        self.looks = 0

    def show(self, text: str) -> None:
        self.shown += text

    def wait(self, seconds: float) -> bool:
        self.looks += 1
        time.sleep(0.02)
        if self.does:
            self.does.pop(0)()
            return False
        return self.says_so


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manual, "_STILL", 0.2)


def opened(path: Path) -> Backend:
    return open_backend(Choice("manual", None, ""), read_config(repository(path)))


def ask(path: Path, person: Person, *writes: str) -> Answer:
    return opened(path).ask(Question(PROMPT, str(path), writes=writes), person)


def test_the_prompt_is_shown_as_it_is_and_enter_ends_the_wait(repo_path: Path) -> None:
    person = Person(says_so=True)
    assert ask(repo_path, person, "a.md") == Answer()
    assert person.shown == PROMPT
    assert person.looks == 1


def test_it_ends_when_the_files_are_written_and_lie_still(repo_path: Path) -> None:
    a, b = repo_path / "a.md", repo_path / "b.md"
    b.write_text("old")
    person = Person(
        lambda: a.write_text("new"),
        lambda: None,
        lambda: b.write_text("newer"),
        lambda: b.write_text("newest"),
    )
    assert ask(repo_path, person, "a.md", "b.md") == Answer()
    assert time.time() - b.stat().st_mtime > 0.2
    assert b.read_text() == "newest"


def test_a_file_that_is_as_it_was_is_waited_for(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo_path / "a.md").write_text("old")
    git(repo_path, "config", "relay.manual.timeout", "90")
    person, begun = Person(), time.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: begun + 30 * person.looks)
    with pytest.raises(BackendError, match="nothing was written in 90 seconds"):
        ask(repo_path, person, "a.md")
    assert person.looks == 4
