"""What every backend is, and what they share."""

from __future__ import annotations

import os
from typing import Protocol

from relay_git.git.config import Config
from relay_git.redact import redact

MOST = 1 << 20
"""Bytes of an answer."""

_SHOWN = 300


class Backend(Protocol):
    """Something that answers prompts."""

    @property
    def name(self) -> str: ...

    def ask(self, prompt: str, timeout: float) -> str:
        """The answer, which is not empty, within so many seconds. Raises `BackendError`."""
        ...


def excerpt(said: str, *secrets: str) -> str:
    """What a backend complained of last, as one line of an error: short, and without secrets."""
    line = " ".join(redact(said, secrets)[0].split())
    return line if len(line) <= _SHOWN else f"…{line[-_SHOWN:]}"


def setting(config: Config, key: str, variable: str) -> tuple[str, str]:
    """The value of the environment variable, else of git's configuration, and which it is.

    Empty when there is none.
    """
    if value := os.environ.get(variable):
        return value, variable
    return config.get(key) or "", f"git config {key}"
