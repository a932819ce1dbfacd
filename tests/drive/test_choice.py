from __future__ import annotations

from pathlib import Path

import pytest
from flow import make_project
from support import git, repository

from relay_git.drive.choice import Choice, for_distilling, for_orchestrator, for_role
from relay_git.errors import BackendError
from relay_git.names import Word
from relay_git.workflow.model import Role, Rules
from relay_git.workspace import Workspace

PLANNER = Role(Word("planner"))
PLAIN = Rules("Plan.")
OWN = Rules("Plan.", backend=Word("claude"), model="opus")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_project(tmp_path / "p")


def opened(path: Path) -> Workspace:
    return Workspace(repository(path))


def settings(path: Path, text: str) -> None:
    (path / ".relay/relay.yml").write_text(f"version: 1\n{text}")


def test_by_hand_where_nobody_says_anything(path: Path) -> None:
    assert for_role(opened(path), None, PLANNER, PLAIN) == Choice("manual", None, "")


def test_the_more_specific_is_heard_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def names(rules: Rules, wished: str | None = None) -> str:
        return for_role(opened(path), wished, PLANNER, rules).name

    settings(path, "backend: gemini\n")
    assert names(PLAIN) == "gemini"
    git(path, "config", "relay.backend", "codex")
    assert names(PLAIN) == "codex"
    assert names(OWN) == "claude"
    monkeypatch.setenv("GIT_RELAY_BACKEND", "aider")
    assert names(OWN) == "aider"
    assert names(OWN, "openai") == "openai"


def test_who_chose_is_told(path: Path) -> None:
    settings(path, "backend: gemini\n")
    assert for_role(opened(path), None, PLANNER, PLAIN).where == ".relay/relay.yml"
    assert for_role(opened(path), None, PLANNER, OWN).where == "the role planner"
    assert for_role(opened(path), "x", PLANNER, OWN).where == "--backend"


def test_a_model_is_for_the_backend_beside_it_or_for_any(path: Path) -> None:
    def model(rules: Rules, wished: str | None = None) -> str | None:
        return for_role(opened(path), wished, PLANNER, rules).model

    settings(path, "backend: openai\nmodel: gpt\n")
    assert model(PLAIN) == "gpt"
    assert model(OWN) == "opus"
    assert model(PLAIN, "codex") is None
    assert model(OWN, "openai") == "gpt"
    assert model(Rules("Plan.", model="own"), "codex") == "own"
    settings(path, "model: any\n")
    assert model(PLAIN, "codex") == "any"


def test_the_orchestrator_has_its_own(path: Path) -> None:
    with pytest.raises(BackendError, match="no backend is named"):
        for_orchestrator(opened(path))
    git(path, "config", "relay.backend", "codex")
    assert for_orchestrator(opened(path)).name == "codex"
    settings(path, "orchestrator: {backend: openai, model: small}\n")
    found = for_orchestrator(opened(path))
    assert (found.name, found.model) == ("openai", "small")
    assert found.where == "orchestrator in .relay/relay.yml"


def test_distilling_has_its_own(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BackendError, match=r"no backend is named.*relay\.llmBackend"):
        for_distilling(opened(path))
    settings(path, "backend: gemini\n")
    assert for_distilling(opened(path)).name == "gemini"
    git(path, "config", "relay.backend", "codex")
    assert for_distilling(opened(path)).name == "codex"
    git(path, "config", "relay.llmBackend", "openai")
    assert for_distilling(opened(path)).name == "openai"
    monkeypatch.setenv("GIT_RELAY_BACKEND", "claude")
    assert for_distilling(opened(path)).name == "claude"
