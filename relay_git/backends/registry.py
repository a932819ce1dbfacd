"""The backends there are, by the names that people and tracked files may call them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from relay_git.backends.backend import Setup
from relay_git.drive.asking import Backend
from relay_git.drive.choice import Choice
from relay_git.errors import BackendError, InvalidName
from relay_git.git.config import Config
from relay_git.names import Word

_COMMAND = "relay_git.backends.command"

BACKENDS: dict[str, str] = {
    "manual": "relay_git.backends.manual",
    "claude": _COMMAND,
    "codex": _COMMAND,
    "gemini": _COMMAND,
    "cursor-agent": _COMMAND,
    "aider": _COMMAND,
    "openai": "relay_git.backends.openai",
    "anthropic": "relay_git.backends.anthropic",
}
"""Modules by name, imported when asked for. A name of somebody's own is a command, too."""


def open_backend(choice: Choice, config: Config, *, answers: bool = False) -> Backend:
    """The backend that was chosen, ready to be asked; to answer only, if it `answers`.

    Raises `BackendError` for one that is unknown or lacks what it needs.
    """
    module = BACKENDS.get(choice.name) or _own(choice, config)
    make = cast(Callable[[Setup], Backend], importlib.import_module(module).make)
    return make(Setup(choice.name, choice.model, config, answers))


def _own(choice: Choice, config: Config) -> str:
    """A name is a backend when git config gives it a command: no tracked file can."""
    try:
        if config.get(f"relay.{Word(choice.name)}.command"):
            return _COMMAND
        hint = f", or give it a command with `git config relay.{choice.name}.command …`"
    except InvalidName:
        hint = ""
    raise BackendError(
        f"no backend is called {choice.name!r}",
        where=choice.where or None,
        hint=f"use {', '.join(BACKENDS)}{hint}",
    )
