"""The backends there are, and which of them this repository's user has chosen."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from relay_git.backends.backend import Backend
from relay_git.errors import BackendError
from relay_git.git.config import Config

BACKENDS: dict[str, str] = {
    "command": "relay_git.backends.command",
    "openai": "relay_git.backends.openai",
}
"""Modules by name, imported when asked for. Of several that are configured the first is taken."""


class BackendModule(Protocol):
    """`HINT` says how to configure it."""

    HINT: str

    def configured(self, config: Config, directory: str) -> Backend | None: ...


def backend_for(config: Config, directory: str) -> Backend:
    """The one that `relay.llmBackend` names, else the one that is configured.

    Programs run in `directory`. Raises `BackendError`.
    """
    chosen = config.get("relay.llmBackend")
    if chosen:
        return _named(chosen, config, directory)
    for name in BACKENDS:
        backend = _module(name).configured(config, directory)
        if backend:
            return backend
    hints = ", or ".join(_module(name).HINT for name in BACKENDS)
    raise BackendError("no backend is configured", hint=hints)


def _named(name: str, config: Config, directory: str) -> Backend:
    where = "git config relay.llmBackend"
    if name not in BACKENDS:
        known = ", ".join(BACKENDS)
        raise BackendError(f"no backend is called {name!r}", where=where, hint=f"use {known}")
    module = _module(name)
    backend = module.configured(config, directory)
    if backend is None:
        raise BackendError(f"{name} is not configured", where=where, hint=module.HINT)
    return backend


def _module(name: str) -> BackendModule:
    return cast(BackendModule, importlib.import_module(BACKENDS[name]))
