"""Which backend is asked, and for which model. A tracked file may name one, never what it runs.

Whoever is more specific is heard first: the command line and the environment, then the role,
then the person's own git config, then the repository's settings.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from relay_git import names
from relay_git.errors import BackendError
from relay_git.record import Record
from relay_git.workflow.model import Role, Rules
from relay_git.workspace import Workspace

BY_HAND = "manual"
_VARIABLE = "GIT_RELAY_BACKEND"


class Choice(Record):
    """`where` says who chose; a model of None is the backend's own business."""

    name: str
    model: str | None
    where: str


class Named(Record):
    """What one place says: a backend, a model, both or neither."""

    where: str
    backend: str | None
    model: str | None = None


def for_role(ws: Workspace, wished: str | None, role: Role, rules: Rules) -> Choice:
    """By hand where nobody says anything."""
    own = Named(f"the role {role.name}", rules.backend, rules.model)
    chosen = _first([Named("--backend", wished), _environment(), own, *_general(ws)])
    return chosen or Choice(BY_HAND, None, "")


def for_orchestrator(ws: Workspace) -> Choice:
    """Raises `BackendError` when nothing names one."""
    wish = ws.settings.orchestrator
    own = Named(f"orchestrator in {names.SETTINGS}", wish.backend, wish.model)
    return _some(_first([own, *_general(ws)]), f"name one in {names.SETTINGS}")


def for_distilling(ws: Workspace) -> Choice:
    """Raises `BackendError` when nothing names one."""
    own = Named("git config relay.llmBackend", ws.config.get("relay.llmBackend"))
    chosen = _first([_environment(), own, *_general(ws)])
    return _some(chosen, "name one with `git config relay.llmBackend`")


def _general(ws: Workspace) -> list[Named]:
    return [
        Named("git config relay.backend", ws.config.get("relay.backend")),
        Named(names.SETTINGS, ws.settings.backend, ws.settings.model),
    ]


def _environment() -> Named:
    return Named(_VARIABLE, os.environ.get(_VARIABLE))


def _first(places: Sequence[Named]) -> Choice | None:
    """The first backend that is named. A model is for the backend named beside it, or for any."""
    chosen = next((place for place in places if place.backend), None)
    if chosen is None or chosen.backend is None:
        return None
    name = chosen.backend
    model = next((p.model for p in places if p.model and p.backend in (None, "", name)), None)
    return Choice(name, model, chosen.where)


def _some(choice: Choice | None, hint: str) -> Choice:
    if choice is None:
        raise BackendError("no backend is named", hint=hint)
    return choice
