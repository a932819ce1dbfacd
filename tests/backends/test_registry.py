from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import git, repository

from relay_git.backends.backend import Backend
from relay_git.backends.registry import BACKENDS, backend_for
from relay_git.errors import BackendError
from relay_git.git.config import read_config


def chosen(path: Path) -> Backend:
    return backend_for(read_config(repository(path)), str(path))


def refused(path: Path) -> str:
    with pytest.raises(BackendError) as caught:
        chosen(path)
    return str(caught.value)


def test_without_one_it_says_how_to_configure_each(repo_path: Path) -> None:
    said = refused(repo_path)
    assert said.startswith("no backend is configured; ")
    assert "relay.llmCommand" in said and "relay.llmUrl" in said


def test_the_configured_one_is_taken(repo_path: Path) -> None:
    git(repo_path, "config", "relay.llmUrl", "http://localhost:1/v1")
    git(repo_path, "config", "relay.llmModel", "small")
    assert chosen(repo_path).name == "openai"
    git(repo_path, "config", "relay.llmCommand", "cat")
    assert chosen(repo_path).name == "command"
    git(repo_path, "config", "relay.llmBackend", "openai")
    assert chosen(repo_path).name == "openai"


def test_a_choice_that_is_not_there_is_refused(repo_path: Path) -> None:
    git(repo_path, "config", "relay.llmCommand", "cat")
    git(repo_path, "config", "relay.llmBackend", "openai")
    assert "openai is not configured; set relay.llmUrl" in refused(repo_path)
    git(repo_path, "config", "relay.llmBackend", "../evil")
    assert "no backend is called '../evil'; use command, openai" in refused(repo_path)


def test_a_tracked_file_can_name_none(repo_path: Path) -> None:
    """Hazard: `.relay/relay.yml` and a `.gitconfig` in the tree arrive with somebody's branch."""
    (repo_path / ".relay").mkdir()
    settings = "relay.llmCommand: touch owned\nllmCommand: touch owned\n"
    (repo_path / ".relay" / "relay.yml").write_text(settings)
    (repo_path / ".gitconfig").write_text("[relay]\n\tllmCommand = touch owned\n")
    assert "no backend is configured" in refused(repo_path)
    assert not (repo_path / "owned").exists()


def test_every_entry_is_a_backend_of_that_name(
    repo_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_RELAY_LLM_COMMAND", "cat")
    monkeypatch.setenv("GIT_RELAY_LLM_URL", "http://localhost:1/v1")
    monkeypatch.setenv("GIT_RELAY_LLM_MODEL", "small")
    for name in BACKENDS:
        git(repo_path, "config", "relay.llmBackend", name)
        assert chosen(repo_path).name == name


def test_none_is_imported_before_it_is_asked_for() -> None:
    script = (
        "import sys, relay_git.backends.registry\n"
        "print([m for m in sys.modules if m in ('relay_git.backends.openai', 'urllib.request')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == "[]\n"
