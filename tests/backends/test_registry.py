from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import git, repository

from relay_git.backends.registry import BACKENDS, open_backend
from relay_git.drive.asking import Backend
from relay_git.drive.choice import Choice
from relay_git.errors import BackendError
from relay_git.git.config import read_config


def opened(path: Path, name: str, *, answers: bool = False) -> Backend:
    choice = Choice(name, "small", "the role planner")
    return open_backend(choice, read_config(repository(path)), answers=answers)


@pytest.mark.parametrize("name", BACKENDS)
def test_every_name_opens_a_backend_of_that_name(
    repo_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghijklmnop")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdefghijklmnop")
    backend = opened(repo_path, name)
    assert backend.name == name
    assert backend.model == (None if name == "manual" else "small")


def test_a_name_of_ones_own_needs_a_command(repo_path: Path) -> None:
    with pytest.raises(BackendError) as caught:
        opened(repo_path, "house")
    assert str(caught.value).startswith(
        "the role planner: no backend is called 'house'; use manual,"
    )
    assert "git config relay.house.command" in str(caught.value)
    git(repo_path, "config", "relay.house.command", "cat")
    assert opened(repo_path, "house").name == "house"


@pytest.mark.parametrize("name", ["../evil", "a b", "-x", "a\nb"])
def test_what_is_no_name_is_no_backend(repo_path: Path, name: str) -> None:
    with pytest.raises(BackendError, match="no backend is called") as caught:
        opened(repo_path, name)
    assert "git config" not in str(caught.value)


def test_manual_cannot_answer_a_question(repo_path: Path) -> None:
    with pytest.raises(BackendError, match="manual writes files"):
        opened(repo_path, "manual", answers=True)


def test_modules_are_imported_when_they_are_asked_for(repo_path: Path) -> None:
    script = (
        "import sys\n"
        "from relay_git.backends.registry import BACKENDS\n"
        "found = {*BACKENDS.values(), 'openai', 'anthropic', 'httpx2'} & set(sys.modules)\n"
        "sys.exit(str(found) if found else 0)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
